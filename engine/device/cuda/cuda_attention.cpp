#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>

#include "engine/device/cuda/attention_launch.h"
#include "engine/device/cuda/cuda_compute.h"
#include "engine/device/cuda/tensor_launch.h"

namespace trainyard {

namespace {

bool isNarrow(const at::Tensor& values)
{
    return values.scalar_type() == at::kBFloat16 || values.scalar_type() == at::kHalf;
}

bool drops(const ScoreInput& input)
{
    return input.dropout.rates.dropBelow > 0;
}

/// Of each key in each sequence, or in all of them.
bool isOfKeys(const at::Tensor& bias)
{
    return bias.dim() == 4 && bias.size(1) == 1 && bias.size(2) == 1 && bias.stride(3) == 1;
}

AttentionShape shapeOf(const HeadShape& shape, const ScoreInput& input)
{
    return {shape.sequences, shape.heads, shape.length, input.dropout.firstHead, input.isCausal};
}

template <typename T>
AttentionInput<T> inputOf(const at::Tensor& queryKeyValue, double scale, const ScoreInput& input)
{
    const bool hasBias = !input.isCausal && input.bias.defined();
    return {readFrom<T>(queryKeyValue), hasBias ? readFrom<T>(input.bias) : nullptr,
            hasBias && input.bias.size(0) > 1 ? input.bias.stride(0) : 0,
            drops(input) ? readFrom<std::uint64_t>(input.dropout.places) : nullptr,
            static_cast<float>(scale)};
}

template <typename T>
AttentionResult<T> resultOf(const TokenAttention& result)
{
    return {writeTo<T>(result.context_TH), writeTo<float>(result.logSums),
            writeTo<std::uint64_t>(result.kept)};
}

/// launchFor(), of the types that these kernels have.
template <typename Enqueue>
void launchNarrow(const at::Tensor& tensor, const Enqueue& enqueue)
{
    const c10::DeviceGuard guard(tensor.device());
    const cudaStream_t stream = c10::cuda::getCurrentCUDAStream();
    C10_CUDA_CHECK(tensor.scalar_type() == at::kBFloat16 ? enqueue(BFloat16(), stream)
                                                         : enqueue(Float16(), stream));
}

} // namespace

bool CudaCompute::attends(const at::Tensor& queryKeyValue, const HeadShape& shape,
                          const ScoreInput& input) const
{
    const at::Tensor& bias = input.bias;
    const bool takesBias = input.isCausal || !bias.defined() ||
                           (isOfKeys(bias) && bias.scalar_type() == queryKeyValue.scalar_type());
    const bool takesDropout =
        !drops(input) || (input.dropout.places.defined() && input.dropout.length == shape.length);
    return isNarrow(queryKeyValue) && shape.width == kAttentionWidth && takesBias && takesDropout &&
           hasAttentionKernel(shapeOf(shape, input));
}

TokenAttention CudaCompute::attend(const at::Tensor& queryKeyValue, const HeadShape& shape, double scale,
                                   const ScoreInput& input) const
{
    const at::TensorOptions place = queryKeyValue.options();
    TokenAttention result{at::empty({shape.tokens(), shape.heads * shape.width}, place),
                          at::empty({shape.sequences, shape.heads, shape.length}, place.dtype(at::kFloat)),
                          {}};
    if (drops(input))
        result.kept = at::empty({shape.sequences, shape.heads, shape.length, shape.length / kAttentionTile},
                                place.dtype(at::kLong));
    launchNarrow(queryKeyValue, [&]<typename T>(T, cudaStream_t stream) {
        return launchAttention<T>(inputOf<T>(queryKeyValue, scale, input), shapeOf(shape, input),
                                  input.dropout.rates, resultOf<T>(result), stream);
    });
    return result;
}

at::Tensor CudaCompute::attendGradient(const at::Tensor& gradient_TH, const at::Tensor& queryKeyValue,
                                       const TokenAttention& forward, const HeadShape& shape, double scale,
                                       const ScoreInput& input) const
{
    const at::Tensor ofTokens = at::empty_like(queryKeyValue);
    const at::Tensor products = at::empty_like(forward.logSums);
    launchNarrow(queryKeyValue, [&]<typename T>(T, cudaStream_t stream) {
        return launchAttentionGradient<T>(
            inputOf<T>(queryKeyValue, scale, input), shapeOf(shape, input), input.dropout.rates,
            resultOf<T>(forward), {readFrom<T>(gradient_TH), writeTo<T>(ofTokens), writeTo<float>(products)},
            stream);
    });
    return ofTokens;
}

} // namespace trainyard
