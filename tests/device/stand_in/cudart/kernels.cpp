#include "tests/device/stand_in/cudart/kernels.h"

#include <algorithm>

#include "engine/optim/update_elements.h"
#include "tests/device/stand_in/cudart/device.h"

namespace trainyard::stand_in {

namespace {

template <typename T>
const T& argument(void** arguments, int index)
{
    return *static_cast<const T*>(arguments[index]);
}

template <typename T>
T* viewOf(T* pointer)
{
    return pointer ? reinterpret_cast<T*>(device().memory.view(pointer)) : nullptr;
}

template <typename T>
Access reading(const T* start, std::int64_t count)
{
    return {start, static_cast<std::size_t>(count) * sizeof(T), false};
}
template <typename T>
Access writing(const T* start, std::int64_t count)
{
    return {start, static_cast<std::size_t>(count) * sizeof(T), true};
}

// at::Tensor::fill_ and zeros: vectorized_elementwise_kernel<.., FillFunctor<T>, ..>(count, {value},
// {start}).
template <typename T>
KernelWork fill(void** arguments)
{
    const int count = argument<int>(arguments, 0);
    const T value = argument<T>(arguments, 1);
    T* const start = argument<T*>(arguments, 2);
    return {{writing(start, count)}, [=] { std::fill_n(viewOf(start), count, value); }};
}

std::optional<KernelWork> fillOf(const std::string& kernel, void** arguments)
{
    const std::string functor = "FillFunctor<";
    const std::size_t at = kernel.find(functor);
    if (at == std::string::npos || kernel.find("vectorized_elementwise_kernel<") == std::string::npos)
        return {};
    const std::string type = kernel.substr(at + functor.size(), kernel.find('>', at) - at - functor.size());
    if (type == "unsigned char" || type == "bool" || type == "signed char")
        return fill<std::uint8_t>(arguments);
    if (type == "c10::BFloat16" || type == "c10::Half")
        return fill<std::uint16_t>(arguments);
    if (type == "float" || type == "int")
        return fill<std::uint32_t>(arguments);
    if (type == "double" || type == "long")
        return fill<std::uint64_t>(arguments);
    return {};
}

template <typename T>
KernelWork adamW(void** arguments)
{
    const auto s = argument<MomentStreams<T>>(arguments, 0);
    auto* const working = argument<std::uint16_t*>(arguments, 1);
    const auto count = argument<std::int64_t>(arguments, 2);
    const auto c = argument<AdamWCoefficients<T>>(arguments, 3);
    KernelWork work{{writing(s.weight, count), writing(s.average, count), writing(s.squareAverage, count),
                     reading(s.gradient, count)},
                    {}};
    if (working)
        work.accesses.push_back(writing(working, count));
    work.run = [=] {
        for (std::int64_t i = 0; i < count; ++i) {
            T& weight = viewOf(s.weight)[i];
            weight = adamWElement(weight, viewOf(s.average)[i], viewOf(s.squareAverage)[i],
                                  viewOf(s.gradient)[i], c);
            if (working)
                viewOf(working)[i] = bfloat16Bits(static_cast<float>(weight));
        }
    };
    return work;
}

/// All in the first slot of the sums.
template <typename T>
KernelWork squares(void** arguments)
{
    const auto* const values = argument<const T*>(arguments, 0);
    const auto count = argument<std::int64_t>(arguments, 1);
    auto* const sums = argument<double*>(arguments, 2);
    return {{reading(values, count), writing(sums, 1)}, [=] {
                double sum = 0;
                for (std::int64_t i = 0; i < count; ++i)
                    sum += squareOf(viewOf(values)[i]);
                *viewOf(sums) = sum;
            }};
}

} // namespace

std::optional<KernelWork> hostVersion(const std::string& kernel, void** arguments)
{
    const auto is = [&](const char* name) { return kernel.find(name) != std::string::npos; };
    if (is("::adamW<float>("))
        return adamW<float>(arguments);
    if (is("::adamW<double>("))
        return adamW<double>(arguments);
    if (is("::squares<float>("))
        return squares<float>(arguments);
    if (is("::squares<double>("))
        return squares<double>(arguments);
    return fillOf(kernel, arguments);
}

} // namespace trainyard::stand_in
