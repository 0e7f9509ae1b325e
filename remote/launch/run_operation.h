#pragma once

#include <QObject>
#include <QString>

#include "engine/base/result.h"

namespace trainyard {

/// Something that RunService does for the user on one or several hosts: launching, stopping. It reports while
/// it works, finishes exactly once, and then deletes itself.
class RunOperation : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    QString runId() const { return m_runId; }
    /// finished() follows with Cancelled, when what is on the hosts has been taken back; no effect when it is
    /// too late.
    virtual void cancel() = 0;

signals:
    /// One sentence for the page where the user acted, and how far it is: 0..1, negative = unknown.
    void progress(const QString& text, double fraction);
    /// What the user should know and what stops nothing.
    void noticed(const QString& text);
    /// The run's id, or why not.
    void finished(const trainyard::Result<QString>& result);

protected:
    QString m_runId;
};

} // namespace trainyard
