#pragma once

#include <QObject>
#include <QString>

#include "engine/base/result.h"

namespace trainyard {

/// A user's action on one or several hosts by RunService, such as a launch or a stop. Reports its progress,
/// finishes exactly once, and then deletes itself.
class RunOperation : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    QString runId() const { return m_runId; }
    /// finished() follows with Cancelled when the changes on the hosts have been rolled back; no effect when
    /// it is too late.
    virtual void cancel() = 0;

signals:
    /// One sentence for the page where the user acted, and the progress: 0..1, negative = unknown.
    void progress(const QString& text, double fraction);
    /// A message for the user that does not stop the operation.
    void noticed(const QString& text);
    /// The run's id, or the error.
    void finished(const trainyard::Result<QString>& result);

protected:
    QString m_runId;
};

} // namespace trainyard
