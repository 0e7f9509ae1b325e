#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/lock_file.h"
#include "engine/base/process.h"
#include "remote/agent/sampler/nvidia_smi.h"
#include "remote/agent/usage/machine_usage.h"

namespace trainyard::agent {

/// The devices of this node that an attempt takes, by uuid in the order of its ranks here.
struct DeviceChoice {
    std::vector<std::string> devices; ///< empty = nothing to choose
    bool isUsual = true;              ///< the first ones, which ranks take by themselves
};

/// Chooses one device for each of `ranks`: the first ones where they are free or too few are, otherwise free
/// ones. Nothing when there are fewer devices than ranks, and when a device is cut into instances.
DeviceChoice chooseDevices(int ranks, const std::vector<GpuFacts>& gpus,
                           const std::vector<DeviceUser>& users);

/// Keeps two runs of one user that start at the same time on one node apart: chooses under a lock, which
/// lasts as long as this object, and marks the processes that get environment() with the choice, so that the
/// next run sees it at once.
class DeviceClaim {
public:
    /// `root`: of the agent; `run`: its own processes do not count. Chooses nothing where this process's
    /// CUDA_VISIBLE_DEVICES names devices, and waits at most 10 s for the lock.
    static DeviceClaim take(const std::filesystem::path& root, const std::string& run, int ranks);

    /// Variables for the ranks: TRAINYARD_DEVICES and, unless the choice is the usual one,
    /// CUDA_VISIBLE_DEVICES.
    Environment environment() const;

private:
    DeviceChoice m_choice;
    std::optional<LockFile> m_lock;
};

} // namespace trainyard::agent
