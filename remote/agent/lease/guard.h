#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace trainyard::agent {

struct GuardOptions {
    std::string run;
    std::uint32_t attempt = 1;
    std::filesystem::path session{}; ///< OpenMPI's folder (mpi_sessions.h); empty = it makes its own
    std::chrono::milliseconds lease{50'000};
};

/// `trainyard-agent guard`: runs a node's MPI daemon and holds the node's lease. Whatever comes on stdin from
/// the head renews it (see renewal.h). When the lease is over or stdin ends, because the head, mpirun or the
/// link is gone, it ends the daemon and every rank below it: no rank works on behind a cut. Ends first what
/// earlier attempts of the run left here, and removes OpenMPI's files of this one in the end. Starts nothing
/// where OpenMPI's folder cannot be made. The daemon's exit status, or 1. The only code of its process.
int runGuard(const GuardOptions& options, const std::vector<std::string>& command);

} // namespace trainyard::agent
