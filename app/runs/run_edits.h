#pragma once

#include <functional>

#include <QObject>
#include <QPointer>
#include <QStringList>
#include <QUndoStack>

#include "engine/base/result.h"

namespace trainyard {

class RunDatabase;

/// What the user keeps with runs (tags, notes, archive), changed so that it can be undone. GUI thread.
class RunEdits : public QObject {
    Q_OBJECT

public:
    /// The library must outlive the edits.
    explicit RunEdits(RunDatabase& library, QObject* parent = nullptr);

    /// Where edits are kept from now on while it lives, so that they are undone among others.
    void useStack(QUndoStack& stack) { m_shared = &stack; }
    QUndoStack& stack() { return m_shared ? *m_shared : m_own; }
    RunDatabase& library() { return m_library; }

    void setTags(const QString& runId, const QStringList& tags);
    /// Notes of one run that follow each other are undone at once.
    void setNotes(const QString& runId, const QString& notes);
    void setArchived(const QString& runId, bool archived);

signals:
    /// It could not be written: the history is as before.
    void failed(const trainyard::Error& error);

private:
    void tell(const Status& written);

    RunDatabase& m_library;
    QUndoStack m_own;
    QPointer<QUndoStack> m_shared;
};

} // namespace trainyard
