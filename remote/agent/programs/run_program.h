#pragma once

#include <string>
#include <vector>

namespace trainyard::agent {

/// `trainyard-agent exec NAME ARGUMENT...`: becomes the program of the bundle that this agent belongs to, run
/// by the bundle's own loader, C library and MPI (engine_runtime.h); process id, open files and environment
/// remain. mpirun, its daemons and the ranks are started by it on every node, whatever C library the node
/// has. Returns only when that fails, with the exit status 127 of a command that was not found.
int runEngineProgram(const std::vector<std::string>& command);

} // namespace trainyard::agent
