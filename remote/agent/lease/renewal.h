#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace trainyard::agent {

/// `trainyard-agent renew`: mpirun starts it on the head node in place of ssh, once per node. Runs `command`
/// (ssh with its options, the host and the remote command) and sends it a byte at intervals well within the
/// lease while mpirun and the supervisor live; see guard.h. Returns the exit status of the command. Must be
/// the only code of its process.
int runRenewal(std::chrono::milliseconds lease, const std::vector<std::string>& command);

} // namespace trainyard::agent
