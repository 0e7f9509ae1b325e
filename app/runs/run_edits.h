#pragma once

#include <functional>

#include <QObject>
#include <QPointer>
#include <QStringList>
#include <QUndoStack>

#include "engine/base/result.h"

namespace trainyard {

class RunDatabase;

/// Undoable edits of tags, notes and archive state. GUI thread.
class RunEdits : public QObject {
    Q_OBJECT

public:
    /// The history must outlive the edits.
    explicit RunEdits(RunDatabase& history, QObject* parent = nullptr);

    /// Records edits on this stack while it exists, with the user's other edits.
    void useStack(QUndoStack& stack) { m_shared = &stack; }
    QUndoStack& stack() { return m_shared ? *m_shared : m_own; }
    RunDatabase& history() { return m_history; }

    void setTags(const QString& runId, const QStringList& tags);
    /// Sets the notes; successive edits of one run are one undo step.
    void setNotes(const QString& runId, const QString& notes);
    void setArchived(const QString& runId, bool archived);

signals:
    /// The edit could not be saved: the history is unchanged.
    void failed(const trainyard::Error& error);

private:
    void tell(const Status& written);

    RunDatabase& m_history;
    QUndoStack m_own;
    QPointer<QUndoStack> m_shared;
};

} // namespace trainyard
