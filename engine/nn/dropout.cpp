#include "engine/nn/dropout.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/base/check.h"
#include "engine/nn/compute/kept_compute.h"

namespace trainyard {

namespace {

struct DropoutFunction : torch::autograd::Function<DropoutFunction> {
    static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& input,
                              const DropoutDraw& draw, const Compute& compute)
    {
        keepCompute(context, compute);
        const Dropped result = compute.drop(input, draw);
        context->save_for_backward({result.mask});
        context->saved_data["scale"] = draw.rates.scale;
        return result.values;
    }

    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                   const torch::autograd::variable_list& gradients)
    {
        return {keptCompute(context).dropAgain(gradients[0], context->get_saved_variables()[0],
                                               context->saved_data["scale"].toDouble()),
                {},
                {}};
    }
};

} // namespace

// The share of elements that are kept is that of the 32-bit threshold.
DropoutRates dropoutRates(double probability, const DropoutKey& key, std::uint32_t site)
{
    TRAINYARD_CHECK(site < kDropoutSites);
    const auto dropBelow = static_cast<std::uint32_t>(std::lround(probability * 0x1p32));
    return {dropBelow,
            1.0 / (1.0 - dropBelow * 0x1p-32),
            {philoxKey(key.seed), static_cast<std::uint32_t>(key.step), site, 0}};
}

at::Tensor dropout(const at::Tensor& input, double probability, const DropoutKey& key, std::uint32_t site,
                   std::span<const DropoutPart> parts, const Compute& compute)
{
    TRAINYARD_CHECK(probability >= 0.0 && probability < 1.0);
    TRAINYARD_CHECK(input.is_contiguous());
    if (probability == 0.0 || input.numel() == 0)
        return input;
    return DropoutFunction::apply(input, DropoutDraw{parts, dropoutRates(probability, key, site)}, compute);
}

at::Tensor dropout(const at::Tensor& input, double probability, const DropoutKey& key, std::uint32_t site,
                   std::span<const std::uint64_t> sampleIndices, const Compute& compute)
{
    TRAINYARD_CHECK(input.size(0) == static_cast<std::int64_t>(sampleIndices.size()));
    const std::int64_t count = input.numel() / std::max<std::int64_t>(1, input.size(0));
    std::vector<DropoutPart> parts;
    for (const std::uint64_t sample : sampleIndices)
        parts.push_back({sample, 0, count});
    return dropout(input, probability, key, site, parts, compute);
}

} // namespace trainyard
