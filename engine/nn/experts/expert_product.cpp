#include "engine/nn/experts/expert_product.h"

#include <ATen/ops/empty.h>
#include <torch/csrc/autograd/custom_function.h>

#include "engine/nn/compute/kept_compute.h"
#include "engine/nn/parameters/gradient_collector.h"

namespace trainyard {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// The rows of each expert.
std::vector<at::Tensor> rowsOf(const at::Tensor& rows, c10::ArrayRef<std::int64_t> counts)
{
    return rows.split_with_sizes(counts);
}

/// The weight of each expert.
std::vector<at::Tensor> weightsOf(const at::Tensor& weight, c10::ArrayRef<std::int64_t> counts)
{
    return weight.chunk(static_cast<std::int64_t>(counts.size()));
}

/// Rows [N, width], each expert's made of its rows of `input` and its weight.
template <typename Multiply>
at::Tensor perExpert(const at::Tensor& input, const at::Tensor& weight, c10::ArrayRef<std::int64_t> counts,
                     std::int64_t width, const Multiply& multiply)
{
    const at::Tensor result = at::empty({input.size(0), width}, input.options());
    const std::vector<at::Tensor> results = rowsOf(result, counts);
    const std::vector<at::Tensor> inputs = rowsOf(input, counts);
    const std::vector<at::Tensor> weights = weightsOf(weight, counts);
    for (std::size_t e = 0; e < counts.size(); ++e) {
        if (counts[e] > 0)
            results[e].copy_(multiply(inputs[e], weights[e]));
    }
    return result;
}

/// y_e = x_e W_e^T:   dx_e = dy_e W_e,   dW_e = dy_e^T x_e. A frozen W keeps no x.
struct ExpertProduct : torch::autograd::Function<ExpertProduct> {
    static at::Tensor forward(AutogradContext* context, const at::Tensor& input, const at::Tensor& weight,
                              const std::vector<std::int64_t>& counts, const Compute& compute)
    {
        keepCompute(context, compute);
        context->save_for_backward({weight.requires_grad() ? input : at::Tensor(), weight});
        context->saved_data["weight"] = GradientRoute(weight).number();
        context->saved_data["counts"] = counts;
        const std::int64_t width = weight.size(0) / static_cast<std::int64_t>(counts.size());
        return perExpert(input, weight, counts, width, [&](const at::Tensor& rows, const at::Tensor& matrix) {
            return compute.affine(rows, matrix, {});
        });
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients)
    {
        const auto saved = context->get_saved_variables();
        const at::Tensor& weight = saved[1];
        const std::vector<std::int64_t> counts = context->saved_data["counts"].toIntVector();
        const Compute& compute = keptCompute(context);
        const at::Tensor gradient = gradients[0].contiguous();
        variable_list result(4);
        if (context->needs_input_grad(1)) {
            std::vector<at::Tensor> left;
            for (const at::Tensor& rows : rowsOf(gradient, counts))
                left.push_back(rows.t());
            const auto route = GradientRoute::fromNumber(context->saved_data["weight"].toInt());
            result[1] = route.deliverBlocks(left, rowsOf(saved[0], counts), compute);
        }
        if (context->needs_input_grad(0))
            result[0] = perExpert(gradient, weight, counts, weight.size(1),
                                  [&](const at::Tensor& rows, const at::Tensor& matrix) {
                                      return compute.product(rows, matrix);
                                  });
        return result;
    }
};

} // namespace

at::Tensor expertProduct(const at::Tensor& input_NI, const at::Tensor& weight,
                         std::span<const std::int64_t> counts, const Compute& compute)
{
    return ExpertProduct::apply(input_NI, weight, std::vector<std::int64_t>(counts.begin(), counts.end()),
                                compute);
}

} // namespace trainyard
