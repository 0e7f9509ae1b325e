#include "engine/spec/validate.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "engine/base/file.h"
#include "engine/spec/checker.h"
#include "engine/spec/field_ranges.h"
#include "engine/spec/launch_rules.h"
#include "engine/spec/limits.h"
#include "engine/spec/model_rules.h"
#include "engine/spec/phases/batch_ramp.h"
#include "engine/spec/phases/data_mix.h"
#include "engine/spec/phases/phase_rules.h"
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

/// Of keys and values, and what attention among context-parallel ranks does not do.
void checkSharedHeads(const RunSpec& spec, Checker& check)
{
    const ModelSpec& model = spec.model;
    const ParallelLayout& layout = spec.layout;
    if (model.keyValueHeads >= 1)
        check.refuseUnless(model.keyValueHeads % layout.tensor == 0, "layout.tensor",
                           fmt::format("{} heads of keys and values cannot be shared evenly by {} ranks",
                                       model.keyValueHeads, layout.tensor),
                           fmt::format("use {}", largestDivisor(model.keyValueHeads, layout.tensor)),
                           fmt::format("kv_heads {} % tensor {} = {}, must be 0", model.keyValueHeads,
                                       layout.tensor, model.keyValueHeads % layout.tensor));
    check.refuseUnless(
        layout.context == 1 || (model.window == 0 && model.scoreCap == 0), "layout.context",
        fmt::format("{} ranks cannot share sequences whose attention has a window or capped scores",
                    layout.context),
        "set it to 1");
    check.refuseUnless(layout.context == 1 || !model.experts.isOn(), "layout.context",
                       fmt::format("{} ranks cannot share sequences in a model with experts", layout.context),
                       "set it to 1");
    check.refuseUnless(layout.tensor == 1 || model.queryKeyNorm != QueryKeyNorm::Whole ||
                           model.normKind != NormKind::LayerNorm,
                       "layout.tensor", "ranks cannot share layer norms of all heads together",
                       "set model.qk_norm to head, or model.norm_kind to rms_norm");
}

/// The largest degree that both numbers are multiples of, at most `limit`.
int largestShared(int data, int experts, int limit)
{
    return largestDivisor(std::gcd(data, experts), limit);
}

void checkExpertRanks(const RunSpec& spec, Checker& check)
{
    const int ranks = spec.layout.expert;
    const int count = spec.model.experts.count;
    check.refuseUnless(spec.model.experts.isOn(), "layout.expert",
                       fmt::format("{} ranks cannot share experts of a model that has none", ranks),
                       "set it to 1");
    if (count < 1 || ranks > kMaxRanks)
        return; // reported already, or just now
    const std::string hint = fmt::format("use {}", largestShared(spec.layout.data, count, ranks));
    check.refuseUnless(
        spec.layout.data % ranks == 0, "layout.expert",
        fmt::format("{} data-parallel ranks cannot be divided into groups of {}", spec.layout.data, ranks),
        hint,
        fmt::format("data {} % expert {} = {}, must be 0", spec.layout.data, ranks,
                    spec.layout.data % ranks));
    check.refuseUnless(count % ranks == 0, "layout.expert",
                       fmt::format("{} experts cannot be shared evenly by {} ranks", count, ranks), hint,
                       fmt::format("experts {} % expert {} = {}, must be 0", count, ranks, count % ranks));
}

void checkShard(const ParallelLayout& layout, Checker& check)
{
    if (layout.shard < 1)
        return; // all, or reported already
    const int holders = layout.holders();
    check.refuseUnless(
        holders % layout.shard == 0, "layout.shard",
        fmt::format("{} data-parallel ranks cannot be divided into groups of {}", holders, layout.shard),
        fmt::format("use {}, or 0 for all", largestDivisor(holders, layout.shard)),
        fmt::format("data {} x context {} % shard {} = {}, must be 0", layout.data, layout.context,
                    layout.shard, holders % layout.shard));
    if (layout.expert > 1 && layout.data % layout.expert == 0)
        check.refuseUnless(
            layout.cutsExpertsAlike(), "layout.shard",
            fmt::format("groups of {} ranks would have some experts more often than others", layout.shard),
            fmt::format("use a multiple of {}", layout.expertPlacement == ExpertPlacement::Inner
                                                    ? layout.context * layout.expert
                                                    : layout.expertCopies()));
}

void checkLayout(const RunSpec& spec, Checker& check)
{
    const ParallelLayout& layout = spec.layout;
    std::string letters = layout.placement;
    std::sort(letters.begin(), letters.end());
    check.require(letters == "DPT" || layout.placement == "cluster" || layout.placement == "spread",
                  "layout.placement", fmt::format("\"{}\" is not a placement", layout.placement),
                  "use an order of the letters D, P and T, or \"cluster\" (DPT) or \"spread\" (TPD)");
    const auto [least, most] =
        std::minmax({layout.data, layout.context, layout.tensor, layout.pipeline, layout.expert});
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
    checkSharedHeads(spec, check);
    if (spec.model.experts.isOn())
        check.refuseUnless(
            layout.tensor <= spec.model.expertWidth(), "layout.tensor",
            fmt::format("{} ranks are more than an expert is wide", layout.tensor), "lower layout.tensor",
            fmt::format("tensor {} > expert width {}", layout.tensor, spec.model.expertWidth()));
    check.refuseUnless(
        layout.tensor <= spec.model.intermediate && layout.tensor <= spec.model.vocabulary, "layout.tensor",
        fmt::format("{} ranks are more than model.intermediate or model.vocabulary has rows", layout.tensor),
        "lower layout.tensor",
        fmt::format("tensor {} > min(intermediate {}, vocabulary {})", layout.tensor, spec.model.intermediate,
                    spec.model.vocabulary));
    if (layout.expert > 1)
        checkExpertRanks(spec, check);
    checkShard(layout, check);
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
}

/// A batch of the ramp has to be one of the layout: what is wrong with it.
void checkRampedBatch(const RunSpec& spec, int global, Diagnostics& diagnostics)
{
    const long perStep = long{spec.batch.micro} * spec.layout.data;
    if (global % perStep != 0)
        return; // reported already
    for (Diagnostic problem : pipelineProblems(atGlobalBatch(spec, global))) {
        if (problem.path != "batch.accumulation" && problem.path != "layout.pipeline")
            continue; // does not depend on the batch
        problem.path = "batch.ramp";
        problem.message = fmt::format("with a global batch of {} {}", global, problem.message);
        problem.hint = "set batch.ramp.start and batch.ramp.increment to multiples of micro x "
                       "layout.data x layout.pipeline";
        diagnostics.push_back(problem);
        return;
    }
}

void checkRamp(const RunSpec& spec, Diagnostics& diagnostics)
{
    const BatchRampSpec& ramp = spec.batch.ramp;
    const long perStep = long{spec.batch.micro} * spec.layout.data;
    if (!ramp.isOn() || ramp.increment < 0 || ramp.samples < 0 || perStep < 1 || spec.batch.global < 1)
        return; // reported where it stands
    Checker check(diagnostics);
    check.require(
        ramp.start < spec.batch.global, "batch.ramp.start",
        fmt::format("is {}, and the batch is to grow to batch.global {}", ramp.start, spec.batch.global),
        "lower it, or leave batch.ramp out");
    check.require(ramp.increment > 0, "batch.ramp.increment", "is 0, so that the batch would never grow",
                  fmt::format("set it to {}", perStep));
    check.require(ramp.samples > 0, "batch.ramp.samples", "is 0, so that the batch would not have to grow",
                  "give the sequences over which it grows, or leave batch.ramp out");
    if (ramp.start >= spec.batch.global || ramp.increment == 0 || ramp.samples == 0)
        return;
    check.require((spec.batch.global - ramp.start) % ramp.increment == 0, "batch.ramp.increment",
                  fmt::format("is {}, which does not lead from {} to {}", ramp.increment, ramp.start,
                              spec.batch.global),
                  "use a divisor of batch.global - batch.ramp.start",
                  fmt::format("(global {} - start {}) % increment {} = {}, must be 0", spec.batch.global,
                              ramp.start, ramp.increment, (spec.batch.global - ramp.start) % ramp.increment));
    const auto divides = [&](int value, const char* path) {
        check.require(value % perStep == 0, path,
                      fmt::format("is {}, not a multiple of micro {} x data-parallel degree {}", value,
                                  spec.batch.micro, spec.layout.data),
                      fmt::format("use a multiple of {}", perStep),
                      fmt::format("{} % (micro {} x data {}) = {}, must be 0", value, spec.batch.micro,
                                  spec.layout.data, value % perStep));
    };
    divides(ramp.start, "batch.ramp.start");
    divides(ramp.increment, "batch.ramp.increment");
    // What these two can do, all others between them and batch.global can.
    checkRampedBatch(spec, ramp.start, diagnostics);
    checkRampedBatch(spec, std::min(ramp.start + ramp.increment, spec.batch.global), diagnostics);
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
        "set memory.zero_stage to 3, or memory.offload_optimizer instead",
        fmt::format("zero_stage {}, must be 3", memory.zeroStage));
}

void checkFolder(const std::string& folder, const char* path, Checker& check)
{
    check.require(folder.empty() || folder.front() == '/', path,
                  fmt::format("\"{}\" is a relative path, and each host would look for it elsewhere", folder),
                  "give the absolute path of the folder, as every host sees it, e.g. /data/wiki-128");
}

/// Weights are counted in millionths, so that proportions are exact.
bool isInMillionths(double weight)
{
    const double millionths = weight * kWeightUnits;
    return std::abs(millionths - std::round(millionths)) < 1e-3;
}

void checkMixedSet(const std::vector<MixedDataSet>& mix, std::size_t number, Checker& check)
{
    const MixedDataSet& set = mix[number];
    const std::string place = fmt::format("dataset.mix[{}]", number);
    const std::string path = place + ".path";
    const auto isSame = [&](const MixedDataSet& other) { return other.path == set.path; };
    const bool isRepeated =
        std::any_of(mix.begin(), mix.begin() + static_cast<std::ptrdiff_t>(number), isSame);
    check.require(!set.path.empty(), path.c_str(), "is empty", "give the folder of a data set");
    check.require(!isRepeated || set.path.empty(), path.c_str(),
                  fmt::format("\"{}\" is in the mix already", set.path), "add the weights of the two");
    checkFolder(set.path, path.c_str(), check);
    check.require(!(set.weight > 0) || isInMillionths(set.weight), (place + ".weight").c_str(),
                  fmt::format("is {}", set.weight), "give at most six decimals");
}

void checkMix(const DatasetSpec& dataset, Checker& check)
{
    check.require(dataset.path.empty(), "dataset.path", "is given together with dataset.mix",
                  "leave one of the two out");
    check.require(dataset.mix.size() <= kMaxMixedSets, "dataset.mix",
                  fmt::format("has {} data sets", dataset.mix.size()),
                  fmt::format("must have at most {}", kMaxMixedSets));
    for (std::size_t number = 0; number < std::min<std::size_t>(dataset.mix.size(), kMaxMixedSets); ++number)
        checkMixedSet(dataset.mix, number, check);
}

/// Labels, and the questions of answers, are numbered within one data set.
void checkMixedTask(const RunSpec& spec, Checker& check)
{
    check.require(!spec.model.task.isOn() || !spec.dataset.isMix(), "dataset.mix",
                  "names several data sets, and those for a task cannot be mixed",
                  "prepare one data set of all examples, and name it in dataset.path");
}

void checkDataset(const RunSpec& spec, Checker& check)
{
    const DatasetSpec& dataset = spec.dataset;
    checkMixedTask(spec, check);
    if (dataset.isMix())
        return checkMix(dataset, check);
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
    checkRamp(spec, diagnostics);
    checkAnswers(spec, check);
    checkPipeline(spec, diagnostics);
    checkOptimizer(spec, check);
    checkLossScale(spec.precision.lossScale, check);
    checkMemory(spec, check);
    checkDataset(spec, check);
    checkInit(spec.init, check);
    checkEvaluation(spec.evaluation, spec.model.task, check);
    checkSlurm(spec.launch.slurm, check);
    checkNetwork(spec, check);
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
