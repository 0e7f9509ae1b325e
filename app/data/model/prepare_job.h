#pragma once

#include <memory>

#include <QObject>
#include <QString>

#include "app/data/model/multi_host_preparation.h"
#include "app/data/model/prepare_request.h"
#include "app/hosts/model/remote_job.h"

namespace trainyard {

/// Prepares a data set on a host, or on several that split the input: launches the job, follows its records,
/// stops it. One job at a time. A job on a single host continues when the window is closed, and pickUp()
/// finds it again. GUI thread.
class PrepareJob : public QObject {
    Q_OBJECT
public:
    enum class State { Idle, Starting, Running, Stopping };

    explicit PrepareJob(RunService& runs, QObject* parent = nullptr);
    ~PrepareJob() override;

    State state() const { return m_state; }
    const PrepareRequest& request() const { return m_request; }
    const StageProgress& progress() const { return m_progress; }
    /// True if the preparation stops when this program exits.
    bool needsDesk() const { return m_multiHost != nullptr; }

    /// Requires Idle and a valid request.
    void start(const PrepareRequest& request);
    /// Follows a job launched from here earlier; no effect unless Idle, or if its arguments do not fit
    /// PrepareRequest.
    void follow(const QString& runId);
    /// Follows the newest job that was running when last seen; no effect if there is none.
    void pickUp();
    /// finished() follows with Cancelled once the host is cleaned up. If the host cannot be reached, emits
    /// noticed() and the job is Running again.
    void cancel();

signals:
    void stateChanged(trainyard::PrepareJob::State state);
    /// Launch activity while Starting.
    void startProgress(const QString& text, double fraction);
    void progressed();
    /// A warning of the job itself, e.g. about an unreadable page.
    void noticed(const QString& text);
    /// Link state while Running; the job continues in any case.
    void linkChanged(trainyard::LinkState state);
    /// The request of the new data set, or the reason why there is none.
    void finished(const trainyard::Result<trainyard::PrepareRequest>& result);

private:
    void setState(State state);
    void begin(const PrepareRequest& request);
    RemoteJob& makeJob();
    MultiHostPreparation& makeMultiHost();
    template <typename Job>
    void connectJob(Job& job);
    void finish(const Status& status);

    RunService& m_runs;
    State m_state = State::Idle;
    PrepareRequest m_request;
    StageProgress m_progress;
    std::unique_ptr<RemoteJob> m_job;                  ///< used for one host; null when Idle
    std::unique_ptr<MultiHostPreparation> m_multiHost; ///< used for several hosts
};

} // namespace trainyard
