#include "engine/nn/cross_entropy.h"

#include <limits>

#include <ATen/ops/where.h>
#include <c10/core/GradMode.h>

#include "engine/nn/compute/kept_compute.h"
#include "engine/nn/wide_type.h"

namespace trainyard {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Which targets this rank has, and their columns here (0 where it has not).
struct LocalTargets {
    at::Tensor here_M;
    at::Tensor columns_M1;

    LocalTargets(const at::Tensor& targets, IndexRange vocabulary)
        : here_M(targets.ge(vocabulary.begin).logical_and_(targets.lt(vocabulary.end)))
        , columns_M1(at::where(here_M, targets - vocabulary.begin, 0).unsqueeze(1))
    {
    }
};

/// Loss of row i = log(sum of exp(z_i)) - z_i[target]; its gradient softmax(z_i) - onehot(target), so each
/// rank needs no more of the others than the sum of the exponentials.
struct VocabularyCrossEntropy : torch::autograd::Function<VocabularyCrossEntropy> {
    static at::Tensor forward(AutogradContext* context, const at::Tensor& logits_MV,
                              const at::Tensor& targets_M, const IndexRange& vocabulary,
                              const TensorParallel& parallel)
    {
        at::Tensor scores = inWideType(logits_MV).clone();
        // Largest over all ranks' columns: exponentials of larger differences would overflow float32.
        at::Tensor largest_M = std::get<0>(scores.max(1)).contiguous();
        reduceInPlace(largest_M, parallel, true);
        scores.sub_(largest_M.unsqueeze(1));
        const LocalTargets local(targets_M, vocabulary);
        at::Tensor target_M = scores.gather(1, local.columns_M1).squeeze(1).mul_(local.here_M);
        scores.exp_();
        at::Tensor sum_M = scores.sum(1);
        reduceInPlace(target_M, parallel);
        reduceInPlace(sum_M, parallel);
        // Kept as probabilities: the gradient is one subtraction from them, and the logits can go.
        scores.div_(sum_M.unsqueeze(1));
        context->save_for_backward({scores, local.columns_M1, local.here_M});
        context->saved_data["type"] = static_cast<std::int64_t>(logits_MV.scalar_type());
        return (sum_M.log() - target_M).sum();
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients)
    {
        const auto saved = context->get_saved_variables();
        at::Tensor gradient = saved[0].clone();
        gradient.scatter_add_(1, saved[1], saved[2].unsqueeze(1).to(gradient.scalar_type()).neg());
        gradient.mul_(gradients[0]);
        const auto type = static_cast<at::ScalarType>(context->saved_data["type"].toInt());
        return {gradient.to(type), at::Tensor(), at::Tensor(), at::Tensor()};
    }
};

struct CrossEntropy : torch::autograd::Function<CrossEntropy> {
    static at::Tensor forward(AutogradContext* context, const at::Tensor& logits_MC,
                              const at::Tensor& targets_M, const Compute& compute)
    {
        keepCompute(context, compute);
        const at::Tensor logits = compute.asOperand(logits_MC);
        const at::Tensor targets = targets_M.contiguous();
        const RowLosses losses = compute.rowLosses(logits, targets);
        context->save_for_backward({logits, targets, losses.logSums_M});
        return losses.sum;
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients)
    {
        const auto saved = context->get_saved_variables();
        return {keptCompute(context).rowLossGradient(saved[0], saved[1], saved[2], gradients[0]),
                at::Tensor(), at::Tensor()};
    }
};

} // namespace

at::Tensor crossEntropySum(const at::Tensor& logits_MC, const at::Tensor& targets_M, const Compute& compute)
{
    return CrossEntropy::apply(logits_MC, targets_M, compute);
}

at::Tensor vocabularyCrossEntropySum(const at::Tensor& logits_MV, const at::Tensor& targets_M,
                                     IndexRange vocabulary, const TensorParallel& parallel,
                                     const Compute& compute)
{
    if (!parallel.isOn())
        return crossEntropySum(logits_MV, targets_M, compute);
    return VocabularyCrossEntropy::apply(logits_MV, targets_M, vocabulary, parallel);
}

at::Tensor correctPredictions(const at::Tensor& logits_MV, const at::Tensor& targets_M, IndexRange vocabulary,
                              const TensorParallel& parallel)
{
    const c10::AutoGradMode noGraph(false);
    const auto [largestHere_M, columns_M] = logits_MV.max(1);
    const at::Tensor mine_M = inWideType(largestHere_M).contiguous();
    at::Tensor largest_M = mine_M.clone();
    reduceInPlace(largest_M, parallel, true);
    // The first of the ranks that have the largest logit, as the maximum of negative numbers. float32 has
    // every vocabulary's indices.
    at::Tensor first_M = at::where(mine_M == largest_M, -(columns_M + vocabulary.begin),
                                   std::numeric_limits<std::int32_t>::min())
                             .to(mine_M.scalar_type());
    reduceInPlace(first_M, parallel, true);
    return first_M.eq(-targets_M).sum().to(mine_M.scalar_type());
}

} // namespace trainyard
