#pragma once

#include <c10/util/Exception.h>

#include "tests/device/kernels/cuda_on_host/block_executor.h"

#define C10_CUDA_CHECK(call)                                                                                 \
    TORCH_CHECK((call) == cudaSuccess, #call, ": ", ::trainyard::on_host::BlockExecutor::instance().fault())
