#pragma once

#include <c10/util/Exception.h>
#include <cuda_runtime_api.h>

#define C10_CUDA_CHECK(call)                                                                                 \
    do {                                                                                                     \
        const cudaError_t cudaError = (call);                                                                \
        TORCH_CHECK(cudaError == cudaSuccess, #call, ": ", cudaGetErrorString(cudaError));                   \
    } while (false)
