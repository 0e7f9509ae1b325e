#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/records/record.h"
#include "remote/agent/runs/run_folder.h"
#include "remote/agent/runs/run_work.h"
#include "remote/agent/supervise/launch_request.h"
#include "remote/agent/supervise/restart_policy.h"

namespace trainyard::agent {

/// How the job's first process ended, and the circumstances.
struct JobEnd {
    int waitStatus = 0; ///< of waitpid
    bool throughMpi = false;
    bool stopAsked = false;
    bool terminated = false; ///< it did not end by itself within the grace period
    std::int64_t step = 0;
    std::optional<EventRecord> lastError; ///< from the job's own stream
    bool outOfMemory = false;   ///< the kernel killed processes of this host for lack of memory meanwhile
    std::string fenced{};       ///< by a newer attempt, as a sentence; empty = not fenced
    std::string stopCause{};    ///< returned by the termination handler; empty = it was not called
    bool finishedAStep = false; ///< in this attempt
    bool isRestart = false;     ///< the hosts were reached in an earlier attempt
    std::string givenUp{};      ///< why the supervisor ended it as hanging; empty = it did not
    std::string endedEarly{};   ///< why it finished before its last step; empty = it did not
};

struct Verdict {
    RunState state = RunState::Failed;
    std::string reason;              ///< one sentence; empty when all steps are done
    std::vector<EventRecord> events; ///< further facts for the user
    FailureKind failure = FailureKind::Work;
    std::string host{};      ///< of the rank that failed, as the request names it; empty = unknown
    bool lacksHosts = false; ///< its checkpoint has parts on hosts that took no part in the attempt
};

/// Returns the sizes of the ranks' logs when an attempt starts, so that older output is not taken for new.
std::vector<std::uint64_t> rankLogSizes(const RunFolder& folder, int ranks);

/// Derives the cause from the exit status, mpirun's messages, the ranks' logs and the rank rings. Names host
/// and rank where they are known.
Verdict judge(const RunFolder& folder, const RunWork& work, const LaunchRequest& request, const JobEnd& end,
              const std::vector<std::uint64_t>& logSizesBefore);

} // namespace trainyard::agent
