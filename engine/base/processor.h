#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace trainyard {

/// How LibTorch multiplies matrices of 16-bit numbers on a processor.
enum class NarrowProducts {
    Native,   ///< with instructions for that type
    Widened,  ///< bfloat16 on AVX-512 without them: oneDNN sums into a float32 copy of the result
    Portable, ///< in LibTorch's own loops, without a copy, and slower still
};

/// "native", "widened", "portable", as probes and files write them.
std::string_view nameOf(NarrowProducts products);
/// nullopt for any other name.
std::optional<NarrowProducts> narrowProductsFrom(std::string_view name);

/// Of one processor.
struct ProcessorMath {
    NarrowProducts bfloat16 = NarrowProducts::Native;
    NarrowProducts float16 = NarrowProducts::Native;

    bool operator==(const ProcessorMath&) const = default;
};

/// The CPU features that decide it, from CPUID.
struct ProcessorFeatures {
    bool avx512 = false;       ///< F, BW, VL and DQ, and the system keeps their registers
    bool avx512Bf16 = false;   ///< AVX512-BF16 or AMX-BF16
    bool avx512Fp16 = false;   ///< AVX512-FP16
    bool avxNeConvert = false; ///< AVX-NE-CONVERT with AVX-VNNI and AVX-VNNI-INT8
};

/// `oneDnnLimit`: the value of ONEDNN_MAX_CPU_ISA, which keeps oneDNN from instructions; empty = none.
ProcessorMath processorMath(const ProcessorFeatures& features, std::string_view oneDnnLimit);

/// Of the processor of this machine with this process's environment. All Native on architectures other than
/// x86-64, where it is unknown.
ProcessorMath processorMathHere();

} // namespace trainyard
