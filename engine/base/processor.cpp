#include "engine/base/processor.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string>
#include <utility>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace trainyard {

namespace {

constexpr std::array kNames{std::pair{NarrowProducts::Native, std::string_view("native")},
                            std::pair{NarrowProducts::Widened, std::string_view("widened")},
                            std::pair{NarrowProducts::Portable, std::string_view("portable")}};

/// What the environment lets oneDNN use. Names that it does not know it ignores, and so do we.
struct OneDnnLimit {
    bool avx512 = true;
    bool bf16 = true;
    bool fp16 = true;
    bool neConvert = true;
};

OneDnnLimit limitFrom(std::string_view text)
{
    std::string name(text);
    std::ranges::transform(name, name.begin(), [](unsigned char letter) { return std::toupper(letter); });
    if (name == "SSE41" || name == "AVX" || name == "AVX2" || name == "AVX2_VNNI")
        return {false, false, false, false};
    if (name == "AVX2_VNNI_2")
        return {false, false, false, true};
    if (name == "AVX512_CORE" || name == "AVX512_CORE_VNNI")
        return {true, false, false, false};
    if (name == "AVX512_CORE_BF16")
        return {true, true, false, false};
    return {};
}

#if defined(__x86_64__)
bool hasBit(unsigned value, int bit)
{
    return (value >> bit & 1U) != 0;
}

ProcessorFeatures featuresHere()
{
    __builtin_cpu_init(); // its answers count what the system keeps registers for
    ProcessorFeatures features;
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
    if (!__builtin_cpu_supports("avx2") || !__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx))
        return features;
    features.avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
    const bool amxBf16 = hasBit(edx, 22);
    features.avx512Fp16 = features.avx512 && hasBit(edx, 23);
    const bool hasFurther = eax >= 1 && __get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx);
    features.avx512Bf16 = features.avx512 && (amxBf16 || (hasFurther && hasBit(eax, 5)));
    features.avxNeConvert = hasFurther && hasBit(eax, 4) && hasBit(edx, 4) && hasBit(edx, 5);
    return features;
}
#endif

} // namespace

std::string_view nameOf(NarrowProducts products)
{
    return std::ranges::find(kNames, products, &decltype(kNames)::value_type::first)->second;
}

std::optional<NarrowProducts> narrowProductsFrom(std::string_view name)
{
    const auto found = std::ranges::find(kNames, name, &decltype(kNames)::value_type::second);
    return found == kNames.end() ? std::nullopt : std::optional(found->first);
}

ProcessorMath processorMath(const ProcessorFeatures& features, std::string_view oneDnnLimit)
{
    using enum NarrowProducts;
    const OneDnnLimit allowed = limitFrom(oneDnnLimit);
    const bool converts = features.avxNeConvert && allowed.neConvert;
    ProcessorMath math{Portable, Portable};
    if ((features.avx512Bf16 && allowed.bf16) || converts)
        math.bfloat16 = Native;
    else if (features.avx512 && allowed.avx512)
        math.bfloat16 = Widened;
    if ((features.avx512Fp16 && allowed.fp16) || converts)
        math.float16 = Native;
    return math;
}

ProcessorMath processorMathHere()
{
#if defined(__x86_64__)
    const char* limit = std::getenv("ONEDNN_MAX_CPU_ISA");
    if (!limit)
        limit = std::getenv("DNNL_MAX_CPU_ISA"); // its older name
    return processorMath(featuresHere(), limit ? limit : "");
#else
    return {};
#endif
}

} // namespace trainyard
