#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/spec/run_spec.h"
#include "remote/agent/runs/run_folder.h"

namespace trainyard::agent {

/// The name of the job that begins with this attempt: by it a job is found whose id got lost.
std::string jobName(const RunFolder& folder, std::uint32_t attempt);

/// The script of every batch job: it starts what its arguments say. All that differs between jobs is in
/// those.
std::string_view batchScript();

/// sbatch with everything that the specification asks for, the script and its arguments: `agent` supervises
/// the run inside the job. No shell reads any of it.
std::vector<std::string> sbatchCommand(const RunFolder& folder, std::uint32_t attempt, const RunSpec& spec,
                                       const std::filesystem::path& script,
                                       const std::filesystem::path& agent);

} // namespace trainyard::agent
