#include "engine/nn/parameters/initialization.h"

#include <array>
#include <cmath>
#include <numbers>

#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>

#include "engine/base/check.h"
#include "engine/base/philox.h"

namespace trainyard {

namespace {

// FNV-1a, 64 bits: tells tensors apart in the counter.
std::uint64_t hashOf(std::string_view name)
{
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (const char c : name)
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    return hash;
}

// In (0, 1): the half keeps the logarithm finite.
double uniform(std::uint32_t word)
{
    return (word + 0.5) * 0x1p-32;
}

// Box and Muller (1958): two uniform numbers become two independent normal ones.
std::array<double, 4> normals(const PhiloxCounter& words)
{
    std::array<double, 4> result{};
    for (std::size_t i = 0; i < 4; i += 2) {
        const double radius = std::sqrt(-2.0 * std::log(uniform(words[i])));
        const double angle = 2.0 * std::numbers::pi * uniform(words[i + 1]);
        result[i] = radius * std::cos(angle);
        result[i + 1] = radius * std::sin(angle);
    }
    return result;
}

class NormalStream {
public:
    NormalStream(std::uint64_t seed, std::string_view name) : m_key(philoxKey(seed)), m_name(hashOf(name)) {}

    double at(std::uint64_t element)
    {
        const std::uint64_t block = element / 4;
        if (block != m_block) {
            m_values =
                normals(philox({static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32),
                                static_cast<std::uint32_t>(m_name), static_cast<std::uint32_t>(m_name >> 32)},
                               m_key));
            m_block = block;
        }
        return m_values[element % 4];
    }

private:
    PhiloxKey m_key;
    std::uint64_t m_name;
    std::uint64_t m_block = ~std::uint64_t{0};
    std::array<double, 4> m_values{};
};

} // namespace

void fillNormal(at::Tensor& tensor, std::uint64_t seed, std::string_view name, double standardDeviation,
                std::int64_t firstElement)
{
    TRAINYARD_CHECK(tensor.is_contiguous());
    constexpr std::int64_t kGrain = 1 << 14;
    AT_DISPATCH_FLOATING_TYPES(tensor.scalar_type(), "fillNormal", [&] {
        scalar_t* values = tensor.mutable_data_ptr<scalar_t>();
        at::parallel_for(0, tensor.numel(), kGrain, [&](std::int64_t begin, std::int64_t end) {
            NormalStream stream(seed, name);
            for (std::int64_t i = begin; i < end; ++i)
                values[i] = static_cast<scalar_t>(standardDeviation *
                                                  stream.at(static_cast<std::uint64_t>(firstElement + i)));
        });
    });
}

} // namespace trainyard
