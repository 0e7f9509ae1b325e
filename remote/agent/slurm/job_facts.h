#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace trainyard::agent {

/// Slurm's description of one job.
struct JobFacts {
    std::string id;
    std::string state;  ///< Slurm's word: "PENDING", "NODE_FAIL"
    std::string reason; ///< why it waits or failed, Slurm's word; empty = none
    std::string
        start; ///< "2026-11-22T04:30:18", the cluster's time; of a waiting job estimated; empty = unknown
    std::string end;       ///< as `start`: when its time limit is over
    std::string batchHost; ///< first node; empty before the start
    std::string nodes;     ///< "node[2-3]"; empty before the start
    std::string folder;    ///< in which it works; empty = not told
    int restarts = 0;      ///< how often it was requeued
    bool isHeld = false;   ///< it waits until somebody releases it
    int exitStatus = 0;
    int exitSignal = 0; ///< Slurm's own codes lie above the signals: 53 = it could not open the job's files
};

enum class JobPhase {
    Waiting, ///< for its start, also once more after a requeue
    AtWork,  ///< from its start until every node has cleared up
    Ended,
};

/// Parses `scontrol show job --oneliner`. Returns nullopt when it describes no job with a state.
std::optional<JobFacts> parseJob(std::string_view text);
/// Counts an unknown state as AtWork, so that it is polled again.
JobPhase phaseOf(const JobFacts& job);
/// True from its start until it ends or is ended, also in the moment in which Slurm sends it a signal.
bool isRunning(const JobFacts& job);

/// Returns "queued as Slurm job 17: Priority (other jobs have a higher priority), expected to start at
/// 2026-11-22 04:30:18"; for a held job also how to release it.
std::string queueText(const JobFacts& job);

/// Returns the job id from the output of `sbatch --parsable` ("17" or "17;cluster", among warnings); empty =
/// none.
std::string parseSubmission(std::string_view text);
/// Returns the most specific message after "error: " in the output of Slurm's commands, on one line of at
/// most 500 bytes.
std::string errorOf(std::string_view output);

/// Returns the value of " Name=value" in a line of scontrol's; empty when it is missing or "(null)".
std::string_view fieldOf(std::string_view line, std::string_view name);

} // namespace trainyard::agent
