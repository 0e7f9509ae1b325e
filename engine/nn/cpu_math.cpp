#include "engine/nn/cpu_math.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <malloc.h>

#include <ATen/Context.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/mm.h>
#include <fmt/format.h>

namespace trainyard {

namespace {

constexpr std::int64_t kProbeSize = 384; // 113 MFLOP: half a millisecond on one core
constexpr double kFloat32Error = 1e-5;   // bfloat16 gives 3e-3, float32 3e-7 to 1e-6
constexpr const char* kBlas = "highest";
constexpr const char* kOneDnn = "medium";

// Numbers that bfloat16 cannot hold, the same in every run.
at::Tensor probeMatrix(double frequency)
{
    const auto options = at::TensorOptions().dtype(at::kDouble);
    return at::arange(kProbeSize * kProbeSize, options).mul_(frequency).sin_().view({kProbeSize, kProbeSize});
}

struct Probe {
    double seconds = std::numeric_limits<double>::infinity();
    double error = 0; // Frobenius, relative
};

Probe measure(const char* precision)
{
    at::globalContext().setFloat32MatmulPrecision(precision);
    const at::Tensor a = probeMatrix(0.7);
    const at::Tensor b = probeMatrix(1.3);
    const at::Tensor a32 = a.to(at::kFloat);
    const at::Tensor b32 = b.to(at::kFloat);
    Probe probe;
    at::Tensor product;
    for (int repetition = 0; repetition < 5; ++repetition) {
        const auto start = std::chrono::steady_clock::now();
        product = at::mm(a32, b32);
        const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
        probe.seconds = std::min(probe.seconds, elapsed.count());
    }
    const at::Tensor exact = at::mm(a, b);
    probe.error = (at::linalg_vector_norm(product.to(at::kDouble) - exact) / at::linalg_vector_norm(exact))
                      .item<double>();
    return probe;
}

} // namespace

CpuMath configureCpuMath()
{
    const Probe blas = measure(kBlas);
    const Probe oneDnn = measure(kOneDnn);
    // "medium" lets oneDNN compute in bfloat16 where the processor can: then it is fast and not float32.
    CpuMath chosen{oneDnn.error < kFloat32Error && oneDnn.seconds < blas.seconds, blas.seconds,
                   oneDnn.seconds, oneDnn.error};
    at::globalContext().setFloat32MatmulPrecision(chosen.oneDnn ? kOneDnn : kBlas);
    return chosen;
}

std::string CpuMath::text() const
{
    const double flops = 2.0 * kProbeSize * kProbeSize * kProbeSize;
    return fmt::format(
        "float32 products by {}: {:.0f} GFLOP/s BLAS, {:.0f} GFLOP/s oneDNN with relative error {:.1e}",
        oneDnn ? "oneDNN" : "BLAS", flops / blasSeconds * 1e-9, flops / oneDnnSeconds * 1e-9, oneDnnError);
}

void configureAllocator()
{
    constexpr int kMiBBytes = 1 << 20;
    // Scratch memory of the libraries comes and goes with every product. mmap for each would mean page faults
    // over and over, and trimming would give pages back that the next pass wants.
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
    mallopt(M_TOP_PAD, 64 * kMiBBytes);
}

} // namespace trainyard
