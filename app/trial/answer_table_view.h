#pragma once

#include <QList>
#include <QWidget>

#include "app/trial/model/answer_table_model.h"
#include "app/trial/model/trial_model.h"

class QLabel;
class QPlainTextEdit;

namespace trainyard {

class TableView;

/// Answers as a table, above it what they make of the text: the masks filled in, words and best answer
/// marked, or the value of a regression.
class AnswerTableView : public QWidget {
    Q_OBJECT

public:
    /// `name`: of the table for screen readers.
    explicit AnswerTableView(const QString& name, QWidget* parent = nullptr);

    void setAnswer(const TrialText& text, const TrialAnswer& answer);

protected:
    void changeEvent(QEvent* event) override;

private:
    void showMarked(const QString& text, const QList<TextMark>& marks);
    void showTable(const TrialAnswer& answer);
    void markParts();

    QLabel* m_filled;
    QLabel* m_value;
    QPlainTextEdit* m_marked;
    QList<TextMark> m_marks;
    AnswerTableModel m_answers;
    TableView* m_table;
};

} // namespace trainyard
