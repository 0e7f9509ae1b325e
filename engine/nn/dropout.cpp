#include "engine/nn/dropout.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/native_dropout_backward.h>
#include <torch/csrc/autograd/custom_function.h>

#include "engine/base/check.h"
#include "engine/base/kernel.h"
#include "engine/nn/dropout_mask.h"

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

struct DropoutRule {
    std::uint32_t dropBelow;
    double scale; // 1 / probability to be kept, as the 32-bit threshold has it

    explicit DropoutRule(double probability)
        : dropBelow(static_cast<std::uint32_t>(std::lround(probability * 0x1p32)))
        , scale(1.0 / (1.0 - dropBelow * 0x1p-32))
    {
    }
};

struct MaskedTensor {
    at::Tensor values;
    at::Tensor mask;
};

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

// Mask and product in one pass, chunk by chunk.
MaskedTensor drop(const at::Tensor& input, const DropoutRule& rule, const DropoutStream& site,
                  std::span<const DropoutPart> parts)
{
    MaskedTensor result{at::empty_like(input), at::empty(input.sizes(), at::kByte)};
    const std::vector<Chunk> chunks = chunksOf(parts);
    auto* mask = result.mask.mutable_data_ptr<std::uint8_t>();
    at::parallel_for(
        0, static_cast<std::int64_t>(chunks.size()), 1, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t item = begin; item < end; ++item) {
                const Chunk& chunk = chunks[static_cast<std::size_t>(item)];
                DropoutStream stream = site;
                stream.sample = chunk.sample;
                fillDropoutMask(mask + chunk.first, chunk.element, chunk.count, rule.dropBelow, stream);
                applyMask(input, result.values, mask, chunk.first, chunk.count, rule.scale);
            }
        });
    return result;
}

at::Tensor dropAgain(const at::Tensor& gradient, const at::Tensor& mask, double scale)
{
    const at::Tensor in = gradient.contiguous();
    at::Tensor out = at::empty_like(in);
    at::parallel_for(0, in.numel(), kChunk, [&](std::int64_t begin, std::int64_t end) {
        applyMask(in, out, mask.const_data_ptr<std::uint8_t>(), begin, end - begin, scale);
    });
    return out;
}

// On a device: the mask by our kernel, products with it by ATen's, whose masks are of type bool.
MaskedTensor drop(const at::Tensor& input, const DropoutRule& rule, const DropoutStream& site,
                  std::span<const DropoutPart> parts, const DropoutMasks& masks)
{
    const at::Tensor mask = at::empty(input.sizes(), input.options().dtype(at::kBool));
    masks.fill(static_cast<std::uint8_t*>(mask.mutable_data_ptr()), parts, rule.dropBelow, site);
    return {at::native_dropout_backward(input, mask, rule.scale), mask};
}

struct DropoutFunction : torch::autograd::Function<DropoutFunction> {
    static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& input,
                              const DropoutRule& rule, const DropoutStream& site,
                              std::span<const DropoutPart> parts, const DropoutMasks* masks)
    {
        MaskedTensor result = masks ? drop(input, rule, site, parts, *masks) : drop(input, rule, site, parts);
        context->save_for_backward({result.mask});
        context->saved_data["scale"] = rule.scale;
        return result.values;
    }

    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                   const torch::autograd::variable_list& gradients)
    {
        const at::Tensor mask = context->get_saved_variables()[0];
        const double scale = context->saved_data["scale"].toDouble();
        const bool onDevice = mask.scalar_type() == at::kBool;
        return {onDevice ? at::native_dropout_backward(gradients[0], mask, scale)
                         : dropAgain(gradients[0], mask, scale),
                {},
                {},
                {},
                {}};
    }
};

} // namespace

at::Tensor dropout(const at::Tensor& input, double probability, const DropoutKey& key, std::uint32_t site,
                   std::span<const DropoutPart> parts, const DropoutMasks* masks)
{
    TRAINYARD_CHECK(probability >= 0.0 && probability < 1.0);
    TRAINYARD_CHECK(input.is_contiguous());
    if (probability == 0.0 || input.numel() == 0)
        return input;
    const DropoutStream stream{philoxKey(key.seed), static_cast<std::uint32_t>(key.step), site, 0};
    return DropoutFunction::apply(input, DropoutRule(probability), stream, parts, masks);
}

at::Tensor dropout(const at::Tensor& input, double probability, const DropoutKey& key, std::uint32_t site,
                   std::span<const std::uint64_t> sampleIndices)
{
    TRAINYARD_CHECK(input.size(0) == static_cast<std::int64_t>(sampleIndices.size()));
    const std::int64_t count = input.numel() / std::max<std::int64_t>(1, input.size(0));
    std::vector<DropoutPart> parts;
    for (const std::uint64_t sample : sampleIndices)
        parts.push_back({sample, 0, count});
    return dropout(input, probability, key, site, parts);
}

} // namespace trainyard
