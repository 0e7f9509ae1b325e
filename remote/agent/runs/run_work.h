#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/spec/run_spec.h"
#include "remote/agent/runs/run_folder.h"

namespace trainyard::agent {

enum class WorkKind {
    Train,
    Prepare,
    Probe ///< of hosts: ranks measure what a plan has to know, on every slot of the specification
};
std::string_view nameOf(WorkKind kind); ///< "train", "prepare", "probe"
std::optional<WorkKind> workKindFrom(std::string_view name);

/// The file that describes a run of that kind: spec.json, job.json, probe.json.
std::filesystem::path workFile(const RunFolder& folder, WorkKind kind);
/// Returns the kind by the file that exists.
WorkKind kindOf(const RunFolder& folder);
/// The stream that the run's own program writes.
std::string_view streamOf(WorkKind kind);

/// The task of a run, read from its file.
struct RunWork {
    WorkKind kind = WorkKind::Train;
    std::string name;
    int ranks = 1;
    int threadsPerRank = 1;
    std::int64_t steps = 0; ///< 0 = not counted in steps
    std::chrono::milliseconds gracePeriod{15000};
    /// Of trainyard-prepare: "prepare", "documents" or "verify"; of trainyard-worker: "eval", "export" or
    /// "try".
    std::string command = "prepare";
    std::vector<std::string> arguments{}; ///< of that command
    RestartSpec restart{.limit = 0};      ///< only training goes on from where it was
    MpiSource mpi = MpiSource::Bundled;
    DeviceKind device = DeviceKind::Auto;
    /// Attempts begin when nobody else uses what their ranks need: training and probes, not jobs of one process.
    bool waitForDevices = false;

    /// The program that does it: "trainyard-worker" or "trainyard-prepare".
    std::string program() const;
};

/// BadInput naming everything that is wrong.
Result<RunWork> parseTraining(std::string_view specText);
Result<RunWork> parsePreparation(std::string_view jobText);
Result<RunWork> parseProbe(std::string_view specText);
Result<RunWork> parseWork(WorkKind kind, std::string_view text);

/// BadInput when the directory has no such file or it is not well-formed.
Result<RunWork> loadWork(const RunFolder& folder);

} // namespace trainyard::agent
