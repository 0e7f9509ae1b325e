#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <QObject>
#include <QPointer>
#include <QString>

#include "app/hosts/model/stage_progress.h"
#include "remote/launch/run_service.h"
#include "remote/stream/run_follower.h"

namespace trainyard {

/// One job on a host, of `trainyard-prepare` or probes that begin there: launches it, or follows one that is
/// at work there, hands on what it records, and ends it when asked. Destroying this object leaves the job to
/// its host. GUI thread.
class HostJob : public QObject {
    Q_OBJECT
public:
    HostJob(RunService& runs, QString host, QObject* parent = nullptr);
    ~HostJob() override;

    /// launch(), launchProbe() or follow(), once.
    void launch(const DataJob& job);
    /// Of all hosts of the specification; this one is the first of them.
    void launchProbe(const RunSpec& spec);
    void follow(const QString& runId);
    /// finished() follows with Cancelled once nothing of the job is left on the host. When the host cannot be
    /// reached, stopFailed() says so and the job goes on.
    void cancel(const StopOptions& options = {});

    QString host() const { return m_host; }
    /// Empty until the job is at work on its host.
    QString runId() const { return m_run; }
    const StageProgress& progress() const { return m_progress; }

signals:
    /// What is done to get the job there; 0..1, negative = unknown.
    void startProgress(const QString& text, double fraction);
    void launched();
    void progressed();
    /// A warning of the job itself: a page that could not be read, ...
    void noticed(const QString& text);
    /// The job goes on, seen or unseen.
    void linkChanged(trainyard::LinkState link);
    void stopFailed(const trainyard::Error& error);
    /// Exactly once.
    void finished(const trainyard::Status& status);

private:
    void await(RunOperation* launch);
    void onLaunched(const Result<QString>& run);
    void onRecords(const std::vector<Record>& records);
    void onEvent(const EventRecord& event);
    void onEnd(const StateRecord& record);
    void onAllRecordsHere();
    void onStopped(const Result<QString>& result);
    void finish(const Status& status);

    RunService& m_runs;
    QString m_host;
    QString m_run;
    StageProgress m_progress;
    QString m_lastError; ///< of the job's own events
    QPointer<RunOperation> m_launch;
    std::unique_ptr<RunFollower> m_follower;
    std::optional<StopOptions> m_cancelled;
    bool m_isDone = false; ///< by the supervisor's word
    bool m_ended = false;
};

} // namespace trainyard
