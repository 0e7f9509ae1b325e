#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/spec/run_spec.h"
#include "remote/agent/runs/run_folder.h"

namespace trainyard::agent {

/// Returns the name of the job that begins with this attempt; it identifies a job whose id was lost.
std::string jobName(const RunFolder& folder, std::uint32_t attempt);

/// The script of every batch job: it runs its arguments, which hold everything that differs between jobs.
std::string_view batchScript();

/// Returns the sbatch command with all options of the specification, the script and its arguments: `agent`
/// supervises the run inside the job. `gpus`: it asks for one per slot. No shell interprets any of it.
std::vector<std::string> sbatchCommand(const RunFolder& folder, std::uint32_t attempt, const RunSpec& spec,
                                       const std::filesystem::path& script,
                                       const std::filesystem::path& agent, bool gpus);

} // namespace trainyard::agent
