#pragma once

// Marks arithmetic that processors and devices share: nvcc compiles it for both.
#if defined(__CUDACC__)
#define TRAINYARD_HOST_DEVICE __host__ __device__
#else
#define TRAINYARD_HOST_DEVICE
#endif

/// The same for what loops must have inside to become vector code.
#define TRAINYARD_ALWAYS_INLINE TRAINYARD_HOST_DEVICE inline __attribute__((always_inline))
