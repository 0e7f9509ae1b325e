#pragma once

#include <QObject>
#include <QString>

#include "app/hosts/model/remote_job.h"
#include "engine/planner/calibration/probe.h"

namespace trainyard {

/// Measures a specification's hosts for planning by a job there; takes less than a minute, during which they
/// should be idle. Leaves no files on the hosts. GUI thread.
class HostProbes : public QObject {
    Q_OBJECT
public:
    HostProbes(RunService& runs, RunSpec spec, QObject* parent = nullptr);

    void start();
    /// finished() follows with Cancelled once the hosts are cleaned up.
    void cancel();

signals:
    /// Current activity; 0..1, negative = unknown.
    void progress(const QString& text, double fraction);
    /// Emitted exactly once.
    void finished(const trainyard::Result<trainyard::ProbeReport>& result);

private:
    QStringList hosts() const;
    void onProgressed();
    void onFinished(const Status& status);
    void clearUp(const Result<ProbeReport>& result);
    void answer(const Result<ProbeReport>& result);

    RunService& m_runs;
    RunSpec m_spec;
    RemoteJob m_job;
    bool m_answered = false;
};

} // namespace trainyard
