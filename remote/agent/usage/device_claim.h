#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/lock_file.h"
#include "engine/base/process.h"
#include "engine/base/result.h"
#include "remote/agent/sampler/nvidia_smi.h"
#include "remote/agent/usage/device_need.h"
#include "remote/agent/usage/machine_usage.h"

namespace trainyard::agent {

/// The devices of this node that an attempt takes, by uuid in the order of its ranks here.
struct DeviceChoice {
    std::vector<std::string> devices; ///< empty = nothing to choose
    bool isUsual = true;              ///< the first ones, which ranks take by themselves
};

/// Chooses a device for each rank, among those that the need names or all, and instances of GPUs that are cut
/// into such: the first ones where they are free or too few are, otherwise free ones. Nothing when nobody
/// asks for certain devices and there are fewer than ranks: the ranks report that better. Refused when there
/// are fewer of the named ones.
Result<DeviceChoice> chooseDevices(const DeviceNeed& need, const std::vector<GpuFacts>& gpus,
                                   const std::vector<DeviceUser>& users);

/// Keeps two runs of one user that start at the same time on one node apart: chooses under a lock, which
/// lasts as long as this object, and marks the processes that get environment() with the choice, so that the
/// next run sees it at once.
class DeviceClaim {
public:
    /// `root`: of the agent; `run`: its own processes do not count. Without named devices it chooses nothing
    /// where this process's CUDA_VISIBLE_DEVICES names some. Without nvidia-smi the first named ones are
    /// taken as they are. Waits at most 10 s for the lock.
    static Result<DeviceClaim> take(const std::filesystem::path& root, const std::string& run,
                                    const DeviceNeed& need);

    /// Variables for the ranks: TRAINYARD_DEVICES and, unless the choice is the usual one,
    /// CUDA_VISIBLE_DEVICES.
    Environment environment() const;

private:
    DeviceChoice m_choice;
    std::optional<LockFile> m_lock;
};

} // namespace trainyard::agent
