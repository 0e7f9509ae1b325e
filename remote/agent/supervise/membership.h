#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <sys/types.h>

#include "engine/base/result.h"
#include "remote/agent/runs/run_folder.h"
#include "remote/agent/runs/run_work.h"
#include "remote/agent/supervise/host_pauses.h"
#include "remote/agent/supervise/launch_request.h"
#include "remote/agent/supervise/node_probe.h"
#include "remote/agent/supervise/verdict.h"
#include "remote/agent/supervise/world_growth.h"

namespace trainyard::agent {

class RunLog;

/// Which hosts take part in a run's attempts, and when that is to change: which ones can carry ranks, whether
/// an elastic run goes on without the others, and when it takes them in again. Writes what it finds into the
/// run's log. The supervisor's: it reaps the children and starts and ends the attempts.
class Membership {
public:
    /// `folder` and `work` of the run; `first` = its first attempt here. `log` outlives this object.
    Membership(const RunFolder& folder, const RunWork& work, const LaunchRequest& first, RunLog& log);

    /// Between two attempts, as often as fit() needs more hosts: asks the hosts beside the head; then
    /// hasAnswers() until it says yes, then fit().
    void ask(const LaunchRequest& last);
    bool hasAnswers() { return m_probe.isOver(); }
    /// `next` as it is to be started: where the run is elastic, without the hosts that cannot carry ranks.
    /// Unreachable when it needs one of them.
    Result<LaunchRequest> fit(const LaunchRequest& next);

    /// Hosts that were to be taken in, but are away still, are left alone for a while.
    void attemptBegins(const LaunchRequest& attempt);
    /// While an attempt is at work, every now and then: true, once, when it is to end so that the next one
    /// takes hosts in again.
    bool isToMakeRoom();
    /// For whom it was to end, as a sentence; empty = for nobody.
    std::string returned() const;
    /// It cannot end for them now; they are looked for again.
    void putOff(const Error& reason);
    /// The attempt failed: hosts with which it came to nothing are left alone for a while, and the run may go
    /// on without them, whatever it was that failed there.
    void judge(Verdict& verdict, bool finishedAStep);

    /// A child of the supervisor ended.
    void childEnded(pid_t child, int waitStatus) { m_probe.childEnded(child, waitStatus); }

private:
    void probe(const LaunchRequest& request, const std::vector<std::string>& hosts);
    std::filesystem::path leaveMarkFor(const LaunchRequest& request) const;
    void tellTroubles();
    void heedAnswers();
    void askForCheckpoint();
    bool broughtACheckpoint() const;
    std::vector<std::string> suspects(const Verdict& verdict, bool finishedAStep) const;
    void leaveAlone(const std::vector<std::string>& hosts, const std::string& reason);
    bool canGoOnWithout(const std::vector<std::string>& hosts) const;
    void say(Severity severity, const std::string& kind, const std::string& message) const;

    RunFolder m_folder;
    const RunWork m_work;
    std::filesystem::path m_mark; ///< that the other hosts look for
    RunLog* m_log;
    NodeProbe m_probe;
    HostPauses m_pauses;
    WorldGrowth m_growth;
    LaunchRequest m_attempt;            ///< the one at work, or the last one
    std::vector<std::string> m_takenIn; ///< hosts that it takes in again
    std::int64_t m_checkpointAtStart = 0;
    std::string m_toldTroubles;
    std::vector<std::string> m_returned; ///< for whom the attempt was to end
};

} // namespace trainyard::agent
