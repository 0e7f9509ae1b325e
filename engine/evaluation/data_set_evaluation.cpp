#include "engine/evaluation/data_set_evaluation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include <c10/util/Exception.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "datasets/shards/manifest.h"
#include "engine/base/counted.h"
#include "engine/checkpoint/weights/weight_comparison.h"
#include "engine/checkpoint/weights/weight_source.h"
#include "engine/comm/agreement.h"
#include "engine/comm/process_groups.h"
#include "engine/records/evaluation_metrics.h"
#include "engine/spec/data_set_rules.h"
#include "engine/spec/limits.h"
#include "engine/spec/names.h"
#include "engine/spec/validate.h"
#include "engine/training/data/held_out_rows.h"
#include "engine/training/data/training_data.h"
#include "engine/training/held_out_evaluation.h"
#include "engine/training/replica.h"
#include "engine/training/replica_threads.h"
#include "engine/training/training_step.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

/// Bounds the memory of one rank; sums do not depend on it.
constexpr int kMaxMicroBatchTokens = 4096;

/// Of the checkpoint's run, with micro-batches that fit into memory.
BatchSpec batchOnOneRank(const StoredModel& model, int sequenceLength)
{
    BatchSpec batch = model.phase().value_or(RunSpec()).batch;
    batch.micro = std::max(1, batch.micro);
    while (batch.micro % 2 == 0 && std::int64_t{batch.micro} * sequenceLength > kMaxMicroBatchTokens)
        batch.micro /= 2;
    batch.accumulation = batch.global / batch.micro;
    return batch;
}

/// The specification's, or the nearest one that its ranks can share.
BatchSpec batchInLayout(const RunSpec& layout)
{
    BatchSpec batch = layout.batch;
    const int data = std::max(1, layout.layout.data); // validate() refuses less
    batch.micro = std::clamp(batch.micro, 1, std::max(1, batch.global / data));
    batch.accumulation = std::max(1, batch.global / (batch.micro * data));
    batch.global = batch.micro * batch.accumulation * data;
    return batch;
}

/// For rows that do not fit `model`, which is trained and remains as it is. Empty: what they disagree with is
/// another setting.
std::string fixOfDataSet(std::string_view path, const ModelSpec& model)
{
    if (path == "model.vocabulary")
        return "prepare it with the vocabulary of the model (--vocab)";
    if (path == "model.max_positions")
        return fmt::format("prepare it with --seq-len {} or less", model.maxPositions);
    if (path == "model.family")
        return "prepare it with --objective bert or mlm";
    if (path == "model.next_sentence")
        return "prepare it with --objective bert";
    if (path == "task.kind")
        return model.task.isOn() ? fmt::format("prepare it with --task {}", nameOf(model.task.kind))
                                 : std::string("evaluate it on a data set for pre-training");
    if (path == "task.labels")
        return "prepare it with the labels that the model was fine-tuned for (--labels)";
    if (path == "evaluation")
        return model.task.isOn() ? "prepare it with --held-out or --test-fraction"
                                 : "prepare it with --test-fraction";
    return {};
}

/// Everything that keeps the test rows of `manifest` from being evaluated.
Diagnostics problemsOf(const RunSpec& spec, const Manifest& manifest)
{
    Diagnostics problems = validate(spec);
    for (Diagnostic& problem : dataSetProblems(spec, dataSetShape(manifest))) {
        const std::string fix = fixOfDataSet(problem.path, spec.model);
        problem.hint = fix.empty() ? problem.hint : fix;
        problems.push_back(std::move(problem));
    }
    return problems;
}

/// A decoder has no head for its task: the rows decide what of a text it predicts.
TaskSpec taskOn(const Manifest& manifest, const ModelSpec& model)
{
    TaskSpec task = model.task;
    const TaskKind rows = manifest.taskKind();
    if (model.isDecoder() && (rows == TaskKind::None || rows == TaskKind::Complete))
        task.kind = rows;
    return task;
}

/// The run whose evaluation this is. Its optimizer is the one that keeps no state.
Result<RunSpec> evaluatedRun(const StoredModel& model, const DataSetEvaluationOptions& options,
                             const Manifest& manifest)
{
    RunSpec spec = options.layout.value_or(RunSpec());
    spec.batch = options.layout ? batchInLayout(spec) : batchOnOneRank(model, manifest.sequenceLength);
    spec.batch.ramp = {};
    spec.model = model.spec();
    spec.model.task = taskOn(manifest, spec.model);
    spec.model.dropout = 0;
    spec.model.attentionDropout = 0;
    spec.precision.compute = options.precision;
    spec.optimizer = {.kind = OptimizerKind::Sgd, .momentum = 0};
    spec.init = {};
    spec.launch = {}; // nothing is launched
    spec.dataset = {.path = fs::absolute(options.dataSet).string()};
    spec.evaluation = {.everySteps = 1,
                       .batches = options.batches > 0 ? options.batches : std::numeric_limits<int>::max()};
    spec.cluster.nodes = {NodeSpec{.slotCount = kMaxRanks}};
    const Diagnostics problems = problemsOf(spec, manifest);
    if (!problems.empty())
        return toError(problems);
    return spec;
}

Error withoutHead(const WeightComparison& comparison)
{
    return badInput(fmt::format("{} has no tensor {}: its loss cannot be computed", comparison.origin,
                                comparison.drawn.front().name),
                    "evaluate a model with its complete head, such as `trainyard export` writes");
}

/// This rank's part of the weights.
Status readWeights(const fs::path& folder, const RunSpec& spec, Replica& replica)
{
    TRAINYARD_TRY(const auto source, openWeights(folder));
    const WeightComparison comparison = compareWeights(source->description(), spec);
    if (!comparison.problems.empty())
        return badInput(comparison.problems.front().message,
                        "its weights are not those of its configuration");
    if (!comparison.drawn.empty())
        return withoutHead(comparison);
    TRAINYARD_TRY_STATUS(source->checkContent());
    for (const auto& chunk : replica.chunks())
        TRAINYARD_TRY_STATUS(chunk->state().begin(*source, comparison));
    return {};
}

/// One rank's part. A rank that cannot read its weights or its rows fails all, before they wait for it.
Result<EvaluationRecord> evaluateHere(const RunSpec& spec, const Manifest& manifest, const fs::path& weights,
                                      const DataSetEvaluationOptions& options, const ProcessGroups& groups,
                                      Replica& replica)
{
    TRAINYARD_TRY_STATUS(agree(*groups.world, readWeights(weights, spec, replica)));
    replica.shareWeights();
    auto rows = HeldOutRows::open(spec, manifest);
    TRAINYARD_TRY_STATUS(agree(*groups.world, rows.ok() ? Status() : rows.error()));
    PhaseClock clock(nullptr);
    TrainingStep step(spec, {replica, groups, clock});
    HeldOutEvaluation evaluation(spec, groups, step, std::move(**rows), false);
    HeldOutEvaluation::OnBatch onBatch;
    if (options.onProgress && groups.world->isFirst())
        onBatch = [&](std::uint64_t done) { options.onProgress(done, evaluation.schedule().rows); };
    return evaluation.run(Step{0}, onBatch);
}

Status requireFiniteLoss(const EvaluationRecord& record, ComputeType precision)
{
    if (std::isfinite(record.loss))
        return {};
    const bool isNarrow = elementSize(precision) < 4;
    return failed(fmt::format("the loss is not finite: {}", record.loss),
                  isNarrow ? "evaluate with --precision float32" : "evaluate an earlier checkpoint");
}

Result<EvaluationRecord> evaluateTestRows(const StoredModel& model, const DataSetEvaluationOptions& options)
{
    TRAINYARD_TRY(const Manifest manifest, Manifest::load(options.dataSet));
    TRAINYARD_TRY(const RunSpec spec, evaluatedRun(model, options, manifest));
    EvaluationRecord record;
    TRAINYARD_TRY_STATUS(runReplicasAsThreads(spec, {manifest.sequenceLength, manifest.maxPredictions},
                                              [&](const ProcessGroups& groups, Replica& replica) -> Status {
                                                  TRAINYARD_TRY(const EvaluationRecord here,
                                                                evaluateHere(spec, manifest, model.folder(),
                                                                             options, groups, replica));
                                                  if (groups.world->isFirst())
                                                      record = here;
                                                  return {};
                                              }));
    TRAINYARD_TRY_STATUS(requireFiniteLoss(record, options.precision));
    return record;
}

} // namespace

Result<EvaluationRecord> evaluateOnDataSet(const StoredModel& model, const DataSetEvaluationOptions& options)
{
    try {
        return evaluateTestRows(model, options);
    } catch (const c10::Error& error) {
        return failed(std::string("eval: ") + error.what_without_backtrace());
    }
}

std::string evaluationJson(const EvaluationRecord& record, ModelFamily family)
{
    nlohmann::ordered_json json{{"loss", record.loss}, {"tokens", record.tokens}, {"rows", record.rows}};
    json["metrics"] = nlohmann::ordered_json::object();
    for (const auto& [name, value] : metricsOf(record, family))
        json["metrics"][std::string(name)] = value;
    return json.dump() + '\n';
}

std::string evaluationTable(const EvaluationRecord& record, ModelFamily family)
{
    std::string table = fmt::format("{}, {}\nloss           {:.6f}\n", counted(record.rows, "row"),
                                    counted(record.tokens, "token"), record.loss);
    for (const auto& [name, value] : metricsOf(record, family))
        table += fmt::format("{:<13}  {:.6f}\n", name, value);
    return table;
}

} // namespace trainyard
