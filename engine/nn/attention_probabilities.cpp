#include "engine/nn/attention_probabilities.h"

#include "engine/nn/compute/kept_compute.h"
#include "engine/nn/compute/kept_dropout.h"

namespace trainyard {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct ProbabilitiesFunction : torch::autograd::Function<ProbabilitiesFunction> {
    static at::Tensor forward(AutogradContext* context, const at::Tensor& scores_BAQK,
                              const ScoreInput& input, const Compute& compute)
    {
        const Probabilities result = compute.probabilities(scores_BAQK, input);
        keepCompute(context, compute);
        keepRates(context, input.dropout.rates);
        context->save_for_backward(
            {result.kept, result.logSums, result.mask, input.bias, input.dropout.places});
        context->saved_data["isCausal"] = input.isCausal;
        context->saved_data["length"] = input.dropout.length;
        context->saved_data["firstHead"] = input.dropout.firstHead;
        return result.values;
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients)
    {
        const auto saved = context->get_saved_variables();
        const ScoreInput input{saved[3],
                               context->saved_data["isCausal"].toBool(),
                               {{},
                                saved[4],
                                context->saved_data["length"].toInt(),
                                context->saved_data["firstHead"].toInt(),
                                keptRates(context)}};
        return {keptCompute(context).probabilitiesGradient(gradients[0], {{}, saved[0], saved[1], saved[2]},
                                                           input),
                at::Tensor(), at::Tensor()};
    }
};

} // namespace

at::Tensor attentionProbabilities(const at::Tensor& scores_BAQK, const ScoreInput& input,
                                  const Compute& compute)
{
    return ProbabilitiesFunction::apply(scores_BAQK, input, compute);
}

} // namespace trainyard
