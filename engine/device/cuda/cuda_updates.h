#pragma once

namespace trainyard {

class UpdateKernels;

/// Kernels on the current stream; never destroyed.
const UpdateKernels* cudaUpdates();

} // namespace trainyard
