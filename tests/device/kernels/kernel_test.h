#pragma once

#include <QTest>

#include "tests/device/kernels/cuda_on_host/block_executor.h"
#include "tests/device/kernels/device_array.h"

/// Ends the test function when a launch fails, and says what the kernel did.
#define LAUNCHES(launch)                                                                                     \
    do {                                                                                                     \
        const cudaError_t launched = (launch);                                                               \
        QVERIFY2(launched == cudaSuccess, trainyard::on_host::BlockExecutor::instance().fault().c_str());    \
    } while (false)
