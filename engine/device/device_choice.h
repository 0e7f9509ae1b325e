#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

class ProcessGroup;

/// The devices available to one rank. Found without starting CUDA: the processes of a host must not hold each
/// other's devices.
struct DeviceOffer {
    std::string host;                 ///< as it calls itself
    std::vector<std::string> devices; ///< as CUDA_VISIBLE_DEVICES names them, all that the rank may use
    bool hasPlugin = true;            ///< libtrainyard_cuda.so exists
};

/// The devices that CUDA would show to a process: what CUDA_VISIBLE_DEVICES (`visible`, null where it is not
/// set) names, up to the first entry that CUDA does not take, or one for each file nvidia<n> in `devices`.
std::vector<std::string> visibleDevices(const char* visible, const std::filesystem::path& devices = "/dev");

/// The device of each rank, in order of rank: rank number k of those on a host takes the k-th device there.
/// Empty when all compute on the processor. Refused when `kind` is Cuda and there are not enough, naming
/// host, rank and what to do.
Result<std::vector<std::string>> assignDevices(DeviceKind kind, const std::vector<DeviceOffer>& offers);

/// The same for this rank, agreed with all others: its device, or empty for the processor. All ranks call it
/// and get the same error.
Result<std::string> chooseDevice(DeviceKind kind, ProcessGroup& world);

} // namespace trainyard
