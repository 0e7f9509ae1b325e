#pragma once

#include <cuda_runtime_api.h>

// In the place of LibTorch's header, as cuda_runtime_api.h is in that of the toolkit's.

namespace c10::cuda {

/// Launches on the host need none.
inline cudaStream_t getCurrentCUDAStream()
{
    return nullptr;
}

} // namespace c10::cuda
