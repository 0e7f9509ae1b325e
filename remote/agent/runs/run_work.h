#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/spec/run_spec.h"
#include "remote/agent/runs/run_folder.h"

namespace trainyard::agent {

enum class WorkKind { Train, Prepare };
std::string_view nameOf(WorkKind kind); ///< "train", "prepare"

/// What a run does, read from spec.json or job.json.
struct RunWork {
    WorkKind kind = WorkKind::Train;
    std::string name;
    int ranks = 1;
    int threadsPerRank = 1;
    std::int64_t steps = 0; ///< 0 = not counted in steps
    std::chrono::milliseconds gracePeriod{15000};
    std::string command = "prepare";      ///< of trainyard-prepare: "prepare", "documents" or "verify"
    std::vector<std::string> arguments{}; ///< of that command
    RestartSpec restart{.limit = 0};      ///< only training goes on from where it was
};

/// BadInput with everything that is wrong with it.
Result<RunWork> parseTraining(std::string_view specText);
Result<RunWork> parsePreparation(std::string_view jobText);

/// BadInput when the directory has neither file or it is not well-formed.
Result<RunWork> loadWork(const RunFolder& folder);

} // namespace trainyard::agent
