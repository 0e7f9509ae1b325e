#pragma once

#include <memory>

#include <QObject>
#include <QString>

#include "app/data/model/prepare_options.h"
#include "app/data/model/spread_preparation.h"
#include "app/hosts/model/host_job.h"

namespace trainyard {

/// Prepares one data set on a host, or on several that share the reading: launches the job there, follows its
/// records, stops it. One job at a time. Closing the window leaves the job of one host running there, and
/// pickUp() finds it again. GUI thread.
class PrepareJob : public QObject {
    Q_OBJECT
public:
    enum class State { Idle, Starting, Running, Stopping };

    explicit PrepareJob(RunService& runs, QObject* parent = nullptr);
    ~PrepareJob() override;

    State state() const { return m_state; }
    const PrepareOptions& options() const { return m_options; }
    const StageProgress& progress() const { return m_progress; }
    /// Ends without this desk, before the data set is made.
    bool needsDesk() const { return m_spread != nullptr; }

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
    void begin(const PrepareOptions& options);
    HostJob& makeJob();
    SpreadPreparation& makeSpread();
    template <typename Job>
    void connectJob(Job& job);
    void finish(const Status& status);

    RunService& m_runs;
    State m_state = State::Idle;
    PrepareOptions m_options;
    StageProgress m_progress;
    std::unique_ptr<HostJob> m_job;              ///< unless Idle: this one
    std::unique_ptr<SpreadPreparation> m_spread; ///< or this one
};

} // namespace trainyard
