#include "engine/nn/compute/device_compute.h"

#include <tuple>

#include <ATen/ops/addmm.h>
#include <ATen/ops/embedding_dense_backward.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/gelu_backward.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/native_dropout_backward.h>
#include <ATen/ops/native_layer_norm.h>
#include <ATen/ops/native_layer_norm_backward.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/silu_backward.h>
#include <ATen/ops/threshold_backward.h>

#include "engine/base/check.h"
#include "engine/nn/parameters/gradient_place.h"
#include "engine/nn/parameters/slice_geometry.h"

namespace trainyard {

namespace {

at::ScalarType wideTypeOf(const at::Tensor& values)
{
    return values.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
}

at::Tensor widened(const at::Tensor& values)
{
    return values.to(wideTypeOf(values));
}

at::Tensor plus(const at::Tensor& a, const at::Tensor& b)
{
    return b.defined() ? a + b : a;
}

at::Tensor slopeTimes(const at::Tensor& gradient, const at::Tensor& x, Activation activation)
{
    switch (activation) {
    case Activation::Geglu:
    case Activation::Gelu:
        return at::gelu_backward(gradient, x);
    case Activation::GegluNew:
    case Activation::GeluNew:
        return at::gelu_backward(gradient, x, "tanh");
    case Activation::Relu:
        return at::threshold_backward(gradient, x, 0);
    case Activation::Silu:
    case Activation::Swiglu:
        return at::silu_backward(gradient, x);
    }
    TRAINYARD_CHECK_MSG(false, "unknown activation");
    return gradient;
}

/// An extent of a product, in parts that the fast kernels of cuBLAS take. A vocabulary has any size; with
/// extents that are no multiples of 16 bytes products take six times as long (50,257 columns of GPT-2 on an
/// H100 15.2 ms, where 50,304 take 2.4), even where rows begin at such multiples.
class FastParts {
public:
    explicit FastParts(std::int64_t extent)
        : m_extent(extent), m_main(extent % kAligned == 0 ? extent : extent / kStep * kStep)
    {
    }

    bool isWhole() const { return m_main == m_extent || m_main == 0; }
    std::vector<IndexRange> ranges() const
    {
        if (isWhole())
            return {{0, m_extent}};
        return {{0, m_main}, {m_main, m_extent}};
    }
    /// Of rows of such an extent that begin at multiples of 16 bytes; in elements.
    std::int64_t pitch(std::size_t elementSize) const
    {
        const std::int64_t step = kRowBytes / static_cast<std::int64_t>(elementSize);
        return (m_extent + step - 1) / step * step;
    }

private:
    static constexpr std::int64_t kRowBytes = 16;
    static constexpr std::int64_t kAligned = 8; ///< of numbers of 16 bits; others can do with fewer
    static constexpr std::int64_t kStep = 64;

    std::int64_t m_extent;
    std::int64_t m_main;
};

/// Of [T, 3 A D] the queries, keys and values by head: views.
at::Tensor byHead(const at::Tensor& queryKeyValue, const HeadShape& shape)
{
    return queryKeyValue.view({shape.sequences, shape.length, 3, shape.heads, shape.width})
        .permute({2, 0, 3, 1, 4});
}

/// One pass from and to any strides.
void scaleInto(at::Tensor to, const at::Tensor& from, double scale)
{
    at::mul_out(to, from, at::scalar_tensor(scale, at::kDouble));
}

} // namespace

at::Tensor DeviceCompute::affine(const at::Tensor& input, const at::Tensor& weight,
                                 const at::Tensor& bias) const
{
    const std::int64_t columns = weight.size(0);
    const FastParts parts(columns);
    if (parts.isWhole())
        return Compute::affine(input, weight, bias);
    const at::Tensor result =
        at::empty_strided({input.size(0), columns}, {parts.pitch(input.element_size()), 1}, input.options());
    for (const IndexRange part : parts.ranges()) {
        at::Tensor ofPart = result.narrow(1, part.begin, part.size());
        const at::Tensor turned = weight.narrow(0, part.begin, part.size()).t();
        if (bias.defined())
            at::addmm_out(ofPart, bias.narrow(0, part.begin, part.size()), input, turned);
        else
            at::mm_out(ofPart, input, turned);
    }
    return result;
}

at::Tensor DeviceCompute::asOperand(const at::Tensor& gradient) const
{
    const bool hasRows =
        gradient.dim() == 2 && gradient.stride(1) == 1 && gradient.stride(0) >= gradient.size(1);
    return hasRows ? gradient : gradient.contiguous();
}

at::Tensor DeviceCompute::product(const at::Tensor& left, const at::Tensor& right) const
{
    const FastParts parts(left.size(1));
    if (parts.isWhole())
        return at::mm(left, right);
    at::Tensor sum;
    for (const IndexRange part : parts.ranges()) {
        const at::Tensor ofLeft = left.narrow(1, part.begin, part.size());
        const at::Tensor ofRight = right.narrow(0, part.begin, part.size());
        sum = sum.defined() ? sum.addmm_(ofLeft, ofRight) : at::mm(ofLeft, ofRight);
    }
    return sum;
}

void DeviceCompute::putProduct(const GradientPlace& place, const at::Tensor& left,
                               const at::Tensor& right) const
{
    for (const IndexRange part : FastParts(left.size(0)).ranges())
        putWhole({place.values.narrow(0, part.begin, part.size()), place.isFilled},
                 left.narrow(0, part.begin, part.size()), right);
}

void DeviceCompute::putWhole(const GradientPlace& place, const at::Tensor& left,
                             const at::Tensor& right) const
{
    if (place.values.scalar_type() == left.scalar_type())
        return place.putProduct(left, right);
    if (!m_kernels.widensProducts)
        return place.putProduct(widened(left), widened(right));
    at::Tensor sum = place.values;
    if (place.isFilled)
        at::addmm_out(sum, sum, left, right, sum.scalar_type());
    else
        at::mm_out(sum, left, right, sum.scalar_type());
}

void DeviceCompute::putRows(const GradientPlace& place, const at::Tensor& rows_TH, const at::Tensor& ids_T,
                            std::int64_t padding) const
{
    place.put(at::embedding_dense_backward(widened(rows_TH), ids_T, place.values.size(0), padding, false));
}

at::Tensor DeviceCompute::columnSums(const at::Tensor& values) const
{
    return values.sum(0, false, wideTypeOf(values));
}

NormForward DeviceCompute::normForward(const NormInput& input, const at::Tensor& weight,
                                       const at::Tensor& shift, double epsilon) const
{
    const at::Tensor sum = plus(plus(input.input, input.bias), input.residual);
    const auto [output, mean, scale] = at::native_layer_norm(sum, {sum.size(-1)}, weight, shift, epsilon);
    return {output, sum, mean, scale};
}

// ATen gives the gradients of the weights in the weights' type. Those of 16 bits are summed from widened
// copies, for they are added up in float32 over the micro-batches; mean and scale are wide already, but for
// those of ATen's kernel for processors. The last weight stands for the shift, of which only the shape
// counts.
NormGradients DeviceCompute::normBackward(const NormBackwardInput& input) const
{
    const auto backward = [&](const auto& inType, bool ofSum, bool ofWeights) {
        const at::Tensor weight = inType(input.weight);
        return at::native_layer_norm_backward(inType(input.gradient), inType(input.sum), {input.sum.size(-1)},
                                              inType(input.mean_T), inType(input.scale_T), weight, weight,
                                              {ofSum, ofWeights, ofWeights});
    };
    const auto same = [](const at::Tensor& values) { return values; };
    const bool isNarrow = input.sum.scalar_type() != wideTypeOf(input.sum);
    NormGradients result;
    std::tie(result.sum, result.weight, result.shift) = backward(same, true, input.ofWeights && !isNarrow);
    if (input.ofWeights && isNarrow)
        std::tie(std::ignore, result.weight, result.shift) = backward(widened, false, true);
    if (input.ofBias)
        result.bias = columnSums(result.sum);
    return result;
}

at::Tensor DeviceCompute::activationForward(const at::Tensor& input, const at::Tensor& bias,
                                            Activation activation) const
{
    const at::Tensor x = plus(input, bias);
    switch (activation) {
    case Activation::Geglu:
    case Activation::Gelu:
        return at::gelu(x);
    case Activation::GegluNew:
    case Activation::GeluNew:
        return at::gelu(x, "tanh");
    case Activation::Relu:
        return at::relu(x);
    case Activation::Silu:
    case Activation::Swiglu:
        return at::silu(x);
    }
    TRAINYARD_CHECK_MSG(false, "unknown activation");
    return x;
}

ActivationGradients DeviceCompute::activationBackward(const at::Tensor& gradient, const at::Tensor& input,
                                                      const at::Tensor& bias, Activation activation) const
{
    const at::Tensor ofInput = slopeTimes(gradient, plus(input, bias), activation);
    return {ofInput, bias.defined() ? columnSums(ofInput) : at::Tensor()};
}

// ATen's masks are of type bool.
Dropped DeviceCompute::drop(const at::Tensor& input, const DropoutDraw& draw) const
{
    const at::Tensor mask = at::empty(input.sizes(), input.options().dtype(at::kBool));
    m_kernels.masks.fill(static_cast<std::uint8_t*>(mask.mutable_data_ptr()), draw.parts,
                         draw.rates.dropBelow, draw.rates.site);
    return {dropAgain(input, mask, draw.rates.scale), mask};
}

at::Tensor DeviceCompute::dropAgain(const at::Tensor& gradient, const at::Tensor& mask, double scale) const
{
    return at::native_dropout_backward(gradient, mask, scale);
}

// Attention in one kernel reads views, and does not want the queries scaled. Products of matrices would copy
// views, one by one and in each pass again.
HeadTensors DeviceCompute::splitHeads(const at::Tensor& queryKeyValue, const HeadShape& shape,
                                      double scale) const
{
    const at::Tensor views = byHead(queryKeyValue, shape);
    if (scale == 1.0)
        return {views[0], views[1], views[2]};
    const at::Tensor heads = at::empty(views.sizes(), views.options());
    scaleInto(heads[0], views[0], scale);
    heads.narrow(0, 1, 2).copy_(views.narrow(0, 1, 2));
    return {heads[0], heads[1], heads[2]};
}

at::Tensor DeviceCompute::joinHeads(const HeadTensors& gradients, double scale) const
{
    const HeadShape shape = HeadShape::of(gradients[0]);
    const at::Tensor tokens =
        at::empty({shape.tokens(), 3 * shape.heads * shape.width}, gradients[0].options());
    const at::Tensor views = byHead(tokens, shape);
    scaleInto(views[0], gradients[0], scale);
    views[1].copy_(gradients[1]);
    views[2].copy_(gradients[2]);
    return tokens;
}

at::Tensor DeviceCompute::mergeHeads(const at::Tensor& context_BASD) const
{
    const HeadShape shape = HeadShape::of(context_BASD);
    return context_BASD.transpose(1, 2).reshape({shape.tokens(), shape.heads * shape.width});
}

at::Tensor DeviceCompute::unmergeHeads(const at::Tensor& context_TH, const HeadShape& shape) const
{
    return context_TH.view({shape.sequences, shape.length, shape.heads, shape.width})
        .transpose(1, 2)
        .contiguous();
}

// log softmax is one pass, where the logarithm of a sum of exponentials would be five; of it the losses and
// the sums remain.
RowLosses DeviceCompute::rowLosses(const at::Tensor& logits_MC, const at::Tensor& targets_M) const
{
    const at::Tensor targets_M1 = targets_M.unsqueeze(1);
    const at::Tensor picked_M1 = at::log_softmax(widened(logits_MC), 1).gather(1, targets_M1);
    return {picked_M1.sum().neg(), (widened(logits_MC.gather(1, targets_M1)) - picked_M1).squeeze(1)};
}

at::Tensor DeviceCompute::rowLossGradient(const at::Tensor& logits_MC, const at::Tensor& targets_M,
                                          const at::Tensor& logSums_M, const at::Tensor& scale) const
{
    const at::Tensor targets_M1 = targets_M.unsqueeze(1);
    at::Tensor gradient = (logits_MC - logSums_M.unsqueeze(1)).exp_();
    gradient.scatter_add_(1, targets_M1, at::full_like(targets_M1, -1, gradient.options()));
    return gradient.mul_(scale).to(logits_MC.scalar_type());
}

} // namespace trainyard
