#include "engine/nn/compute/compute.h"

#include <ATen/ops/_softmax_backward_data.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/softmax.h>

#include "engine/base/check.h"

namespace trainyard {

namespace {

std::vector<DropoutPart> elementsOf(std::span<const DropoutPart> rows, std::int64_t width)
{
    std::vector<DropoutPart> parts;
    for (const DropoutPart& run : rows)
        parts.push_back({run.sample, run.firstElement * width, run.count * width});
    return parts;
}

/// A sequence of full length is one run of elements; a shorter one is a run per row of its scores.
std::vector<DropoutPart> elementsOf(const ScoreDropout& dropout, const at::Tensor& scores_BAQK)
{
    const std::int64_t heads = scores_BAQK.size(1);
    const std::int64_t queries = scores_BAQK.size(2);
    const std::int64_t keys = scores_BAQK.size(3);
    const std::int64_t length = dropout.length;
    std::vector<DropoutPart> parts;
    for (const std::uint64_t sample : dropout.samples) {
        const std::int64_t firstRow = dropout.firstHead * length;
        if (queries == length && keys == length) {
            parts.push_back({sample, firstRow * length, heads * length * length});
            continue;
        }
        for (std::int64_t head = 0; head < heads; ++head) {
            for (std::int64_t query = 0; query < queries; ++query)
                parts.push_back({sample, (firstRow + head * length + query) * length, keys});
        }
    }
    return parts;
}

} // namespace

at::Tensor Compute::affine(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias) const
{
    return bias.defined() ? at::addmm(bias, input, weight.t()) : at::mm(input, weight.t());
}

bool Compute::attends(const at::Tensor&, const HeadShape&, const ScoreInput&) const
{
    return false;
}

TokenAttention Compute::attend(const at::Tensor&, const HeadShape&, double, const ScoreInput&) const
{
    TRAINYARD_CHECK_MSG(false, "this device has no attention over tokens");
    return {};
}

at::Tensor Compute::attendGradient(const at::Tensor&, const at::Tensor&, const TokenAttention&,
                                   const HeadShape&, double, const ScoreInput&) const
{
    TRAINYARD_CHECK_MSG(false, "this device has no attention over tokens");
    return {};
}

at::Tensor Compute::asOperand(const at::Tensor& gradient) const
{
    return gradient.contiguous();
}

NormForward Compute::dropNormForward(const NormInput& input, const RowDropout& dropout,
                                     const at::Tensor& weight, const at::Tensor& shift, double epsilon) const
{
    const at::Tensor values = input.bias.defined() ? input.input + input.bias : input.input;
    const std::vector<DropoutPart> parts = elementsOf(dropout.rows, values.size(-1));
    const Dropped dropped = drop(values, {parts, dropout.rates});
    NormForward result = normForward({dropped.values, {}, input.residual}, weight, shift, epsilon);
    result.mask = dropped.mask;
    return result;
}

NormGradients Compute::dropNormBackward(const NormBackwardInput& input, const KeptDropout& dropout) const
{
    NormBackwardInput ofSum = input;
    ofSum.ofBias = false;
    NormGradients result = normBackward(ofSum);
    result.input = dropAgain(result.sum, dropout.mask, dropout.rates.scale);
    if (input.ofBias)
        result.bias = columnSums(result.input);
    return result;
}

DropoutPlaces Compute::placesOf(std::span<const DropoutPart>, std::span<const std::uint64_t>,
                                const c10::Device&) const
{
    return {};
}

Probabilities Compute::probabilities(const at::Tensor& scores_BAQK, const ScoreInput& input) const
{
    if (input.bias.defined())
        scores_BAQK.add_(input.bias);
    const at::Tensor p = at::softmax(scores_BAQK, -1);
    if (input.dropout.rates.dropBelow == 0)
        return {p, p, {}, {}};
    const std::vector<DropoutPart> parts = elementsOf(input.dropout, scores_BAQK);
    const Dropped dropped = drop(p, {parts, input.dropout.rates});
    return {dropped.values, p, {}, dropped.mask};
}

at::Tensor Compute::probabilitiesGradient(const at::Tensor& gradient_BAQK, const Probabilities& forward,
                                          const ScoreInput& input) const
{
    if (!forward.mask.defined())
        return at::_softmax_backward_data(gradient_BAQK, forward.kept, -1, forward.kept.scalar_type());
    at::Tensor gradient = dropAgain(gradient_BAQK, forward.mask, input.dropout.rates.scale);
    // In place, row by row: a third tensor as large as the scores would be the peak of a step that recomputes
    // them.
    return at::_softmax_backward_data_out(gradient, gradient, forward.kept, -1, forward.kept.scalar_type());
}

} // namespace trainyard
