#pragma once

#include <vector>

#include <QFrame>

#include "app/data/model/sample_rows.h"

class QLabel;
class QPushButton;
class QTextEdit;

namespace trainyard {

class StateChip;

/// Shows training rows as words, one row at a time: masked words with the model's input and the expected
/// prediction, the two segments tinted, and whether B follows A; of a task the class or number of the row,
/// the tags of its words, the answer or the completion.
class SampleBrowser : public QFrame {
    Q_OBJECT
public:
    explicit SampleBrowser(QWidget* parent = nullptr);

    void setSamples(std::vector<SampleRow> samples);
    /// Origin of segment B, as in the manifest: "random", "swap", "none".
    void setNextSentence(const QString& nextSentence);
    /// Shows `note` instead of samples, e.g. why they are missing.
    void setNote(const QString& note);

protected:
    void changeEvent(QEvent* event) override;

private:
    void step(int by);
    void showCurrent();

    std::vector<SampleRow> m_samples;
    int m_current = 0;
    QString m_note;
    QString m_nextSentence;
    QLabel* m_where;
    QLabel* m_label;
    QPushButton* m_previous;
    QPushButton* m_next;
    QTextEdit* m_text;
    QLabel* m_legend;
};

} // namespace trainyard
