#pragma once

#include <c10/core/Device.h>

namespace trainyard {

class DropoutMasks;
class UpdateKernels;

/// Where a rank computes: the device of its weights, gradients, moments, activations and batches, and the
/// kernels there that ATen lacks. A plain value that is passed down; its pointers live as long as the
/// process. Default: the processor.
struct Device {
    c10::Device place{c10::DeviceType::CPU};
    const DropoutMasks* masks = nullptr;    ///< null: the processor's own (engine/nn/dropout.h)
    const UpdateKernels* updates = nullptr; ///< null: the processor's own (engine/optim/update_kernels.h)

    bool fusesAttention = false; ///< attention that drops nothing is one kernel, which keeps no scores

    bool isProcessor() const { return place.is_cpu(); }
};

} // namespace trainyard
