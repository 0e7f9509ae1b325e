#include <functional>

#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>
#include <ATen/ops/matmul.h>
#include <fmt/format.h>

#include "engine/nn/attention_probabilities.h"
#include "engine/nn/compute/compute.h"
#include "engine/nn/families/head_layout.h"
#include "engine/nn/token_attention.h"
#include "tests/gpu/check/checks.h"
#include "tests/gpu/check/relative_error.h"

namespace trainyard {

namespace {

/// Of float32: sums in another order. Results of 16 bits are rounded once or twice.
constexpr struct {
    const char* name;
    at::ScalarType type;
    double bound;
} kFusedTypes[] = {{"float64", at::kDouble, 1e-12},
                   {"float32", at::kFloat, 5e-5},
                   {"bfloat16", at::kBFloat16, 1e-2},
                   {"float16", at::kHalf, 2e-3}};

/// Makes the operands of an operation, the same numbers on every device: rounded to `rounding`, in `type`.
struct FusedOperands {
    c10::Device place;
    at::ScalarType rounding;
    at::ScalarType type;

    at::Tensor waves(at::IntArrayRef sizes, double frequency) const
    {
        return at::arange(c10::multiply_integers(sizes), at::kDouble)
            .mul(frequency)
            .sin()
            .to(rounding)
            .to(place, type)
            .view(sizes);
    }
};

using FusedResults = std::vector<at::Tensor>;
const DropoutRates kFusedRates{1u << 30, 1.0 / 0.75, {{42, 7}, 5, 3, 0}};

FusedResults normResults(const Compute& compute, const FusedOperands& make, std::int64_t rows,
                         std::int64_t width)
{
    const std::vector<DropoutPart> runs{{7, 3, rows / 2}, {std::uint64_t{1} << 40, 0, rows - rows / 2}};
    const at::Tensor places = compute.placesOf(runs, {}, make.place).tokens;
    const at::Tensor weight = make.waves({width}, 0.29);
    const NormForward forward = compute.dropNormForward(
        {make.waves({rows, width}, 0.37), make.waves({width}, 0.11), make.waves({rows, width}, 0.71)},
        {runs, places, kFusedRates}, weight, make.waves({width}, 0.17), 1e-5);
    const NormGradients gradients = compute.dropNormBackward(
        {make.waves({rows, width}, 0.53), forward.sum, forward.mean_T, forward.scale_T, weight},
        {forward.mask, places, kFusedRates});
    return {forward.output,   gradients.sum,   gradients.input,
            gradients.weight, gradients.shift, gradients.bias};
}

FusedResults activationResults(const Compute& compute, const FusedOperands& make, std::int64_t rows,
                               std::int64_t width)
{
    FusedResults results;
    for (const Activation activation : {Activation::Gelu, Activation::GeluNew, Activation::Relu}) {
        const at::Tensor input = make.waves({rows, width}, 0.37), bias = make.waves({width}, 0.11);
        const ActivationGradients gradients =
            compute.activationBackward(make.waves({rows, width}, 0.53), input, bias, activation);
        results.insert(results.end(),
                       {compute.activationForward(input, bias, activation), gradients.input, gradients.bias});
    }
    return results;
}

FusedResults probabilityResults(const Compute& compute, const FusedOperands& make, std::int64_t length,
                                std::int64_t)
{
    const std::vector<std::uint64_t> samples{7, std::uint64_t{1} << 40};
    const ScoreInput input{
        make.waves({2, 1, 1, length}, 0.17),
        false,
        {samples, compute.placesOf({}, samples, make.place).sequences, length, 4, kFusedRates}};
    const Probabilities forward = compute.probabilities(make.waves({2, 4, length, length}, 0.37), input);
    return {forward.values,
            compute.probabilitiesGradient(make.waves({2, 4, length, length}, 0.53), forward, input)};
}

/// Attention with dropout over tokens: where the device has it one operation, else step by step.
FusedResults attentionResults(const Compute& compute, const FusedOperands& make, std::int64_t length,
                              std::int64_t)
{
    const HeadShape shape{2, 3, length, 64};
    const std::vector<std::uint64_t> samples{7, std::uint64_t{1} << 40};
    const at::Tensor tokens =
        make.waves({shape.tokens(), 3 * shape.heads * shape.width}, 0.37).requires_grad_(true);
    const ScoreInput input{
        make.waves({2, 1, 1, length}, 0.17),
        false,
        {samples, compute.placesOf({}, samples, make.place).sequences, length, 4, kFusedRates}};
    const auto attended = [&] {
        if (compute.attends(tokens, shape, input))
            return attendTokens(tokens, shape, 0.125, input, compute);
        const auto [query, key, value] = splitHeads(tokens, shape, 0.125, compute);
        const at::Tensor scores = at::matmul(query, key.transpose(-1, -2));
        return mergeHeads(at::matmul(attentionProbabilities(scores, input, compute), value), compute);
    }();
    attended.backward(make.waves(attended.sizes(), 0.053));
    return {attended.detach(), tokens.grad()};
}

FusedResults lossResults(const Compute& compute, const FusedOperands& make, std::int64_t rows,
                         std::int64_t width)
{
    const at::Tensor logits = make.waves({rows, width + 1}, 0.37); // rows that begin anywhere
    const at::Tensor targets = at::arange(rows, at::kLong).mul(37).remainder(width).to(make.place);
    const RowLosses losses = compute.rowLosses(logits, targets);
    return {losses.sum, compute.rowLossGradient(logits, targets, losses.logSums_M,
                                                at::full({}, 0.25, losses.sum.options()))};
}

Result<double> largestError(const FusedResults& found, const FusedResults& expected)
{
    double largest = 0;
    for (std::size_t i = 0; i < found.size(); ++i)
        largest = std::max(largest, relativeError(found[i], expected[i]));
    return largest;
}

} // namespace

void checkFused(const Device& device, CheckReport& report, bool isSmall)
{
    const struct {
        const char* name;
        FusedResults (*compute)(const Compute&, const FusedOperands&, std::int64_t, std::int64_t);
        std::int64_t rows, width;
        double roundings = 1; ///< how many bounds
    } operations[] = {{"norm with dropout", &normResults, isSmall ? 9 : 2000, isSmall ? 128 : 1024},
                      {"activations", &activationResults, isSmall ? 9 : 2000, isSmall ? 130 : 4096},
                      {"probabilities", &probabilityResults, isSmall ? 20 : 512, 0},
                      {"attention with dropout", &attentionResults, isSmall ? 64 : 512, 0, 4},
                      {"losses", &lossResults, isSmall ? 9 : 300, isSmall ? 300 : 30522}};
    for (const auto& operation : operations) {
        for (const auto& [name, type, bound] : kFusedTypes)
            report.error(fmt::format("{} {}", operation.name, name), operation.roundings * bound,
                         [&]() -> Result<double> {
                             const auto results = [&](const Compute& compute, const FusedOperands& make) {
                                 return operation.compute(compute, make, operation.rows, operation.width);
                             };
                             return largestError(results(*device.compute, {device.place, type, type}),
                                                 results(processorCompute(), {at::kCPU, type, at::kDouble}));
                         });
    }
}

} // namespace trainyard
