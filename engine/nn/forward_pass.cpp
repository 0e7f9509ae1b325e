#include "engine/nn/forward_pass.h"

#include <algorithm>

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
                     const std::optional<DropoutKey>& dropoutKey, at::ScalarType type,
                     const TensorParallel& parallel)
{
    return std::make_shared<const ForwardPass>(
        ForwardPass{model, runner, batch, attentionBias(batch, familyOf(model).isCausal(), type),
                    rotaryTables(model, batch, type), dropoutKey, parallel});
}

IndexRange ForwardPass::tokensHere() const
{
    return parallel.tokensHere(batch.sequences() * batch.sequenceLength());
}

at::Tensor ForwardPass::dropTokens(const at::Tensor& hidden_TH, double probability, std::uint32_t site) const
{
    if (!dropoutKey)
        return hidden_TH;
    const IndexRange here = tokensHere();
    const std::int64_t length = batch.sequenceLength();
    const std::int64_t width = hidden_TH.size(-1);
    std::vector<DropoutPart> parts;
    for (std::int64_t token = here.begin; token < here.end;) {
        const std::int64_t first = token % length;
        const std::int64_t tokens = std::min(length - first, here.end - token);
        parts.push_back(
            {batch.sampleIndices[static_cast<std::size_t>(token / length)], first * width, tokens * width});
        token += tokens;
    }
    return dropout(hidden_TH, probability, *dropoutKey, site, parts);
}

at::Tensor ForwardPass::dropHeads(const at::Tensor& probabilities_BASS, double probability,
                                  std::uint32_t site) const
{
    if (!dropoutKey)
        return probabilities_BASS;
    const std::int64_t perHead = batch.sequenceLength() * batch.sequenceLength();
    std::vector<DropoutPart> parts;
    for (const std::uint64_t sample : batch.sampleIndices)
        parts.push_back({sample, parallel.rank() * headsHere() * perHead, headsHere() * perHead});
    return dropout(probabilities_BASS, probability, *dropoutKey, site, parts);
}

} // namespace trainyard
