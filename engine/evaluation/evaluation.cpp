#include "engine/evaluation/evaluation.h"

#include <c10/util/Exception.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/base/file.h"
#include "engine/checkpoint/hugging_face.h"
#include "engine/checkpoint/tensor_views.h"
#include "engine/evaluation/eval_inputs.h"
#include "engine/nn/language_model.h"
#include "engine/optim/gradient_norm.h"
#include "engine/optim/optimizer.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

struct Evaluated {
    at::Tensor loss;
    Logits logits;
};

// Leaves the gradients in the model's parameter store.
Evaluated evaluate(LanguageModel& model, const TokenBatch& batch)
{
    const Logits logits = model.logits(batch, std::nullopt);
    const at::Tensor loss = lossSums(logits, batch).normalised(batch.targetCount(), batch.sequences());
    model.parameters().beginGradients();
    loss.backward();
    return {loss.detach(), {logits.tokens.detach(), logits.sequences.detach()}};
}

Status writeOutputs(const fs::path& out, const Evaluated& evaluated, const ParameterStore& parameters)
{
    const at::Tensor loss = evaluated.loss.view({1});
    std::vector<TensorBytes> tensors{bytesOf("loss", loss),
                                     bytesOf("mlm_logits_at_masked", evaluated.logits.tokens),
                                     bytesOf("nsp_logits", evaluated.logits.sequences)};
    for (const Parameter& parameter : parameters.parameters())
        tensors.push_back(bytesOf("grad." + parameter.spec.name, parameter.gradient));
    return publishAtomically(out, [&](const fs::path& temporary) -> Status {
        const auto written = writeSafetensors(temporary, tensors);
        return written.ok() ? Status() : Status(written.error());
    });
}

TrainingSeries train(LanguageModel& model, const TokenBatch& batch, const EvalTraining& training)
{
    const std::vector<OptimizedTensor> tensors = optimizedTensors(model.parameters());
    const auto optimizer = makeOptimizer(training.optimizer, tensors);
    TrainingSeries series;
    for (int step = 0; step < training.steps; ++step) {
        series.losses.push_back(evaluate(model, batch).loss.item<double>());
        const double norm = globalGradientNorm(tensors);
        series.gradientNorms.push_back(norm);
        optimizer->step(training.optimizer.learningRate, clipCoefficient(norm, training.optimizer));
    }
    return series;
}

Result<TrainingSeries> run(const EvalOptions& options)
{
    TRAINYARD_TRY(const ModelSpec spec, readHuggingFaceConfig(options.huggingFace));
    LanguageModel model(spec, options.precision);
    TRAINYARD_TRY_STATUS(loadHuggingFaceWeights(options.huggingFace, model.parameters()));
    TRAINYARD_TRY(const TokenBatch batch, readEvalInputs(options.inputs, spec));
    if (options.out) {
        const Evaluated evaluated = evaluate(model, batch);
        TRAINYARD_TRY_STATUS(writeOutputs(*options.out, evaluated, model.parameters()));
    }
    return options.training ? train(model, batch, *options.training) : TrainingSeries();
}

} // namespace

Result<TrainingSeries> runEval(const EvalOptions& options)
{
    try {
        return run(options);
    } catch (const c10::Error& error) {
        return failed(std::string("eval: ") + error.what_without_backtrace());
    }
}

std::string TrainingSeries::toTable() const
{
    std::string table = "step          loss  gradient norm";
    for (std::size_t i = 0; i < losses.size(); ++i)
        table += fmt::format("\n{:4}  {:12.6f}  {:13.6f}", i + 1, losses[i], gradientNorms[i]);
    return table;
}

std::string TrainingSeries::toJson() const
{
    return nlohmann::ordered_json{{"losses", losses}, {"grad_norms", gradientNorms}}.dump();
}

} // namespace trainyard
