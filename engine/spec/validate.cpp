#include "engine/spec/validate.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/file.h"
#include "engine/spec/checker.h"
#include "engine/spec/field_ranges.h"
#include "engine/spec/launch_rules.h"
#include "engine/spec/limits.h"
#include "engine/spec/model_rules.h"
#include "engine/spec/phase_rules.h"
#include "engine/spec/pipeline_rules.h"

namespace trainyard {

namespace {

void checkName(const std::string& name, Checker& check)
{
    const bool plain = !name.empty() && name.size() <= 64 && name.front() != '-' && name.front() != '.' &&
                       std::all_of(name.begin(), name.end(), [](unsigned char c) {
                           return std::isalnum(c) || c == '.' || c == '_' || c == '-';
                       });
    check.require(plain, "name", fmt::format("\"{}\" cannot name a run", name),
                  "use 1 to 64 letters, digits, '.', '_' and '-', starting with a letter or digit");
}

/// Of `number`, at most `limit`.
int largestDivisor(int number, int limit)
{
    int divisor = std::min(number, limit);
    while (number % divisor != 0)
        --divisor;
    return divisor;
}

/// In floating point: four degrees can multiply to more than an integer holds.
void checkRanks(const ParallelLayout& layout, int slots, Checker& check)
{
    const double ofOneReplica = double(layout.context) * layout.tensor * layout.pipeline;
    const double ranks = ofOneReplica * layout.data;
    const std::string hint =
        ofOneReplica <= slots
            ? fmt::format("lower layout.data to {}", static_cast<int>(slots / ofOneReplica))
            : fmt::format("lower layout.context, tensor or pipeline to a product of at most {}", slots);
    check.refuseUnless(
        ranks <= std::min(slots, kMaxRanks), "layout",
        fmt::format("{} x {} x {} x {} (data x context x tensor x pipeline) needs {:.0f} ranks, and the "
                    "cluster has {} slot{}",
                    layout.data, layout.context, layout.tensor, layout.pipeline, ranks, slots,
                    slots == 1 ? "" : "s"),
        hint + " or add slots to cluster.nodes",
        fmt::format("data {} x context {} x tensor {} x pipeline {} = {:.0f} > slots {}", layout.data,
                    layout.context, layout.tensor, layout.pipeline, ranks, std::min(slots, kMaxRanks)));
}

void checkLayout(const RunSpec& spec, Checker& check)
{
    const ParallelLayout& layout = spec.layout;
    std::string letters = layout.placement;
    std::sort(letters.begin(), letters.end());
    check.require(letters == "DPT" || layout.placement == "cluster" || layout.placement == "spread",
                  "layout.placement", fmt::format("\"{}\" is not a placement", layout.placement),
                  "use an order of the letters D, P and T, or \"cluster\" (DPT) or \"spread\" (TPD)");
    const auto [least, most] = std::minmax({layout.data, layout.context, layout.tensor, layout.pipeline});
    if (least < 1 || most > kMaxRanks)
        return; // reported already
    if (spec.model.heads >= 1)
        check.refuseUnless(
            spec.model.heads % layout.tensor == 0, "layout.tensor",
            fmt::format("{} heads cannot be shared evenly by {} ranks", spec.model.heads, layout.tensor),
            fmt::format("use {}, or make model.heads a multiple of {}",
                        largestDivisor(spec.model.heads, layout.tensor), layout.tensor),
            fmt::format("heads {} % tensor {} = {}, must be 0", spec.model.heads, layout.tensor,
                        spec.model.heads % layout.tensor));
    check.refuseUnless(
        layout.tensor <= spec.model.intermediate && layout.tensor <= spec.model.vocabulary, "layout.tensor",
        fmt::format("{} ranks are more than model.intermediate or model.vocabulary has rows", layout.tensor),
        "lower layout.tensor",
        fmt::format("tensor {} > min(intermediate {}, vocabulary {})", layout.tensor, spec.model.intermediate,
                    spec.model.vocabulary));
    if (spec.cluster.totalSlots() > 0) // else that is reported where it stands
        checkRanks(layout, spec.cluster.totalSlots(), check);
}

void checkBatch(const RunSpec& spec, Checker& check)
{
    const BatchSpec& batch = spec.batch;
    const auto [least, most] = std::minmax(batch.micro, batch.accumulation);
    if (least < 1 || most > kMaxSequences || batch.global < 1 || spec.layout.data < 1 ||
        spec.layout.data > kMaxRanks)
        return; // reported already
    const long product = long{batch.micro} * batch.accumulation * spec.layout.data;
    check.require(product == batch.global, "batch.global",
                  fmt::format("is {}, but micro {} x accumulation {} x data-parallel degree {} = {}",
                              batch.global, batch.micro, batch.accumulation, spec.layout.data, product),
                  batch.global % (long{batch.micro} * spec.layout.data) == 0
                      ? fmt::format("set batch.accumulation to {}, or batch.global to {}",
                                    batch.global / (long{batch.micro} * spec.layout.data), product)
                      : fmt::format("set batch.global to {}", product),
                  fmt::format("micro {} x accumulation {} x data {} = {}, must be global {}", batch.micro,
                              batch.accumulation, spec.layout.data, product, batch.global));
    check.refuseUnless(!batch.packing || spec.layout.context == 1, "batch.packing",
                       fmt::format("does not go with layout.context {}, whose ranks share sequences of equal "
                                   "length",
                                   spec.layout.context),
                       "set layout.context to 1, or batch.packing to false",
                       fmt::format("context {} > 1 with packing", spec.layout.context));
}

/// The positions of a row compete for the answer, so no rank can judge some of them.
void checkAnswers(const RunSpec& spec, Checker& check)
{
    if (spec.model.task.kind != TaskKind::Answer)
        return;
    check.refuseUnless(
        spec.layout.context == 1, "layout.context",
        fmt::format("is {}, and with task.kind answer every rank needs complete rows", spec.layout.context),
        "set it to 1", fmt::format("context {} > 1 with answers", spec.layout.context));
    check.refuseUnless(!spec.batch.packing, "batch.packing",
                       "is true, and with task.kind answer all rows of a batch have one length",
                       "set it to false", "packing with answers");
}

void checkPipeline(const RunSpec& spec, Diagnostics& diagnostics)
{
    const int least = std::min({spec.layout.pipeline, spec.layout.virtualStages, spec.model.layers,
                                spec.batch.micro, spec.batch.accumulation});
    if (least < 1 || spec.layout.pipeline > kMaxRanks || spec.layout.virtualStages > kMaxLayers)
        return; // reported where it stands
    const Diagnostics problems = pipelineProblems(spec);
    diagnostics.insert(diagnostics.end(), problems.begin(), problems.end());
}

/// Of a warm-up-stable-decay schedule.
void checkDecay(const RunSpec& spec, Checker& check)
{
    const OptimizerSpec& optimizer = spec.optimizer;
    const long together = long{optimizer.warmupSteps} + optimizer.decaySteps;
    const bool fits = optimizer.decaySteps <= 0 || spec.launch.steps < 1 || together <= spec.launch.steps;
    check.require(fits || optimizer.schedule != ScheduleKind::WarmupStableDecay ||
                      optimizer.warmupSteps > spec.launch.steps, // reported already
                  "optimizer.decay_steps",
                  fmt::format("{} decay steps after {} warm-up steps do not fit into a run of {} steps",
                              optimizer.decaySteps, optimizer.warmupSteps, spec.launch.steps),
                  "lower optimizer.decay_steps or optimizer.warmup_steps, or raise launch.steps",
                  fmt::format("warmup_steps {} + decay_steps {} > steps {}", optimizer.warmupSteps,
                              optimizer.decaySteps, spec.launch.steps));
}

void checkOptimizer(const RunSpec& spec, Checker& check)
{
    const OptimizerSpec& optimizer = spec.optimizer;
    const bool endsFirst = spec.launch.steps >= 1 && optimizer.warmupSteps > spec.launch.steps;
    check.require(!endsFirst, "optimizer.warmup_steps",
                  fmt::format("{} warm-up steps do not fit into a run of {} steps", optimizer.warmupSteps,
                              spec.launch.steps),
                  "lower optimizer.warmup_steps or raise launch.steps",
                  fmt::format("warmup_steps {} > steps {}", optimizer.warmupSteps, spec.launch.steps));
    checkDecay(spec, check);
}

void checkLossScale(const LossScaleSpec& scale, Checker& check)
{
    check.require(scale.initial <= 0 || scale.initial >= scale.minimum, "precision.loss_scale.initial",
                  fmt::format("is {}, below the minimum of {}", scale.initial, scale.minimum),
                  "start high, e.g. at 65536: the first overflows lower it");
}

void checkMemory(const RunSpec& spec, Checker& check)
{
    const MemorySpec& memory = spec.memory;
    check.refuseUnless(
        !memory.offloadParameters || memory.zeroStage == 3, "memory.offload_parameters",
        fmt::format("needs ZeRO stage 3, not {}, where every layer multiplies with weights that stay",
                    memory.zeroStage),
        spec.layout.pipeline == 1
            ? "set memory.zero_stage to 3, or memory.offload_optimizer instead"
            : "set memory.offload_optimizer instead, or memory.zero_stage to 3 and layout.pipeline to 1",
        fmt::format("zero_stage {}, must be 3", memory.zeroStage));
}

void checkFolder(const std::string& folder, const char* path, Checker& check)
{
    check.require(folder.empty() || folder.front() == '/', path,
                  fmt::format("\"{}\" is a relative path, and each host would look for it elsewhere", folder),
                  "give the absolute path of the folder, as every host sees it, e.g. /data/wiki-128");
}

void checkDataset(const DatasetSpec& dataset, Checker& check)
{
    check.require(!dataset.path.empty(), "dataset.path", "is empty",
                  "give the folder of a data set; `trainyard prepare` or Data in the window creates one");
    checkFolder(dataset.path, "dataset.path", check);
}

void checkInit(const InitSpec& init, Checker& check)
{
    const bool isPlace = init.path.empty() || init.path.front() == '/' || isPlainName(init.path);
    check.require(
        isPlace, "init.path",
        fmt::format("\"{}\" is a relative path, and each host would look for it elsewhere", init.path),
        "give the absolute path of the folder, or the id of a run");
    const bool needsPath = init.step > 0 || init.optimizer || init.resize;
    check.require(init.isOn() || !needsPath, "init.path",
                  "is empty, so that init.step, optimizer and resize have no effect",
                  "give the folder with the weights, or leave these three out");
}

void checkEvaluation(const EvaluationSpec& evaluation, const TaskSpec& task, Checker& check)
{
    check.require(evaluation.metric != EvaluationMetric::Accuracy || task.kind != TaskKind::Regress,
                  "evaluation.metric", "is accuracy, and no number of task.kind regress is right or wrong",
                  "set it to loss");
    checkFolder(evaluation.dataset, "evaluation.dataset", check);
    check.require(evaluation.metric != EvaluationMetric::Accuracy || evaluation.target <= 1,
                  "evaluation.target", fmt::format("is {}, and no accuracy is above 1", evaluation.target),
                  "give the share of tokens predicted right, e.g. 0.7, or set evaluation.metric to loss",
                  fmt::format("target {} > 1", evaluation.target));
    const bool needsEvaluation = evaluation.target > 0 || evaluation.patience > 0 || evaluation.keepBest;
    check.require(evaluation.isOn() || !needsEvaluation, "evaluation.batches",
                  "is 0, but evaluation.target, patience and keep_best need evaluations",
                  fmt::format("set it to {}, or leave these three out", EvaluationSpec().batches));
}

Diagnostics validatePhase(const RunSpec& spec)
{
    Diagnostics diagnostics;
    Checker check(diagnostics);
    checkRanges(spec, check);
    checkName(spec.name, check);
    checkModel(spec.model, check);
    checkCluster(spec, check);
    checkLayout(spec, check);
    checkBatch(spec, check);
    checkAnswers(spec, check);
    checkPipeline(spec, diagnostics);
    checkOptimizer(spec, check);
    checkLossScale(spec.precision.lossScale, check);
    checkMemory(spec, check);
    checkDataset(spec.dataset, check);
    checkInit(spec.init, check);
    checkEvaluation(spec.evaluation, spec.model.task, check);
    checkSlurm(spec.launch.slurm, check);
    return diagnostics;
}

} // namespace

Diagnostics validate(const RunSpec& spec)
{
    if (spec.phases.size() > kMaxPhases)
        return {{"phases", fmt::format("are {}", spec.phases.size()),
                 fmt::format("must be at most {}", kMaxPhases)}};
    Diagnostics diagnostics = overPhases(spec, validatePhase);
    const Diagnostics sequence = sequenceProblems(spec);
    diagnostics.insert(diagnostics.end(), sequence.begin(), sequence.end());
    return diagnostics;
}

} // namespace trainyard
