#pragma once

#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/device/host_devices.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

class ProcessGroup;

/// The devices available to one rank. Found without starting CUDA: the processes of a host must not hold each
/// other's devices.
struct DeviceOffer {
    std::string host; ///< as it calls itself
    std::vector<OfferedDevice> devices;
    bool hasPlugin = true; ///< libtrainyard_cuda.so exists
};

/// What each rank computes on.
struct DeviceAssignment {
    std::vector<OfferedDevice> devices{}; ///< of each rank, in order; empty = all compute on the processor
    std::string whyProcessor{};           ///< why there is none although launch.device is "auto"
    bool isLoss = false;                  ///< then: some rank sees a device that will be idle
};

/// Gives each rank a device of its own. Ranks of a host that see the same list take its devices in order,
/// rank number k the k-th; where the lists differ, as with one visible device per task, each takes the first
/// of its own that no other one needs. A device that a list names n times may serve n ranks. When `kind` is
/// Cuda and a rank gets none, Refused naming host, rank and what to do; when it is Auto, all compute on the
/// processor: one rank there would hold up the others at every step.
Result<DeviceAssignment> assignDevices(DeviceKind kind, const std::vector<DeviceOffer>& offers);

/// The same, agreed between all ranks of `world`. All of them call it and get the same result.
Result<DeviceAssignment> agreeOnDevices(DeviceKind kind, ProcessGroup& world);

/// The part of it for this rank: the name of its device, or empty for the processor.
Result<std::string> chooseDevice(DeviceKind kind, ProcessGroup& world);

} // namespace trainyard
