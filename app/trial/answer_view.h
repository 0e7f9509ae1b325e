#pragma once

#include <QFrame>

#include "app/trial/model/trial.h"

class QLabel;
class QPlainTextEdit;
class QStackedWidget;

namespace trainyard {

class AnswerTableView;
class ElidedLabel;

/// What one model makes of the text: its continuation while it grows, its answers, or why there are none.
class AnswerView : public QFrame {
    Q_OBJECT

public:
    /// `name`: for screen readers, of the answer.
    explicit AnswerView(const QString& name, QWidget* parent = nullptr);

    void setStatus(const TrialStatus& status);

protected:
    void changeEvent(QEvent* event) override;

private:
    void showNote(const QString& note);
    void showError(const Error& error);
    void showText(const TrialStatus& status);
    void append(const QString& text, bool isGiven);

    TrialStatus m_shown;
    QString m_givenText;      ///< in the text view, before the continuation
    qsizetype m_appended = 0; ///< characters of the continuation in the text view
    ElidedLabel* m_model;
    ElidedLabel* m_state;
    QLabel* m_remark;
    QStackedWidget* m_pages;
    QLabel* m_note;
    QPlainTextEdit* m_text;
    AnswerTableView* m_answers;
};

} // namespace trainyard
