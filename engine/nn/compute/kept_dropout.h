#pragma once

#include <torch/csrc/autograd/custom_function.h>

#include "engine/nn/compute/compute.h"

namespace trainyard {

/// What an autograd function keeps of a dropout site for its backward pass.
inline void keepRates(torch::autograd::AutogradContext* context, const DropoutRates& rates)
{
    const auto& [key, step, site, sample] = rates.site;
    context->saved_data["rates"] = std::vector<std::int64_t>{rates.dropBelow, key[0], key[1], step, site};
    context->saved_data["scale"] = rates.scale;
}

inline DropoutRates keptRates(torch::autograd::AutogradContext* context)
{
    const std::vector<std::int64_t> kept = context->saved_data["rates"].toIntVector();
    const auto number = [&](std::size_t i) { return static_cast<std::uint32_t>(kept[i]); };
    return {number(0),
            context->saved_data["scale"].toDouble(),
            {{number(1), number(2)}, number(3), number(4), 0}};
}

} // namespace trainyard
