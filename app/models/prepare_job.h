#pragma once

#include <memory>

#include <QObject>
#include <QPointer>
#include <QString>

#include "app/models/prepare_options.h"
#include "app/models/stage_progress.h"
#include "remote/launch/run_service.h"
#include "remote/stream/run_follower.h"

namespace trainyard {

/// Prepares one data set on a host: launches the job there, follows its records, stops it. One job at a time.
/// Closing the window leaves the job running on its host; pickUp() finds it again. GUI thread.
class PrepareJob : public QObject {
    Q_OBJECT
public:
    enum class State { Idle, Starting, Running, Stopping };

    explicit PrepareJob(RunService& runs, QObject* parent = nullptr);
    ~PrepareJob() override;

    State state() const { return m_state; }
    const PrepareOptions& options() const { return m_options; }
    const StageProgress& progress() const { return m_progress; }

    /// Requires Idle and valid options.
    void start(const PrepareOptions& options);
    /// Follows a job that this desk has launched; no effect unless Idle, nor for a job that says more than
    /// PrepareOptions can.
    void follow(const QString& runId);
    /// Follows the newest job that was at work when this desk last looked; no effect when there is none.
    void pickUp();
    /// finished() follows with Cancelled once nothing of the job is left on the host. When the host cannot be
    /// reached, noticed() says so and the job is Running again.
    void cancel();

signals:
    void stateChanged(trainyard::PrepareJob::State state);
    /// While Starting: what is done to get the job there.
    void startProgress(const QString& text, double fraction);
    void progressed();
    /// A warning of the job itself: a page that could not be read, ...
    void noticed(const QString& text);
    /// While Running: the job goes on, seen or unseen.
    void linkChanged(trainyard::LinkState state);
    /// The options of the data set that is there now, or why there is none.
    void finished(const trainyard::Result<trainyard::PrepareOptions>& result);

private:
    void setState(State state);
    void onLaunched(const Result<QString>& run);
    void begin(const PrepareOptions& options);
    void watch(const QString& runId);
    void onStopped(const Result<QString>& result);
    void onRecords(const QString& stream, const std::vector<Record>& records);
    void onRunState(const StateRecord& record);
    void finish(const Result<PrepareOptions>& result);

    RunService& m_runs;
    State m_state = State::Idle;
    PrepareOptions m_options;
    StageProgress m_progress;
    QString m_run;
    QString m_lastError; ///< of the job's own events
    QPointer<RunOperation> m_launch;
    std::unique_ptr<RunFollower> m_follower;
};

} // namespace trainyard
