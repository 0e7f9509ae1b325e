#include "engine/spec/validate.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/spec/checker.h"
#include "engine/spec/launch_rules.h"
#include "engine/spec/limits.h"
#include "engine/spec/model_rules.h"
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
        ranks <= std::min(slots, kMostRanks), "layout",
        fmt::format("{} x {} x {} x {} (data x context x tensor x pipeline) needs {:.0f} ranks, and the "
                    "cluster has {} slot{}",
                    layout.data, layout.context, layout.tensor, layout.pipeline, ranks, slots,
                    slots == 1 ? "" : "s"),
        hint + " or add slots to cluster.nodes",
        fmt::format("data {} x context {} x tensor {} x pipeline {} = {:.0f} > slots {}", layout.data,
                    layout.context, layout.tensor, layout.pipeline, ranks, std::min(slots, kMostRanks)));
}

void checkLayout(const RunSpec& spec, Checker& check)
{
    const ParallelLayout& layout = spec.layout;
    bool counted = check.between(layout.data, 1, kMostRanks, "layout.data");
    counted &= check.between(layout.context, 1, kMostRanks, "layout.context");
    counted &= check.between(layout.tensor, 1, kMostRanks, "layout.tensor");
    counted &= check.between(layout.pipeline, 1, kMostRanks, "layout.pipeline");
    check.between(layout.virtualStages, 1, kMostLayers, "layout.virtual_stages");
    check.require(layout.bucketSize >= 64 * kKiB, "layout.bucket_size",
                  "is " + formatBytes(layout.bucketSize), "must be at least 64 KiB; 25 MiB is a good start");
    std::string letters = layout.placement;
    std::sort(letters.begin(), letters.end());
    check.require(letters == "DPT" || layout.placement == "cluster" || layout.placement == "spread",
                  "layout.placement", fmt::format("\"{}\" is not a placement", layout.placement),
                  "use an order of the letters D, P and T, or \"cluster\" (DPT) or \"spread\" (TPD)");
    if (!counted)
        return;
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
    check.atLeast(batch.global, 1, "batch.global");
    bool counted = check.between(batch.micro, 1, kMostSequences, "batch.micro");
    counted &= check.between(batch.accumulation, 1, kMostSequences, "batch.accumulation");
    if (!counted || batch.global < 1 || spec.layout.data < 1 || spec.layout.data > kMostRanks)
        return;
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

void checkPipeline(const RunSpec& spec, Diagnostics& diagnostics)
{
    const int least = std::min({spec.layout.pipeline, spec.layout.virtualStages, spec.model.layers,
                                spec.batch.micro, spec.batch.accumulation});
    if (least < 1 || spec.layout.pipeline > kMostRanks || spec.layout.virtualStages > kMostLayers)
        return; // reported where it stands
    const Diagnostics problems = pipelineProblems(spec);
    diagnostics.insert(diagnostics.end(), problems.begin(), problems.end());
}

void checkOptimizer(const RunSpec& spec, Checker& check)
{
    const OptimizerSpec& optimizer = spec.optimizer;
    check.require(optimizer.learningRate > 0, "optimizer.learning_rate",
                  fmt::format("is {}", optimizer.learningRate), "must be positive, e.g. 0.001");
    check.within(optimizer.beta1, 0, 1, "optimizer.beta1");
    check.within(optimizer.beta2, 0, 1, "optimizer.beta2");
    check.within(optimizer.momentum, 0, 1, "optimizer.momentum");
    check.require(optimizer.epsilon > 0, "optimizer.epsilon", fmt::format("is {}", optimizer.epsilon),
                  "must be positive, e.g. 1e-6");
    check.atLeast(optimizer.weightDecay, 0.0, "optimizer.weight_decay");
    check.atLeast(optimizer.clipNorm, 0.0, "optimizer.clip_norm");
    check.atLeast(optimizer.warmupSteps, 0, "optimizer.warmup_steps");
    check.require(optimizer.decayPower > 0, "optimizer.decay_power",
                  fmt::format("is {}", optimizer.decayPower), "must be positive, e.g. 0.5");
    const bool endsFirst = spec.launch.steps >= 1 && optimizer.warmupSteps > spec.launch.steps;
    check.require(!endsFirst, "optimizer.warmup_steps",
                  fmt::format("{} warm-up steps do not fit into a run of {} steps", optimizer.warmupSteps,
                              spec.launch.steps),
                  "lower optimizer.warmup_steps or raise launch.steps",
                  fmt::format("warmup_steps {} > steps {}", optimizer.warmupSteps, spec.launch.steps));
}

void checkLossScale(const LossScaleSpec& scale, Checker& check)
{
    check.require(scale.minimum > 0, "precision.loss_scale.minimum", fmt::format("is {}", scale.minimum),
                  "must be positive, e.g. 1");
    check.require(scale.initial >= scale.minimum, "precision.loss_scale.initial",
                  fmt::format("is {}, below the minimum of {}", scale.initial, scale.minimum),
                  "start high, e.g. at 65536: the first overflows lower it");
    check.atLeast(scale.growthInterval, 1, "precision.loss_scale.growth_interval");
    check.atLeast(scale.hysteresis, 1, "precision.loss_scale.hysteresis");
    check.require(scale.backoff > 0 && scale.backoff < 1, "precision.loss_scale.backoff",
                  fmt::format("is {}", scale.backoff), "must be between 0 and 1, e.g. 0.5");
}

void checkMemory(const RunSpec& spec, Checker& check)
{
    const MemorySpec& memory = spec.memory;
    check.require(memory.zeroStage >= 0 && memory.zeroStage <= 3, "memory.zero_stage",
                  fmt::format("is {}", memory.zeroStage), "must be 0, 1, 2 or 3",
                  memory.zeroStage < 0 ? fmt::format("{} < 0", memory.zeroStage)
                                       : fmt::format("{} > 3", memory.zeroStage));
    check.atLeast(memory.recomputeEvery, 1, "memory.recompute_every");
    check.atLeast(memory.offloadHorizon, 0, "memory.offload_horizon");
    check.refuseUnless(
        !memory.offloadParameters || memory.zeroStage == 3, "memory.offload_parameters",
        fmt::format("needs ZeRO stage 3, not {}, where every layer multiplies with weights that stay",
                    memory.zeroStage),
        spec.layout.pipeline == 1
            ? "set memory.zero_stage to 3, or memory.offload_optimizer instead"
            : "set memory.offload_optimizer instead, or memory.zero_stage to 3 and layout.pipeline to 1",
        fmt::format("zero_stage {}, must be 3", memory.zeroStage));
}

void checkDataset(const DatasetSpec& dataset, Checker& check)
{
    check.require(!dataset.path.empty(), "dataset.path", "is empty",
                  "give the folder of a data set: `trainyard prepare`, or Data in the window, makes one");
    check.require(
        dataset.path.empty() || dataset.path.front() == '/', "dataset.path",
        fmt::format("\"{}\" is a relative path, and each host would look for it elsewhere", dataset.path),
        "give the absolute path of the folder, as every host sees it, e.g. /data/wiki-128");
}

} // namespace

Diagnostics validate(const RunSpec& spec)
{
    Diagnostics diagnostics;
    Checker check(diagnostics);
    checkName(spec.name, check);
    checkModel(spec.model, check);
    checkCluster(spec, check);
    checkLayout(spec, check);
    checkBatch(spec, check);
    checkPipeline(spec, diagnostics);
    checkOptimizer(spec, check);
    checkLossScale(spec.precision.lossScale, check);
    checkMemory(spec, check);
    checkDataset(spec.dataset, check);
    check.atLeast(spec.checkpoint.everySteps, 0, "checkpoint.every_steps");
    check.atLeast(spec.checkpoint.keepLast, 1, "checkpoint.keep_last");
    check.atLeast(spec.checkpoint.keepEvery, 0, "checkpoint.keep_every");
    checkLaunch(spec.launch, check);
    return diagnostics;
}

} // namespace trainyard
