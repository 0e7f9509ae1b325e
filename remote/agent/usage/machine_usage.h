#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "engine/base/units.h"
#include "remote/agent/sampler/nvidia_smi.h"
#include "remote/agent/usage/process_load.h"

namespace trainyard::agent {

/// A process that computes on a GPU.
struct DeviceUser {
    std::string device; ///< uuid
    pid_t pid = 0;
    std::string user;    ///< account; empty = unknown, as in a container that does not see the process
    std::string run;     ///< id, if it belongs to a run of our own user
    std::string program; ///< "python"
    Bytes memory = 0;    ///< of the GPU; 0 = unknown
};

/// What one user's processes, or one run of our own user, take of the processors and the main memory.
struct Occupant {
    std::string user;
    std::string run; ///< empty = none of our runs
    double cores = 0;
    Bytes memory = 0; ///< resident; pages shared by several processes count several times
};

struct MachineUsage {
    std::vector<DeviceUser> devices;
    std::vector<Occupant> occupants; ///< whoever takes a noticeable amount, most cores first
    /// Cores that others use of those that this process may use; in a container or a cpuset these are not
    /// all of the machine's, on which the occupants compute.
    double busyCores = 0;
};

/// Measures who uses this machine, between its construction and read(). Excludes this process, its parent
/// and kernel threads that idle. One thread.
class UsageMeter {
public:
    UsageMeter();
    /// Waits until the measurement has lasted long enough, 0.25 s. Runs nvidia-smi if there is one.
    /// `exceptRun`: the id of the run that asks; its own processes do not count.
    MachineUsage read(const std::string& exceptRun = {}) const;

private:
    std::chrono::steady_clock::time_point m_start;
    std::map<ProcessId, std::uint64_t> m_ticks; ///< of every process at the start
    std::uint64_t m_busy = 0;                   ///< ticks of all processors together
    std::optional<std::uint64_t> m_busyHere;    ///< of the processors that this process may use
};

/// Returns the processes that use GPUs, as far as nvidia-smi tells; `loads`: of processLoads().
std::vector<DeviceUser> deviceUsers(const std::vector<ProcessLoad>& loads, const std::string& exceptRun);

/// Returns who uses this GPU: "anna (python, 31.2 GiB)"; where no process is visible, how much of it is
/// used. Empty = it is free.
std::string userOf(const GpuFacts& gpu, const std::vector<DeviceUser>& users);

/// "anna (python, 31.2 GiB)", "your run 20261126T101010Z-bert-1f2e (40 GiB)".
std::string textOf(const DeviceUser& user);
/// "anna uses 12.5 cores", "your run … uses 8.0 cores".
std::string textOf(const Occupant& occupant);

} // namespace trainyard::agent
