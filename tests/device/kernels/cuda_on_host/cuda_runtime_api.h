#pragma once

// In front of the toolkit's folder in the include path, so that our kernels find this one.
#include "tests/device/kernels/cuda_on_host/cuda_on_host.h"
