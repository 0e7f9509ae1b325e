#pragma once

#include <QTimer>
#include <QWidget>

class QLabel;
class QLineEdit;
class QPlainTextEdit;

namespace trainyard {

class RunLibrary;

/// Tags and notes that the user keeps with a run; written to the history while typing.
class NotesTab : public QWidget {
    Q_OBJECT

public:
    /// The library must outlive the tab.
    explicit NotesTab(RunLibrary& library, QWidget* parent = nullptr);
    ~NotesTab() override;

    void setRun(const QString& runId);

private:
    void save();

    RunLibrary& m_library;
    QString m_runId;
    QLineEdit* m_tags;
    QPlainTextEdit* m_notes;
    QLabel* m_problem;
    QTimer m_due;
};

} // namespace trainyard
