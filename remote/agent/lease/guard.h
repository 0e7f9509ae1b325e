#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "remote/agent/usage/device_need.h"
#include "remote/wire/agent_folder.h"

namespace trainyard::agent {

struct GuardOptions {
    std::string run;
    std::uint32_t attempt = 1;
    std::filesystem::path session{}; ///< OpenMPI's folder (mpi_sessions.h); empty = it makes its own
    std::chrono::milliseconds lease{50'000};
    std::vector<DeviceNeed>
        devices{}; ///< of all nodes but the head, in their order; empty = nothing is taken
    std::filesystem::path root = agentFolder();
};

/// `trainyard-agent guard`: runs a node's MPI daemon and holds the node's lease. Bytes from the head node on
/// stdin renew the lease (renewal.h). When it expires or stdin ends (the head node, mpirun or the connection
/// is gone), it ends the daemon and every rank below it, so that no rank keeps working behind a broken link.
/// First ends processes of earlier attempts on this node and takes free GPUs for its ranks; finally removes
/// OpenMPI's files of this attempt. Starts nothing when OpenMPI's folder cannot be created or the ranks' GPUs
/// are not there. Returns the
/// daemon's exit status, or 1. Must be the only code of its process.
int runGuard(const GuardOptions& options, const std::vector<std::string>& command);

} // namespace trainyard::agent
