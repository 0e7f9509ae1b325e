#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <QObject>
#include <QPointer>
#include <QString>

#include "app/hosts/model/stage_progress.h"
#include "remote/launch/run_service.h"
#include "remote/stream/run_follower.h"

namespace trainyard {

/// A job on a host: `trainyard-prepare`, or probes that start there. Launches it or follows a running one,
/// forwards its records and stops it on request. Destroying this object leaves the job running. GUI thread.
class RemoteJob : public QObject {
    Q_OBJECT
public:
    RemoteJob(RunService& runs, QString host, QObject* parent = nullptr);
    ~RemoteJob() override;

    /// Call one of launch(), launchProbe() and follow(), once.
    void launch(const DataJob& job);
    /// Probes all hosts of the specification; this host is its first one.
    void launchProbe(const RunSpec& spec);
    void follow(const QString& runId);
    /// finished() follows with Cancelled once the host is cleaned up. If the host cannot be reached, emits
    /// stopFailed() and the job continues.
    void cancel(const StopOptions& options = {});

    QString host() const { return m_host; }
    /// Empty until the job is running.
    QString runId() const { return m_run; }
    const StageProgress& progress() const { return m_progress; }

signals:
    /// Activity during the launch; 0..1, negative = unknown.
    void startProgress(const QString& text, double fraction);
    void launched();
    void progressed();
    /// A warning of the job itself, e.g. about an unreadable page.
    void noticed(const QString& text);
    /// The next part of an answer that the job gives while it works.
    void answered(const QString& text);
    /// The job continues with or without a connection.
    void linkChanged(trainyard::LinkState link);
    void stopFailed(const trainyard::Error& error);
    /// Emitted exactly once.
    void finished(const trainyard::Status& status);

private:
    void await(RunOperation* launch);
    void onLaunched(const Result<QString>& run);
    void onRecords(const std::vector<Record>& records, bool areSupervisors);
    void onEvent(const EventRecord& event, bool isSupervisors);
    void onEnd(const StateRecord& record);
    void onAllRecordsHere();
    void onStopped(const Result<QString>& result);
    void finish(const Status& status);

    RunService& m_runs;
    QString m_host;
    QString m_run;
    StageProgress m_progress;
    QString m_lastError; ///< from the job's own events
    QPointer<RunOperation> m_launch;
    std::unique_ptr<RunFollower> m_follower;
    std::optional<StopOptions> m_cancelled;
    bool m_isDone = false;                ///< reported by the supervisor
    std::optional<std::string> m_failure; ///< likewise, with its reason; the job's own may follow
    bool m_ended = false;
};

} // namespace trainyard
