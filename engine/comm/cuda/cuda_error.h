#pragma once

#include <string>

#include <cuda_runtime_api.h>
#include <nccl.h>

#include "engine/comm/work.h"

namespace trainyard {

/// Throws CommunicationError with what was tried and CUDA's text.
inline void requireCuda(cudaError_t status, const char* what)
{
    if (status != cudaSuccess)
        throw CommunicationError(std::string(what) + ": " + cudaGetErrorString(status));
}

/// Throws CommunicationError with what was tried and NCCL's text.
inline void requireNccl(ncclResult_t status, const char* what)
{
    if (status != ncclSuccess)
        throw CommunicationError(std::string(what) + ": " + ncclGetErrorString(status));
}

} // namespace trainyard
