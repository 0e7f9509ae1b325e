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

/// Prepares one data set on a host: launches the job there, follows its records, stops it. One job at a time;
/// closing the window leaves the job running on its host. GUI thread.
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
    /// finished() follows with Cancelled once nothing of the job is left on the host.
    void cancel();

signals:
    void stateChanged(trainyard::PrepareJob::State state);
    /// While Starting: what is done to get the job there.
    void startProgress(const QString& text, double fraction);
    void progressed();
    /// A warning of the job itself: a page that could not be read, ...
    void noticed(const QString& text);
    /// The options of the data set that is there now, or why there is none.
    void finished(const trainyard::Result<trainyard::PrepareOptions>& result);

private:
    void setState(State state);
    void onLaunched(const Result<QString>& run);
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
