#include "engine/spec/remarks.h"

#include <fmt/format.h>

#include "engine/spec/checker.h"
#include "engine/spec/limits.h"
#include "engine/spec/phases/batch_ramp.h"
#include "engine/spec/phases/phase_rules.h"
#include "engine/spec/phases/phases.h"
#include "engine/spec/recipe_remarks.h"

namespace trainyard {

namespace {

/// Each field against its default: what was left alone needs no remark.
void remarkOnLayout(const RunSpec& spec, Checker& check)
{
    const ParallelLayout& layout = spec.layout;
    const ParallelLayout plain;
    check.require(!layout.sequence || layout.tensor > 1, "layout.sequence",
                  "has no effect with layout.tensor 1", "raise layout.tensor, or leave it out");
    check.require(layout.expertPlacement == plain.expertPlacement ||
                      (layout.expert > 1 && layout.expert < layout.data),
                  "layout.expert_placement",
                  layout.expert == 1 ? "has no effect with layout.expert 1"
                                     : "has no effect where all data-parallel ranks share the experts",
                  "leave it out");
    if (layout.holders() == 1 && !spec.memory.offloadOptimizer)
        check.require(layout.bucketSize == plain.bucketSize, "layout.bucket_size",
                      "has no effect with layout.data 1", "leave it out");
    if (layout.pipeline > 1)
        return;
    const char* hint = "raise layout.pipeline, or leave it out";
    const std::string message = "has no effect with layout.pipeline 1";
    check.require(layout.schedule == plain.schedule, "layout.schedule", message, hint);
    check.require(layout.virtualStages == plain.virtualStages, "layout.virtual_stages", message, hint);
    check.require(layout.partition == plain.partition, "layout.partition", message, hint);
}

void remarkOnDevices(const RunSpec& spec, Checker& check)
{
    for (std::size_t i = 0; i < spec.cluster.nodes.size(); ++i)
        check.require(spec.cluster.nodes[i].devices.empty() || spec.launch.device != DeviceKind::Cpu,
                      fmt::format("cluster.nodes[{}].devices", i).c_str(),
                      "has no effect with launch.device \"cpu\"", "leave it out");
}

void remarkOnOffload(const RunSpec& spec, Checker& check)
{
    const auto remark = [&](bool offloads, const char* path) {
        check.require(!offloads || spec.launch.device != DeviceKind::Cpu, path,
                      "saves nothing with launch.device \"cpu\", whose memory is the host's", "leave it out");
    };
    remark(spec.memory.offloadActivations, "memory.offload_activations");
    remark(spec.memory.offloadOptimizer, "memory.offload_optimizer");
    remark(spec.memory.offloadParameters, "memory.offload_parameters");
}

void remarkOnMemory(const RunSpec& spec, Checker& check)
{
    check.require(spec.memory.recompute == RecomputeKind::Full || spec.memory.recomputeEvery == 1,
                  "memory.recompute_every", "has no effect unless memory.recompute is \"full\"",
                  "set memory.recompute to \"full\", or leave it out");
    check.require(spec.memory.zeroStage == 0 || spec.layout.holders() > 1 || spec.memory.offloadParameters,
                  "memory.zero_stage", "saves nothing with layout.data 1",
                  "raise layout.data, or leave it out");
    check.require(spec.memory.offloadActivations || spec.memory.offloadHorizon == MemorySpec().offloadHorizon,
                  "memory.offload_horizon", "has no effect without memory.offload_activations",
                  "leave it out");
    remarkOnOffload(spec, check);
}

void remarkOnAdapters(const RunSpec& spec, Checker& check)
{
    check.require(!spec.model.lora.isOn() || spec.init.isOn(), "lora.rank",
                  "freezes weights that are drawn from the seed, so that little can be learned",
                  "give the model to adapt in init.path");
}

/// Of degrees that validate() refuses nothing is remarked: products of them need not be numbers.
bool areDegrees(const ParallelLayout& layout)
{
    const auto within = [](int value, int most) { return value >= 1 && value <= most; };
    return within(layout.tensor, kMaxRanks) && within(layout.pipeline, kMaxLayers) &&
           within(layout.virtualStages, kMaxLayers);
}

/// Products reach their rate where every rank's rows start on 16 bytes: 8 elements of half precision.
constexpr int kAlignedElements = 8;
/// A multiple of it suits every tile, too: Megatron-LM pads vocabularies to that.
constexpr int kPaddedElements = 128;

long paddedVocabulary(const RunSpec& spec)
{
    const long multiple = long{kPaddedElements} * spec.layout.tensor;
    return (spec.model.vocabulary + multiple - 1) / multiple * multiple;
}

/// BERT's published 30522 and GPT-2's 50257 entries are such cases.
void remarkOnVocabulary(const RunSpec& spec, Checker& check)
{
    const ComputeType type = spec.precision.compute;
    const bool half = type == ComputeType::BFloat16 || type == ComputeType::Float16;
    const long whole = long{kAlignedElements} * spec.layout.tensor;
    const long padded = paddedVocabulary(spec);
    const long more = padded - spec.model.vocabulary;
    const double parameters = double(more) * spec.model.hidden * (spec.model.tiedHead ? 1 : 2);
    check.require(
        !half || spec.launch.device == DeviceKind::Cpu || spec.model.vocabulary % whole == 0,
        "model.vocabulary",
        fmt::format("is {}, which is not a multiple of 8 x tensor {} = {}: on a GPU the output layer runs "
                    "at about a third of its speed",
                    spec.model.vocabulary, spec.layout.tensor, whole),
        fmt::format("set it to {}, a multiple of 128 x tensor {}; this adds {} unused entries, "
                    "{} parameters",
                    padded, spec.layout.tensor, more, formatNumber(parameters)),
        fmt::format("vocabulary {} % (8 x tensor {}) = {}, should be 0", spec.model.vocabulary,
                    spec.layout.tensor, spec.model.vocabulary % whole));
}

/// Equal in number is asked for, and cannot be.
void remarkOnStages(const RunSpec& spec, Checker& check)
{
    const int stages = spec.layout.stages();
    const int layers = spec.model.layers;
    const bool inNumbers = spec.layout.partition.kind == PartitionKind::Layers;
    check.require(
        spec.layout.pipeline == 1 || !inNumbers || layers % stages == 0, "layout.pipeline",
        fmt::format("makes {} stages of {} layers: {} have {}, and the others with {} wait for them", stages,
                    layers, layers % stages, layers / stages + 1, layers / stages),
        "use a number of stages that divides the layers, or set layout.partition to \"cost\"",
        fmt::format("layers {} % stages {} = {}, should be 0", layers, stages, layers % stages));
}

void remarkOnDecay(const OptimizerSpec& optimizer, Checker& check)
{
    if (optimizer.schedule == ScheduleKind::WarmupStableDecay)
        return;
    const OptimizerSpec plain;
    const auto remark = [&](bool isPlain, const char* path) {
        check.require(isPlain, path, "has no effect unless optimizer.schedule is \"wsd\"", "leave it out");
    };
    remark(optimizer.decaySteps == plain.decaySteps, "optimizer.decay_steps");
    remark(optimizer.decayShape == plain.decayShape, "optimizer.decay_shape");
}

void remarkOnRamp(const RunSpec& spec, Checker& check)
{
    const BatchRampSpec& ramp = spec.batch.ramp;
    check.require(ramp.isOn() || ramp == BatchRampSpec(), "batch.ramp",
                  "has no effect unless batch.ramp.start is above 0", "set it, or leave batch.ramp out");
    if (!ramp.isOn() || spec.launch.steps < 1)
        return;
    const auto stretches = BatchRamp(spec.batch).stretches(spec.launch.steps);
    check.require(stretches.back().global == spec.batch.global, "batch.ramp",
                  fmt::format("lasts longer than the {} steps: the last batch has {} sequences, not {}",
                              spec.launch.steps, stretches.back().global, spec.batch.global),
                  "lower batch.ramp.samples or raise launch.steps");
}

/// A run ends early in its last phase only.
void remarkOnEarlyEnd(const RunSpec& run, int phase, Checker& check)
{
    const PhaseSpec& over = run.phases[static_cast<std::size_t>(phase)];
    const auto remark = [&](bool isOff, const char* field) {
        check.require(isOff || !over.named.contains(field),
                      fmt::format("phases[{}].{}", phase, field).c_str(),
                      "has no effect: only the last phase ends before its last step",
                      "give it in the last phase, or leave it out");
    };
    remark(over.evaluation.target == 0, "evaluation.target");
    remark(over.evaluation.patience == 0, "evaluation.patience");
}

Diagnostics remarksOnPhase(const RunSpec& spec)
{
    Diagnostics remarks;
    Checker check(remarks);
    remarkOnLayout(spec, check);
    remarkOnMemory(spec, check);
    remarkOnDevices(spec, check);
    remarkOnAdapters(spec, check);
    if (areDegrees(spec.layout)) {
        remarkOnVocabulary(spec, check);
        remarkOnStages(spec, check);
    }
    check.require(spec.optimizer.schedule == ScheduleKind::Polynomial ||
                      spec.optimizer.decayPower == OptimizerSpec().decayPower,
                  "optimizer.decay_power", "has no effect unless optimizer.schedule is \"polynomial\"",
                  "leave it out");
    remarkOnDecay(spec.optimizer, check);
    remarkOnRamp(spec, check);
    remarkOnRecipe(spec, check);
    return remarks;
}

void remarkOnShard(const RunSpec& spec, Checker& check)
{
    bool isZero = false;
    for (int phase = 0; phase < phaseCount(spec); ++phase)
        isZero = isZero || specOfPhase(spec, phase).memory.zeroStage > 0;
    check.require(spec.layout.shard == 0 || isZero, "layout.shard", "has no effect without ZeRO",
                  "raise memory.zero_stage, or leave it out");
    check.require(spec.layout.shard != 1 || !isZero, "layout.shard",
                  "is 1: each rank keeps all states, as with memory.zero_stage 0",
                  "use the number of ranks on a host, or leave it out");
}

} // namespace

Diagnostics remarksOn(const RunSpec& spec)
{
    Diagnostics remarks = overPhases(spec, remarksOnPhase);
    Checker check(remarks);
    check.require(spec.checkpoint.everySteps <= spec.launch.steps, "checkpoint.every_steps",
                  fmt::format("is {}, and the run has {} steps: the only checkpoint is the one at the end",
                              spec.checkpoint.everySteps, spec.launch.steps),
                  "lower it, or leave it out");
    remarkOnShard(spec, check);
    for (int phase = 0; phase + 1 < phaseCount(spec); ++phase)
        remarkOnEarlyEnd(spec, phase, check);
    return remarks;
}

} // namespace trainyard
