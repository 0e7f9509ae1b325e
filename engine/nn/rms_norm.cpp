#include "engine/nn/rms_norm.h"

#include <torch/csrc/autograd/custom_function.h>

#include "engine/comm/process_group.h"
#include "engine/nn/parameters/gradient_collector.h"
#include "engine/nn/wide_type.h"

namespace trainyard {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Over whole rows, [..., 1].
at::Tensor rowMeans(const at::Tensor& values, const TensorParallel& columns)
{
    at::Tensor sums = values.sum(-1, /*keepdim=*/true);
    reduceInPlace(sums, columns);
    return sums.div_(static_cast<double>(values.size(-1) * columns.ranks()));
}

/// With h = x d, d = 1 / sqrt(mean(x^2) + epsilon) and p = w dy:   dx = d (p - h mean(p h)),   dw = sum of dy
/// h.
struct RmsNorm : torch::autograd::Function<RmsNorm> {
    static at::Tensor forward(AutogradContext* context, const at::Tensor& input, const at::Tensor& weight,
                              bool isOffset, double epsilon, const TensorParallel& columns)
    {
        const at::Tensor x = inWideType(input);
        const at::Tensor scale = rowMeans(x.square(), columns).add_(epsilon).rsqrt_();
        context->save_for_backward({input, scale, weight});
        context->saved_data["isOffset"] = isOffset;
        context->saved_data["group"] = reinterpret_cast<std::int64_t>(columns.group);
        context->saved_data["weight"] = GradientRoute(weight).number();
        return (x * scale).mul_(factor(weight, isOffset)).to(input.scalar_type());
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients)
    {
        const auto saved = context->get_saved_variables();
        const TensorParallel columns{reinterpret_cast<ProcessGroup*>(context->saved_data["group"].toInt()),
                                     false};
        const at::Tensor gradient = inWideType(gradients[0]);
        const at::Tensor normed = inWideType(saved[0]) * saved[1];
        variable_list result(5);
        if (context->needs_input_grad(1)) {
            const at::Tensor products = (gradient * normed).reshape({-1, normed.size(-1)});
            result[1] =
                GradientRoute::fromNumber(context->saved_data["weight"].toInt()).deliver(products.sum(0));
        }
        if (context->needs_input_grad(0)) {
            const at::Tensor p = gradient * factor(saved[2], context->saved_data["isOffset"].toBool());
            const at::Tensor means = rowMeans(p * normed, columns);
            result[0] = (p - normed * means).mul_(saved[1]).to(saved[0].scalar_type());
        }
        return result;
    }

private:
    static at::Tensor factor(const at::Tensor& weight, bool isOffset)
    {
        return isOffset ? inWideType(weight) + 1 : inWideType(weight);
    }
};

} // namespace

at::Tensor rmsNorm(const at::Tensor& input, const at::Tensor& weight, bool isOffset, double epsilon,
                   const TensorParallel& columns)
{
    return RmsNorm::apply(input, weight, isOffset, epsilon, columns);
}

} // namespace trainyard
