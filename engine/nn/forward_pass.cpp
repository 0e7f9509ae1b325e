#include "engine/nn/forward_pass.h"

#include <ATen/ops/arange.h>

#include "engine/nn/attention.h"
#include "engine/nn/model_family.h"

namespace trainyard {

namespace {

std::optional<RotaryTables> rotaryTables(const ModelSpec& model, const TokenBatch& batch, at::ScalarType type)
{
    if (model.positions != PositionEncoding::Rotary)
        return std::nullopt;
    const at::Tensor positions = batch.positionIds.defined()
                                     ? batch.positionIds
                                     : at::arange(batch.sequenceLength(), batch.inputIds.options());
    return RotaryTables(positions, model.hidden / model.heads, type);
}

} // namespace

SharedPass beginPass(const ModelSpec& model, LayerRunner& runner, const TokenBatch& batch,
                     const std::optional<DropoutKey>& dropoutKey, at::ScalarType type)
{
    return std::make_shared<const ForwardPass>(
        ForwardPass{model, runner, batch, attentionBias(batch, familyOf(model).isCausal(), type),
                    rotaryTables(model, batch, type), dropoutKey});
}

at::Tensor ForwardPass::drop(const at::Tensor& input, double probability, std::uint32_t site) const
{
    if (!dropoutKey)
        return input;
    const at::Tensor bySample = input.view({batch.sequences(), -1});
    return dropout(bySample, probability, *dropoutKey, site, batch.sampleIndices).view(input.sizes());
}

} // namespace trainyard
