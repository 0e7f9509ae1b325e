#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace trainyard {

/// A GPU of this host that the process may open.
struct HostDevice {
    std::string identity; ///< the same in every process of the host: its UUID, else its place on the bus
};

/// Returns the GPUs that the process may open, in the order of the PCI bus, which is CUDA's where they are
/// alike. Reads the driver's files below `root` (/dev/nvidia<n>, /proc/driver/nvidia/gpus) without opening a
/// device, so that CUDA does not start. A device file counts only where permissions and the control group of
/// the process allow to use it.
std::vector<HostDevice> hostDevices(const std::filesystem::path& root = "/");

/// A device that a rank may use.
struct OfferedDevice {
    std::string name;     ///< as CUDA_VISIBLE_DEVICES names it
    std::string identity; ///< of the hardware, or of the part of it that a name "MIG-..." means

    bool operator==(const OfferedDevice&) const = default;
};

/// Returns the devices that CUDA would show to a process: what CUDA_VISIBLE_DEVICES (`visible`, null where it
/// is not set) names, up to the first entry that CUDA does not take, or all of the host's. An index beyond
/// those of the host is such an entry; where the driver's files are missing it names a device.
std::vector<OfferedDevice> visibleDevices(const char* visible, const std::vector<HostDevice>& host);

} // namespace trainyard
