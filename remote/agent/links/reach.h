#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace trainyard::agent {

/// Whether mpirun on this host could start a rank on another host.
struct Reach {
    std::string host;
    std::string error;     ///< error output of ssh; empty = a command ran there
    std::string orted;     ///< where the shell that ssh starts finds OpenMPI's daemon; empty = nowhere
    std::size_t noise = 0; ///< bytes that the shell's start-up files print
};

/// Logs in to every host as mpirun will (launch_request.h), without prompts, at most sixteen at a time and
/// for at most `patience` each. Returns the results in order. BadInput for a name that ssh could take for an
/// option. `knownHosts` as for knownHostsOption(); empty = the hosts known to this machine.
Result<std::vector<Reach>> reachAll(const std::vector<std::string>& hosts, std::chrono::milliseconds patience,
                                    const std::string& knownHosts = {});

} // namespace trainyard::agent
