#pragma once

#include <cstdint>
#include <filesystem>

namespace trainyard::agent {

/// The batch step of a Slurm job: checks that every node sees the run's directory, starts the attempt of the
/// job, and supervises it to its end. Slurm's warning and everything else that ends the job arrive as SIGTERM
/// and become a checkpoint and a stop. `firstAttempt` is the submitted attempt. Must be the only code of its
/// process; returns its exit status. Prints failures before the supervisor exists as "error: ...".
int runBatchStep(const std::filesystem::path& runFolder, std::uint32_t firstAttempt);

} // namespace trainyard::agent
