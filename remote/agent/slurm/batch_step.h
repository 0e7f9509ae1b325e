#pragma once

#include <cstdint>
#include <filesystem>

namespace trainyard::agent {

/// The batch step of a job of Slurm's: checks that every node sees the run's directory, begins the attempt
/// that the job is in, and supervises it to its end. Slurm's warning and what else ends the job arrive as
/// SIGTERM and become a checkpoint and a stop. `firstAttempt` is the one that was submitted. Must be the only
/// code of its process; returns its exit status. What fails before there is a supervisor is printed as
/// "error: ...".
int runBatchStep(const std::filesystem::path& runFolder, std::uint32_t firstAttempt);

} // namespace trainyard::agent
