#pragma once

#include <filesystem>

#include "engine/base/result.h"
#include "remote/agent/runs/run_folder.h"

namespace trainyard::agent {

/// `trainyard-agent check-node`: whether this node can carry ranks of a run, as far as that shows before they
/// start: the worker `program` is there, the run's folder takes files and, where `mark` is not empty, has
/// this file that the head left in its own, and MPI's daemon starts. Refused with what stands against it.
/// Takes a second, and ten at most.
Status checkNode(const RunFolder& folder, const std::filesystem::path& program,
                 const std::filesystem::path& mark);

} // namespace trainyard::agent
