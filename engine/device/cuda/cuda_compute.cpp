#include "engine/device/cuda/cuda_compute.h"

#include <algorithm>

#include <ATen/ops/empty_like.h>
#include <ATen/ops/empty_strided.h>

#include "engine/device/cuda/activation_launch.h"
#include "engine/device/cuda/cuda_masks.h"
#include "engine/device/cuda/norm_launch.h"
#include "engine/device/cuda/row_loss_launch.h"
#include "engine/device/cuda/scores_launch.h"
#include "engine/device/cuda/tensor_launch.h"

namespace trainyard {

namespace {

std::int64_t rowsOf(const at::Tensor& values)
{
    return values.numel() / std::max<std::int64_t>(1, values.size(-1));
}

bool hasKernel(const NormInput& input, const at::Tensor& weight, const at::Tensor& shift)
{
    return hasNormKernel(input.input.size(-1)) &&
           haveKernelType({input.input, input.bias, input.residual, weight, shift});
}

/// As of the forward pass, which kept the two numbers of a row side by side.
bool hasKernel(const NormBackwardInput& input)
{
    return hasNormKernel(input.sum.size(-1)) && haveKernelType({input.sum, input.gradient, input.weight}) &&
           input.mean_T.dim() == 1 && input.mean_T.stride(0) == 2;
}

/// `places`, `rates`: undefined and 0 where nothing is dropped.
NormForward launchNorm(const NormInput& input, const at::Tensor& places, const DropoutRates& rates,
                       const at::Tensor& weight, const at::Tensor& shift, double epsilon)
{
    const at::Tensor& x = input.input;
    const bool isAlone = !input.bias.defined() && !input.residual.defined() && !places.defined();
    const at::Tensor sum = isAlone ? at::Tensor() : at::empty_like(x);
    const at::Tensor output = at::empty_like(x);
    const at::Tensor statistics = emptyWide(x, {rowsOf(x), 2});
    launchFor(x, [&]<typename T>(T, cudaStream_t stream) {
        const AddNorm<T> tensors{readFrom<T>(x),
                                 readFrom<T>(input.bias),
                                 readFrom<T>(input.residual),
                                 readFrom<TokenPlace>(places),
                                 readFrom<T>(weight),
                                 readFrom<T>(shift),
                                 writeTo<T>(sum),
                                 writeTo<T>(output),
                                 writeTo<Wide<T>>(statistics)};
        return launchAddNorm(tensors, rowsOf(x), x.size(-1), epsilon, rates, stream);
    });
    return {output, isAlone ? x : sum, statistics.select(1, 0), statistics.select(1, 1)};
}

NormGradients launchNormGradient(const NormBackwardInput& input, const at::Tensor& places,
                                 const DropoutRates& rates)
{
    const std::int64_t width = input.sum.size(-1);
    const at::Tensor ofSum = at::empty_like(input.sum);
    const at::Tensor ofInput = places.defined() ? at::empty_like(input.sum) : at::Tensor();
    const at::Tensor sums = emptyWide(input.sum, {3, width});
    const at::Tensor scratch = emptyWide(input.sum, {normScratch(width)});
    launchFor(input.sum, [&]<typename T>(T, cudaStream_t stream) {
        const AddNormGradient<T> tensors{
            readFrom<T>(input.gradient),  readFrom<T>(input.sum),    readFrom<Wide<T>>(input.mean_T),
            readFrom<TokenPlace>(places), readFrom<T>(input.weight), writeTo<T>(ofSum),
            writeTo<T>(ofInput),          writeTo<Wide<T>>(sums)};
        return launchAddNormGradient(tensors, rowsOf(input.sum), width, rates, writeTo<Wide<T>>(scratch),
                                     stream);
    });
    return {ofSum, sums[0], sums[1], sums[2], ofInput};
}

bool hasKernel(const at::Tensor& scores_BAQK, const ScoreInput& input)
{
    const at::Tensor& bias = input.bias;
    const bool isDropped = input.dropout.rates.dropBelow > 0;
    return haveKernelType({scores_BAQK, bias}) && scores_BAQK.is_contiguous() &&
           (!isDropped || input.dropout.places.defined()) &&
           (!bias.defined() || (bias.dim() == 4 && bias.size(1) == 1 && bias.size(3) == scores_BAQK.size(3) &&
                                bias.stride(3) == 1));
}

ScoreShape shapeOf(const at::Tensor& scores_BAQK, const ScoreInput& input)
{
    ScoreShape shape{scores_BAQK.size(0), scores_BAQK.size(1), scores_BAQK.size(2), scores_BAQK.size(3)};
    shape.length = input.dropout.length;
    shape.firstHead = input.dropout.firstHead;
    shape.causal = input.isCausal;
    return shape;
}

template <typename T>
ScoreBias<T> biasOf(const ScoreInput& input)
{
    if (!input.bias.defined() || input.isCausal)
        return {};
    const auto stride = [&](std::int64_t dimension) {
        return input.bias.size(dimension) == 1 ? 0 : input.bias.stride(dimension);
    };
    return {readFrom<T>(input.bias), stride(0), stride(2)};
}

const std::uint64_t* samplesOf(const ScoreInput& input)
{
    return input.dropout.rates.dropBelow > 0 ? readFrom<std::uint64_t>(input.dropout.places) : nullptr;
}

} // namespace

NormForward CudaCompute::normForward(const NormInput& input, const at::Tensor& weight,
                                     const at::Tensor& shift, double epsilon) const
{
    return hasKernel(input, weight, shift) ? launchNorm(input, {}, {}, weight, shift, epsilon)
                                           : DeviceCompute::normForward(input, weight, shift, epsilon);
}

NormGradients CudaCompute::normBackward(const NormBackwardInput& input) const
{
    return hasKernel(input) ? launchNormGradient(input, {}, {}) : DeviceCompute::normBackward(input);
}

NormForward CudaCompute::dropNormForward(const NormInput& input, const RowDropout& dropout,
                                         const at::Tensor& weight, const at::Tensor& shift,
                                         double epsilon) const
{
    return dropout.places.defined() && hasKernel(input, weight, shift)
               ? launchNorm(input, dropout.places, dropout.rates, weight, shift, epsilon)
               : DeviceCompute::dropNormForward(input, dropout, weight, shift, epsilon);
}

NormGradients CudaCompute::dropNormBackward(const NormBackwardInput& input, const KeptDropout& dropout) const
{
    return dropout.mask.defined() ? DeviceCompute::dropNormBackward(input, dropout)
                                  : launchNormGradient(input, dropout.places, dropout.rates);
}

at::Tensor CudaCompute::activationForward(const at::Tensor& input, const at::Tensor& bias,
                                          Activation activation) const
{
    if (!haveKernelType({input, bias}))
        return DeviceCompute::activationForward(input, bias, activation);
    const at::Tensor output = at::empty_like(input);
    launchFor(input, [&]<typename T>(T, cudaStream_t stream) {
        return launchActivation(activation, readFrom<T>(input), readFrom<T>(bias), writeTo<T>(output),
                                rowsOf(input), input.size(-1), stream);
    });
    return output;
}

ActivationGradients CudaCompute::activationBackward(const at::Tensor& gradient, const at::Tensor& input,
                                                    const at::Tensor& bias, Activation activation) const
{
    if (!haveKernelType({input, gradient, bias}))
        return DeviceCompute::activationBackward(gradient, input, bias, activation);
    const std::int64_t columns = input.size(-1);
    const at::Tensor ofInput = at::empty_like(input);
    const at::Tensor ofBias = bias.defined() ? emptyWide(input, {columns}) : at::Tensor();
    const at::Tensor scratch = bias.defined() ? emptyWide(input, {activationScratch(columns)}) : at::Tensor();
    launchFor(input, [&]<typename T>(T, cudaStream_t stream) {
        return launchActivationGradient(activation, readFrom<T>(gradient), readFrom<T>(input),
                                        readFrom<T>(bias), writeTo<T>(ofInput), writeTo<Wide<T>>(ofBias),
                                        rowsOf(input), columns, writeTo<Wide<T>>(scratch), stream);
    });
    return {ofInput, ofBias};
}

// One copy, from pinned memory, so that the host goes on.
DropoutPlaces CudaCompute::placesOf(std::span<const DropoutPart> rows, std::span<const std::uint64_t> samples,
                                    const c10::Device& device) const
{
    static_assert(sizeof(TokenPlace) == 2 * sizeof(std::int64_t));
    std::int64_t tokens = 0;
    for (const DropoutPart& run : rows)
        tokens += run.count;
    const auto sequences = static_cast<std::int64_t>(samples.size());
    const at::Tensor onHost =
        at::empty({2 * tokens + sequences}, at::TensorOptions(at::kLong).pinned_memory(!device.is_cpu()));
    auto* place = writeTo<TokenPlace>(onHost);
    for (const DropoutPart& run : rows) {
        for (std::int64_t i = 0; i < run.count; ++i)
            *place++ = {run.sample, run.firstElement + i};
    }
    std::ranges::copy(samples, reinterpret_cast<std::uint64_t*>(place));
    const at::Tensor there = onHost.to(device, /*non_blocking=*/true);
    return {there.narrow(0, 0, 2 * tokens).view({tokens, 2}), there.narrow(0, 2 * tokens, sequences)};
}

Probabilities CudaCompute::probabilities(const at::Tensor& scores_BAQK, const ScoreInput& input) const
{
    if (!hasKernel(scores_BAQK, input))
        return DeviceCompute::probabilities(scores_BAQK, input);
    const at::Tensor values = at::empty_like(scores_BAQK);
    const ScoreShape shape = shapeOf(scores_BAQK, input);
    const at::Tensor logSums = emptyWide(scores_BAQK, {shape.batch, shape.heads, shape.queries});
    launchFor(scores_BAQK, [&]<typename T>(T, cudaStream_t stream) {
        return launchProbabilities(readFrom<T>(scores_BAQK), shape, 1.0, biasOf<T>(input), samplesOf(input),
                                   input.dropout.rates, writeTo<T>(values), writeTo<Wide<T>>(logSums),
                                   stream);
    });
    return {values, scores_BAQK, logSums, {}};
}

at::Tensor CudaCompute::probabilitiesGradient(const at::Tensor& gradient_BAQK, const Probabilities& forward,
                                              const ScoreInput& input) const
{
    if (!forward.logSums.defined())
        return DeviceCompute::probabilitiesGradient(gradient_BAQK, forward, input);
    const at::Tensor gradient = gradient_BAQK.contiguous();
    const at::Tensor& scores_BAQK = forward.kept;
    const at::Tensor ofScores = at::empty_like(scores_BAQK);
    launchFor(scores_BAQK, [&]<typename T>(T, cudaStream_t stream) {
        return launchScoreGradient(readFrom<T>(gradient), readFrom<T>(scores_BAQK),
                                   shapeOf(scores_BAQK, input), 1.0, biasOf<T>(input), samplesOf(input),
                                   input.dropout.rates, readFrom<Wide<T>>(forward.logSums),
                                   writeTo<T>(ofScores), stream);
    });
    return ofScores;
}

RowLosses CudaCompute::rowLosses(const at::Tensor& logits_MC, const at::Tensor& targets_M) const
{
    if (!haveKernelType({logits_MC}))
        return DeviceCompute::rowLosses(logits_MC, targets_M);
    const std::int64_t rows = logits_MC.size(0);
    const at::Tensor logSums_M = emptyWide(logits_MC, {rows});
    const at::Tensor losses = at::empty({rows + 1}, logits_MC.options().dtype(at::kDouble)); // and their sum
    launchFor(logits_MC, [&]<typename T>(T, cudaStream_t stream) {
        auto* const ofRows = writeTo<double>(losses);
        return launchRowLosses(readFrom<T>(logits_MC), readFrom<std::int64_t>(targets_M), rows,
                               logits_MC.size(1), logits_MC.stride(0), writeTo<Wide<T>>(logSums_M), ofRows,
                               ofRows + rows, stream);
    });
    return {losses[rows].to(logSums_M.scalar_type()), logSums_M};
}

at::Tensor CudaCompute::rowLossGradient(const at::Tensor& logits_MC, const at::Tensor& targets_M,
                                        const at::Tensor& logSums_M, const at::Tensor& scale) const
{
    if (!haveKernelType({logits_MC}))
        return DeviceCompute::rowLossGradient(logits_MC, targets_M, logSums_M, scale);
    const at::Tensor gradient =
        at::empty_strided(logits_MC.sizes(), logits_MC.strides(), logits_MC.options());
    const at::Tensor upstream = scale.to(logSums_M.scalar_type());
    launchFor(logits_MC, [&]<typename T>(T, cudaStream_t stream) {
        return launchRowLossGradient(readFrom<T>(logits_MC), readFrom<std::int64_t>(targets_M),
                                     readFrom<Wide<T>>(logSums_M), readFrom<Wide<T>>(upstream), 1.0,
                                     logits_MC.size(0), logits_MC.size(1), logits_MC.stride(0),
                                     writeTo<T>(gradient), stream);
    });
    return gradient;
}

// CUDA multiplies matrices of 16 bits into one of float32.
const Compute* cudaCompute()
{
    static const CudaCompute compute({*cudaMasks(), /*widensProducts=*/true});
    return &compute;
}

} // namespace trainyard
