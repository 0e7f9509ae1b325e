#include "engine/spec/remarks.h"

#include <fmt/format.h>

#include "engine/spec/checker.h"

namespace trainyard {

namespace {

/// Each field against its default: what was left alone needs no remark.
void remarkOnLayout(const RunSpec& spec, Checker& check)
{
    const ParallelLayout& layout = spec.layout;
    const ParallelLayout plain;
    check.require(!layout.sequence || layout.tensor > 1, "layout.sequence",
                  "has no effect with layout.tensor 1", "raise layout.tensor, or leave it out");
    if (layout.data * layout.context == 1 && !spec.memory.offloadOptimizer)
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
    check.require(spec.memory.zeroStage == 0 || spec.layout.data * spec.layout.context > 1 ||
                      spec.memory.offloadParameters,
                  "memory.zero_stage", "saves nothing with layout.data 1",
                  "raise layout.data, or leave it out");
    check.require(spec.memory.offloadActivations || spec.memory.offloadHorizon == MemorySpec().offloadHorizon,
                  "memory.offload_horizon", "has no effect without memory.offload_activations",
                  "leave it out");
    remarkOnOffload(spec, check);
}

} // namespace

Diagnostics remarksOn(const RunSpec& spec)
{
    Diagnostics remarks;
    Checker check(remarks);
    remarkOnLayout(spec, check);
    remarkOnMemory(spec, check);
    check.require(spec.optimizer.schedule == ScheduleKind::Polynomial ||
                      spec.optimizer.decayPower == OptimizerSpec().decayPower,
                  "optimizer.decay_power", "has no effect unless optimizer.schedule is \"polynomial\"",
                  "leave it out");
    check.require(spec.checkpoint.everySteps <= spec.launch.steps, "checkpoint.every_steps",
                  fmt::format("is {}, and the run has {} steps: the only checkpoint is the one at the end",
                              spec.checkpoint.everySteps, spec.launch.steps),
                  "lower it, or leave it out");
    return remarks;
}

} // namespace trainyard
