#include "engine/evaluation/evaluation.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/full.h>
#include <ATen/ops/scalar_tensor.h>
#include <c10/util/Exception.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/base/file.h"
#include "engine/checkpoint/hugging_face/hugging_face_export.h"
#include "engine/checkpoint/hugging_face/stored_model.h"
#include "engine/checkpoint/tensor_views.h"
#include "engine/evaluation/eval_inputs.h"
#include "engine/evaluation/layout_evaluation.h"
#include "engine/nn/language_model.h"
#include "engine/optim/gradient_norm.h"
#include "engine/optim/loss_scaler.h"
#include "engine/optim/optimizer.h"
#include "engine/spec/families/family_table.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

struct Evaluated {
    at::Tensor loss;
    Logits logits; ///< at every position [B, S, V], of BERT at the masked ones [M, V]
};

constexpr std::int64_t kIgnored = -100;

/// The type in which Hugging Face's class computes the loss of words or tags.
at::ScalarType lossType(const ModelSpec& model, at::ScalarType ofLogits)
{
    const bool isOfWords = model.predictsWords();
    return isOfWords && familyTable(model.family).huggingFace.lossInFloat32 ? at::kFloat : ofLogits;
}

// Hugging Face computes a loss over all positions, most classes in float32 whatever the type of the model: so
// does this, to be compared with it digit by digit.
at::Tensor lossOverAll(const ModelSpec& model, const at::Tensor& logits_TV, const TokenBatch& batch)
{
    const at::Tensor labels_T = at::full({logits_TV.size(0)}, kIgnored, at::kLong);
    labels_T.index_copy_(0, batch.targetPositions, batch.targets);
    return at::cross_entropy_loss(logits_TV.to(lossType(model, logits_TV.scalar_type())), labels_T, {},
                                  at::Reduction::Mean, kIgnored);
}

// Gradients of float16 need a scaled loss: the largest scale that leaves them finite, as in training. They
// are left in the model's parameter store, without it.
void computeGradients(LanguageModel& model, const at::Tensor& loss)
{
    ParameterStore& parameters = model.parameters();
    LossScaler scaler({parameters.computeType()}, {});
    const auto scaledBackward = [&] {
        const bool mayRepeat = scaler.canSkip();
        parameters.beginGradients();
        (loss * scaler.scale()).backward({}, mayRepeat);
        return !mayRepeat || parameters.flatGradients().isfinite().all().item<bool>();
    };
    while (!scaledBackward())
        scaler.update(true);
    if (scaler.scale() != 1)
        parameters.flatGradients().div_(scaler.scale());
}

/// The loss is that of the labelled tokens, whose logits are among those of all.
at::Tensor taskLoss(const TaskSpec& task, const Logits& logits, const TokenBatch& batch,
                    const Compute& compute)
{
    Logits judged = logits;
    if (judged.tokens.defined())
        judged.tokens = judged.tokens.index_select(0, batch.targetPositions);
    return taskLossSums(task, judged, batch, compute).normalised(batch.targetCount(), batch.sequences());
}

at::Tensor lossOf(const ModelSpec& model, const Logits& logits, const TokenBatch& batch,
                  const Compute& compute)
{
    if (model.task.hasHead())
        return taskLoss(model.task, logits, batch, compute);
    return givesEveryToken(model)
               ? lossOverAll(model, logits.tokens, batch)
               : lossSums(logits, batch, compute).normalised(batch.targetCount(), batch.sequences());
}

at::Tensor outsideGraph(const at::Tensor& tensor)
{
    return tensor.defined() ? tensor.detach() : tensor;
}

Evaluated evaluate(LanguageModel& model, const TokenBatch& batch)
{
    TokenBatch asked = batch;
    if (givesEveryToken(model.spec()))
        asked.targetPositions = at::arange(batch.inputIds.numel(), at::kLong);
    const Logits logits = model.logits(asked, std::nullopt);
    const at::Tensor loss = lossOf(model.spec(), logits, batch, *model.parameters().device().compute);
    computeGradients(model, loss);
    return {loss.detach(), {outsideGraph(logits.tokens), outsideGraph(logits.sequences)}};
}

using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;

NamedTensors namedLogits(const Logits& logits, const TokenBatch& batch, const ModelSpec& model)
{
    if (model.task.kind == TaskKind::Answer)
        return {{"start_logits", logits.sequences.select(1, 0).contiguous()},
                {"end_logits", logits.sequences.select(1, 1).contiguous()}};
    if (model.task.judgesSequences())
        return {{"logits", logits.sequences}};
    if (givesEveryToken(model))
        return {{"logits", logits.tokens.view({batch.sequences(), batch.sequenceLength(), -1})}};
    NamedTensors tensors{{"mlm_logits_at_masked", logits.tokens}};
    if (logits.sequences.defined())
        tensors.emplace_back("nsp_logits", logits.sequences);
    return tensors;
}

/// Gradients by parameter, in the shape of the logical tensor.
using Gradients = std::vector<std::pair<ParameterSpec, at::Tensor>>;

Status writeOutputs(const fs::path& out, const Evaluated& evaluated, const TokenBatch& batch,
                    const ModelSpec& model, const Gradients& gradients)
{
    NamedTensors outputs = namedLogits(evaluated.logits, batch, model);
    outputs.emplace_back("loss", evaluated.loss.view({1}));
    for (const auto& [parameter, gradient] : gradients)
        outputs.emplace_back("grad." + huggingFaceName(model, parameter.name),
                             huggingFaceLayout(model, parameter, gradient));
    std::vector<TensorBytes> tensors;
    for (auto& [name, values] : outputs) {
        values = values.contiguous(); // rows of logits may lie apart
        tensors.push_back(bytesOf(name, values));
    }
    return publishAtomically(out, [&](const fs::path& temporary) -> Status {
        const auto written = writeSafetensors(temporary, tensors);
        return written.ok() ? Status() : Status(written.error());
    });
}

Status writeOnOneRank(const fs::path& out, LanguageModel& model, const TokenBatch& batch)
{
    const Evaluated evaluated = evaluate(model, batch);
    Gradients gradients;
    for (const Parameter& parameter : model.parameters().parameters()) {
        if (!parameter.spec.isFrozen)
            gradients.emplace_back(parameter.spec, parameter.gradient);
    }
    return writeOutputs(out, evaluated, batch, model.spec(), gradients);
}

/// In the same types as on one rank.
Status writeInLayout(const EvalOptions& options, const LanguageModel& model, const TokenBatch& batch)
{
    TRAINYARD_TRY(const RunSpec run, evaluationRun(*options.layout, model.spec(), options.precision, batch));
    WholeTensors weights;
    for (const Parameter& parameter : model.parameters().parameters())
        weights[parameter.spec.name] = parameter.master;
    TRAINYARD_TRY(const LayoutEvaluation result, evaluateInLayout(run, weights, batch, options.device));
    const at::ScalarType compute = computeScalarType(options.precision);
    const at::ScalarType master = masterScalarType(options.precision);
    const bool isOverAll = givesEveryToken(model.spec()) && model.spec().predictsWords();
    const auto computed = [compute](const at::Tensor& tensor) {
        return tensor.defined() ? tensor.to(compute) : tensor;
    };
    const Evaluated evaluated{
        at::scalar_tensor(result.loss, isOverAll ? lossType(model.spec(), master) : master),
        {computed(result.logits.tokens), computed(result.logits.sequences)}};
    Gradients gradients;
    for (const Parameter& parameter : model.parameters().parameters()) {
        if (!parameter.spec.isFrozen)
            gradients.emplace_back(parameter.spec, result.gradients.at(parameter.spec.name).to(master));
    }
    return writeOutputs(*options.out, evaluated, batch, model.spec(), gradients);
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
    TRAINYARD_TRY(StoredModel stored, StoredModel::open(options.model, options.checkpoint));
    TRAINYARD_TRY(const auto model, stored.load(options.precision, options.device));
    TRAINYARD_TRY(const TokenBatch batch, readEvalInputs(options.inputs, model->spec()));
    if (options.out)
        TRAINYARD_TRY_STATUS(options.layout ? writeInLayout(options, *model, batch)
                                            : writeOnOneRank(*options.out, *model, batch));
    return options.training ? train(*model, batch, *options.training) : TrainingSeries();
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
