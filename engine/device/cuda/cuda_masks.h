#pragma once

namespace trainyard {

class DropoutMasks;

/// Kernels on the current stream; never destroyed.
const DropoutMasks* cudaMasks();

} // namespace trainyard
