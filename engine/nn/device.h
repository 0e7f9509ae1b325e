#pragma once

#include <c10/core/Device.h>

namespace trainyard {

class Compute;
class UpdateKernels;

const Compute& processorCompute();

/// Where a rank computes: the device of its weights, gradients, moments, activations and batches, and its
/// arithmetic. A plain value that is passed down; its pointers live as long as the process. Default: the
/// processor.
struct Device {
    c10::Device place{c10::DeviceType::CPU};
    const Compute* compute = &processorCompute();
    const UpdateKernels* updates = nullptr; ///< null: the processor's own (engine/optim/update_kernels.h)
};

} // namespace trainyard
