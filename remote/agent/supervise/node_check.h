#pragma once

#include <filesystem>

#include "engine/base/result.h"
#include "remote/agent/runs/run_folder.h"

namespace trainyard::agent {

/// `trainyard-agent check-node`: checks whether this node can run ranks, as far as that shows before they
/// start: the worker `program` exists, the run's folder is writable, and MPI's daemon starts: with `ownMpi` the
/// one of this agent's bundle, else the node's. Refused with the reason. Takes a second, at most ten.
Status checkNode(const RunFolder& folder, const std::filesystem::path& program, bool ownMpi = false);

} // namespace trainyard::agent
