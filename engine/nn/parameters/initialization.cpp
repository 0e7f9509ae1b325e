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

std::array<double, 4> signedUniforms(const PhiloxCounter& words)
{
    std::array<double, 4> result{};
    for (std::size_t i = 0; i < 4; ++i)
        result[i] = 2.0 * uniform(words[i]) - 1.0;
    return result;
}

/// Numbers of one distribution by element: `fromWords` makes four of them from a block of random words.
template <std::array<double, 4> (*fromWords)(const PhiloxCounter&)>
class NumberStream {
public:
    NumberStream(std::uint64_t seed, std::string_view name) : m_key(philoxKey(seed)), m_name(hashOf(name)) {}

    double at(std::uint64_t element)
    {
        const std::uint64_t block = element / 4;
        if (block != m_block) {
            m_values = fromWords(
                philox({static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32),
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

template <typename Stream>
void fillFrom(at::Tensor& tensor, std::uint64_t seed, std::string_view name, double size,
              std::int64_t firstElement)
{
    TRAINYARD_CHECK(tensor.is_contiguous());
    constexpr std::int64_t kGrain = 1 << 14;
    AT_DISPATCH_FLOATING_TYPES(tensor.scalar_type(), "fillFrom", [&] {
        scalar_t* values = tensor.mutable_data_ptr<scalar_t>();
        at::parallel_for(0, tensor.numel(), kGrain, [&](std::int64_t begin, std::int64_t end) {
            Stream stream(seed, name);
            for (std::int64_t i = begin; i < end; ++i)
                values[i] =
                    static_cast<scalar_t>(size * stream.at(static_cast<std::uint64_t>(firstElement + i)));
        });
    });
}

} // namespace

void fillNormal(at::Tensor& tensor, std::uint64_t seed, std::string_view name, double standardDeviation,
                std::int64_t firstElement)
{
    fillFrom<NumberStream<normals>>(tensor, seed, name, standardDeviation, firstElement);
}

void fillUniform(at::Tensor& tensor, std::uint64_t seed, std::string_view name, double bound,
                 std::int64_t firstElement)
{
    fillFrom<NumberStream<signedUniforms>>(tensor, seed, name, bound, firstElement);
}

} // namespace trainyard
