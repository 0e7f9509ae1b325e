#pragma once

#include <string>

#include "engine/base/result.h"

namespace trainyard {

/// Which library multiplies float32 matrices on this host, and why.
struct CpuMath {
    bool oneDnn = false;    ///< false: the BLAS that LibTorch was built with
    double blasSeconds = 0; ///< of the probe, best of several
    double oneDnnSeconds = 0;
    double oneDnnError = 0;   ///< relative Frobenius error against float64
    std::string text() const; ///< one line for the log
};

/// Chooses the faster of BLAS and oneDNN for float32 by a probe of some milliseconds. oneDNN is reached
/// through the precision setting "medium", which allows it to round to bfloat16 on hosts that would gain by
/// it; it is refused there, because float32 must stay float32. Changes the process-wide ATen context: call
/// once at the start, after the number of threads was set.
CpuMath configureCpuMath();

/// Keeps freed memory in the process instead of returning it to the system after every tensor (page faults
/// cost a fifth of a training step otherwise). Process-wide, glibc only; call before the first big
/// allocation.
void configureAllocator();

} // namespace trainyard
