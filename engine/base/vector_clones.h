#pragma once

// One function, compiled for plain x86-64, AVX2 and AVX-512; the loader takes the best that the host has.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) &&     \
    !defined(__SANITIZE_THREAD__)
#define TRAINYARD_VECTOR_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define TRAINYARD_VECTOR_CLONES
#endif
