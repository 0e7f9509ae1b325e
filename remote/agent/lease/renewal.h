#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace trainyard::agent {

/// `trainyard-agent renew`: what mpirun starts on the head instead of ssh, once per node. Runs `command` (ssh
/// with its options, the host and what to run there) and sends it a word every so often, well within the
/// lease, as long as mpirun and the supervisor live; see guard.h. The exit status of the command. The only
/// code of its process.
int runRenewal(std::chrono::milliseconds lease, const std::vector<std::string>& command);

} // namespace trainyard::agent
