#pragma once

#include <vector>

#include <QFrame>

#include "app/data/model/sample_rows.h"

class QLabel;
class QPushButton;
class QTextEdit;

namespace trainyard {

class StateChip;

/// Shows training rows as the words they were made of, one row at a time: masked words with what the model
/// sees and what it shall predict, the two segments tinted, and whether B follows A.
class SampleBrowser : public QFrame {
    Q_OBJECT
public:
    explicit SampleBrowser(QWidget* parent = nullptr);

    void setSamples(std::vector<SampleRow> samples);
    /// What the second part of a pair is, as the manifest says: "random", "swap", "none".
    void setNextSentence(const QString& nextSentence);
    /// Instead of samples: why there are none (yet).
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
