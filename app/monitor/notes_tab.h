#pragma once

#include <QTimer>
#include <QWidget>

class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QStringListModel;

namespace trainyard {

class RunEdits;

/// The user's tags and notes of a run; saved to the history while typing, undone with the other edits.
class NotesTab : public QWidget {
    Q_OBJECT

public:
    /// The edits must outlive the tab.
    explicit NotesTab(RunEdits& edits, QWidget* parent = nullptr);
    ~NotesTab() override;

    void setRun(const QString& runId);

private:
    void completeTags();
    void read();
    void save();

    RunEdits& m_edits;
    QString m_runId;
    QLineEdit* m_tags;
    QStringListModel* m_knownTags; ///< each with the tags typed before it
    QPlainTextEdit* m_notes;
    QLabel* m_problem;
    QTimer m_due;
    bool m_saving = false;
};

} // namespace trainyard
