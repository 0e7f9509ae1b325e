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

/// Decides which hosts take part in a run's attempts and when that changes: which can run ranks, whether an
/// elastic run continues without the others, and when they rejoin. Writes its findings to the run's log.
/// Owned by the supervisor, which reaps the children and starts and ends the attempts.
class Membership {
public:
    /// `folder` and `work` of the run; `first` = its first attempt here. `log` outlives this object.
    Membership(const RunFolder& folder, const RunWork& work, const LaunchRequest& first, RunLog& log);

    /// Between two attempts, whenever fit() needs more hosts: asks the hosts other than the head. Call
    /// hasAnswers() until it returns true, then fit().
    void ask(const LaunchRequest& last);
    bool hasAnswers() { return m_probe.isOver(); }
    /// Returns `next` as it should be started: where the run is elastic, without the hosts that cannot run
    /// ranks. Unreachable when it needs one of them.
    Result<LaunchRequest> fit(const LaunchRequest& next);

    /// Pauses returned hosts that are absent again.
    void attemptBegins(const LaunchRequest& attempt);
    /// Call regularly during an attempt: returns true once, when the attempt should end so that the next one
    /// can include returned hosts.
    bool isToMakeRoom();
    /// Names those hosts in a sentence; empty = none.
    std::string returned() const;
    /// The attempt cannot end for them now; the search continues.
    void putOff(const Error& reason);
    /// The attempt failed: pauses hosts that caused it, and lets the run continue without them, whatever
    /// failed there.
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
