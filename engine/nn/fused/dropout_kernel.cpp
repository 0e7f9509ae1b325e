#include <algorithm>
#include <bit>
#include <vector>

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>

#include "engine/base/check.h"
#include "engine/base/kernel.h"
#include "engine/nn/fused/processor_compute.h"

namespace trainyard {

namespace {

constexpr std::int64_t kChunk = 64 * kDropoutGroup; // mask and values of a chunk stay in the L1 cache

TRAINYARD_VECTOR_CLONES
void applyMask(const float* in, float* out, const std::uint8_t* mask, std::int64_t count, float scale)
{
    for (std::int64_t i = 0; i < count; ++i)
        out[i] = mask[i] ? in[i] * scale : 0.0f;
}

TRAINYARD_VECTOR_CLONES
void applyMask(const double* in, double* out, const std::uint8_t* mask, std::int64_t count, double scale)
{
    for (std::int64_t i = 0; i < count; ++i)
        out[i] = mask[i] ? in[i] * scale : 0.0;
}

// bfloat16 as its bits: widened by a shift, rounded to nearest even. A NaN stays one, for its low half is
// zero.
TRAINYARD_VECTOR_CLONES
void applyMask(const std::uint16_t* in, std::uint16_t* out, const std::uint8_t* mask, std::int64_t count,
               float scale)
{
    for (std::int64_t i = 0; i < count; ++i) {
        const float value = std::bit_cast<float>(static_cast<std::uint32_t>(in[i]) << 16) * scale;
        const auto bits = std::bit_cast<std::uint32_t>(value);
        const std::uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
        out[i] = mask[i] ? static_cast<std::uint16_t>(rounded) : std::uint16_t{0};
    }
}

void applyMask(const at::Half* in, at::Half* out, const std::uint8_t* mask, std::int64_t count, float scale)
{
    for (std::int64_t i = 0; i < count; ++i)
        out[i] = mask[i] ? at::Half(static_cast<float>(in[i]) * scale) : at::Half(0.0f);
}

void applyMask(const at::Tensor& in, at::Tensor& out, const std::uint8_t* mask, std::int64_t first,
               std::int64_t count, double scale)
{
    switch (in.scalar_type()) {
    case at::kFloat:
        return applyMask(in.const_data_ptr<float>() + first, out.mutable_data_ptr<float>() + first,
                         mask + first, count, static_cast<float>(scale));
    case at::kDouble:
        return applyMask(in.const_data_ptr<double>() + first, out.mutable_data_ptr<double>() + first,
                         mask + first, count, scale);
    case at::kHalf:
        return applyMask(in.const_data_ptr<at::Half>() + first, out.mutable_data_ptr<at::Half>() + first,
                         mask + first, count, static_cast<float>(scale));
    default:
        TRAINYARD_CHECK(in.scalar_type() == at::kBFloat16);
        return applyMask(reinterpret_cast<const std::uint16_t*>(in.const_data_ptr()) + first,
                         reinterpret_cast<std::uint16_t*>(out.mutable_data_ptr()) + first, mask + first,
                         count, static_cast<float>(scale));
    }
}

// What one thread handles at a time.
struct Chunk {
    std::int64_t first = 0;   // in the input
    std::int64_t element = 0; // in the sample
    std::int64_t count = 0;
    std::uint64_t sample = 0;
};

std::vector<Chunk> chunksOf(std::span<const DropoutPart> parts)
{
    std::vector<Chunk> chunks;
    std::int64_t first = 0;
    for (const DropoutPart& part : parts) {
        for (std::int64_t done = 0; done < part.count; done += kChunk)
            chunks.push_back(
                {first + done, part.firstElement + done, std::min(kChunk, part.count - done), part.sample});
        first += part.count;
    }
    return chunks;
}

} // namespace

// Mask and product in one pass, chunk by chunk.
Dropped ProcessorCompute::drop(const at::Tensor& input, const DropoutDraw& draw) const
{
    Dropped result{at::empty_like(input), at::empty(input.sizes(), at::kByte)};
    const std::vector<Chunk> chunks = chunksOf(draw.parts);
    auto* mask = result.mask.mutable_data_ptr<std::uint8_t>();
    at::parallel_for(
        0, static_cast<std::int64_t>(chunks.size()), 1, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t item = begin; item < end; ++item) {
                const Chunk& chunk = chunks[static_cast<std::size_t>(item)];
                DropoutStream stream = draw.rates.site;
                stream.sample = chunk.sample;
                fillDropoutMask(mask + chunk.first, chunk.element, chunk.count, draw.rates.dropBelow, stream);
                applyMask(input, result.values, mask, chunk.first, chunk.count, draw.rates.scale);
            }
        });
    return result;
}

at::Tensor ProcessorCompute::dropAgain(const at::Tensor& gradient, const at::Tensor& mask, double scale) const
{
    const at::Tensor in = gradient.contiguous();
    at::Tensor out = at::empty_like(in);
    at::parallel_for(0, in.numel(), kChunk, [&](std::int64_t begin, std::int64_t end) {
        applyMask(in, out, mask.const_data_ptr<std::uint8_t>(), begin, end - begin, scale);
    });
    return out;
}

} // namespace trainyard
