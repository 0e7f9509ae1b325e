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

/// Decides which hosts take part in a run's attempts: which can run ranks, whether an elastic run continues
/// without the others, and when they rejoin. Writes its findings to the run's log. Owned by the supervisor,
/// which reaps the children and starts and ends the attempts.
class Membership {
public:
    /// `folder` and `work` of the run; `first` = its first attempt here. `log` outlives this object.
    Membership(const RunFolder& folder, const RunWork& work, const LaunchRequest& first, RunLog& log);

    /// Probes all hosts but the head. Call it between two attempts, then hasAnswers() until it returns true,
    /// then fit(); again while fit() lacks hosts.
    void ask(const LaunchRequest& last);
    bool hasAnswers() { return m_probe.isOver(); }
    /// Returns `next` as it should be started: in an elastic run, without the hosts that cannot run ranks.
    /// Unreachable when it needs one of them.
    Result<LaunchRequest> fit(const LaunchRequest& next);

    /// Pauses returned hosts that are absent again.
    void attemptBegins(const LaunchRequest& attempt);
    /// Call regularly during an attempt: returns true once, when the attempt should end so that the next one
    /// can include returned hosts.
    bool shouldEnd();
    /// Names the hosts for which the attempt ended, in a sentence; empty = none.
    std::string returned() const;
    /// Reports that the attempt could not end for them, and continues the search.
    void postpone(const Error& reason);
    /// Call it after a failed attempt: pauses the hosts that caused it, and lets the run restart without
    /// them, whatever the kind of failure.
    void judge(Verdict& verdict, bool finishedAStep);
    /// Returns true when the failed attempt lacked a part of its checkpoint that absent hosts may have: the
    /// next attempt needs them, also in an elastic run.
    bool needsAbsentHosts() const { return m_needsAllHosts; }

    /// A child of the supervisor ended.
    void childEnded(pid_t child, int waitStatus) { m_probe.childEnded(child, waitStatus); }

private:
    void probe(const LaunchRequest& request, const std::vector<std::string>& hosts);
    void reportTroubles();
    void handleAnswers();
    void askForCheckpoint();
    bool broughtACheckpoint() const;
    std::vector<std::string> suspects(const Verdict& verdict, bool finishedAStep) const;
    void pauseHosts(const std::vector<std::string>& hosts, const std::string& reason);
    bool canContinueWithout(const std::vector<std::string>& hosts) const;
    void report(Severity severity, const std::string& kind, const std::string& message) const;

    RunFolder m_folder;
    const RunWork m_work;
    RunLog* m_log;
    NodeProbe m_probe;
    HostPauses m_pauses;
    WorldGrowth m_growth;
    LaunchRequest m_attempt;             ///< current or last one
    std::vector<std::string> m_rejoined; ///< hosts that rejoined with it
    std::int64_t m_checkpointAtStart = 0;
    std::string m_reportedTroubles;
    bool m_needsAllHosts = false;
    std::vector<std::string> m_returned; ///< hosts for which the attempt ended
};

} // namespace trainyard::agent
