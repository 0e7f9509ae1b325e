#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <nlohmann/json.hpp>

#include "engine/spec/foreign/conversion.h"
#include "engine/spec/foreign/settings_reader.h"
#include "engine/spec/foreign/spec_difference.h"

namespace trainyard {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::array kNotCarried{
    Explanation{"model", "the training script builds the model", "build it in the script"},
    Explanation{"task", "the training script builds the head", "build it in the script"},
    Explanation{"cluster", "the launcher has a host file", "write the hosts there"},
    Explanation{"dataset", "the training script reads the data", "give the path to the script"},
    Explanation{"init", "the training script loads the weights", "load them in the script"},
    Explanation{"evaluation", "the training script evaluates", "evaluate in the script"},
    Explanation{"checkpoint", "the training script saves checkpoints", "save them in the script"},
    Explanation{"phases", "a file is for one phase", "export the specification of each phase"},
    Explanation{"launch", "the launcher or the script decides it", "set it there"},
    Explanation{"seed", "the training script seeds", "seed in the script"},
    Explanation{"layout.placement", "axes are ordered by the script's topology",
                "give the order to PipeModelDataParallelTopology or its like"},
    Explanation{"layout.expert*", "the script's layers have the experts", "give them ep_size"},
    Explanation{"memory.zero_stage", "DeepSpeed's pipeline goes with ZeRO 0 and 1 alone",
                "use one of these, or no pipeline"},
    Explanation{"memory.offload_parameters", "DeepSpeed's pipeline goes with ZeRO 0 and 1 alone",
                "offload the optimizer"},
    Explanation{"layout.shard",
                "DeepSpeed shards within groups (MiCS) with ZeRO 3 alone, and without a pipeline",
                "use ZeRO 3"},
    Explanation{"layout.schedule", "DeepSpeed's pipeline runs 1F1B", "use 1f1b"},
    Explanation{"layout.sequence", "the script's model decides it", "set it there"},
    Explanation{"memory.recompute*", "the script's model calls the checkpointing", "call it there"},
    Explanation{"memory.offload_activations", "activations are offloaded only as inputs of recomputed layers",
                "recompute layers as well"},
    Explanation{"optimizer.kind", "DeepSpeed has Adam, Lamb as in its paper, and SGD",
                "pass your own optimizer to deepspeed.initialize"},
    Explanation{"optimizer.schedule", "DeepSpeed has warm-ups to constant, linear and cosine rates",
                "pass your own scheduler to deepspeed.initialize"},
    Explanation{"optimizer", "it goes with an optimizer or schedule that DeepSpeed does not have",
                "pass it to your own optimizer or scheduler"},
    Explanation{"precision.loss_scale.initial", "the initial scale is a power of 2", "use a power of 2"},
    Explanation{"precision.loss_scale.backoff", "an overflow halves the scale", "use 0.5"},
};

Json offloadTo(bool host)
{
    return Json{{"device", host ? "cpu" : "none"}};
}

Json zeroJson(const RunSpec& spec)
{
    const int stage = spec.layout.pipeline > 1 ? std::min(spec.memory.zeroStage, 1) : spec.memory.zeroStage;
    Json zero{{"stage", stage},
              {"offload_optimizer", offloadTo(spec.memory.offloadOptimizer)},
              {"offload_param", offloadTo(spec.memory.offloadParameters && stage == 3)},
              {"reduce_bucket_size", spec.layout.bucketSize / kBytesPerBucketElement}};
    if (spec.layout.shard > 0 && stage == 3)
        zero["mics_shard_size"] = spec.layout.shard;
    return zero;
}

Json fp16Json(const PrecisionSpec& precision)
{
    const LossScaleSpec& scale = precision.lossScale;
    return Json{{"enabled", precision.compute == ComputeType::Float16},
                {"loss_scale", 0},
                {"initial_scale_power", static_cast<int>(std::lround(std::log2(scale.initial)))},
                {"loss_scale_window", scale.growthInterval},
                {"hysteresis", scale.hysteresis},
                {"min_loss_scale", scale.minimum}};
}

std::optional<Json> optimizerJson(const OptimizerSpec& optimizer)
{
    Json params{{"lr", optimizer.learningRate}, {"weight_decay", optimizer.weightDecay}};
    if (optimizer.kind == OptimizerKind::Sgd) {
        params["momentum"] = optimizer.momentum;
        return Json{{"type", "SGD"}, {"params", params}};
    }
    params["betas"] = {optimizer.beta1, optimizer.beta2};
    params["eps"] = optimizer.epsilon;
    if (optimizer.kind == OptimizerKind::AdamW)
        return Json{{"type", "AdamW"}, {"params", params}};
    if (optimizer.kind == OptimizerKind::LambPaper)
        return Json{{"type", "Lamb"}, {"params", params}};
    return std::nullopt;
}

std::optional<Json> schedulerJson(const RunSpec& spec)
{
    const OptimizerSpec& optimizer = spec.optimizer;
    Json params{{"warmup_num_steps", optimizer.warmupSteps}, {"warmup_type", "linear"}};
    if (optimizer.schedule == ScheduleKind::Polynomial ||
        optimizer.schedule == ScheduleKind::WarmupStableDecay)
        return std::nullopt;
    if (optimizer.schedule == ScheduleKind::Cosine) {
        params["cos_min_ratio"] = 0;
        params["total_num_steps"] = spec.launch.steps;
        return Json{{"type", "WarmupCosineLR"}, {"params", params}};
    }
    params["warmup_max_lr"] = optimizer.learningRate;
    if (optimizer.schedule == ScheduleKind::Constant)
        return Json{{"type", "WarmupLR"}, {"params", params}};
    params["total_num_steps"] = spec.launch.steps;
    return Json{{"type", "WarmupDecayLR"}, {"params", params}};
}

void addPipeline(const RunSpec& spec, Json& settings)
{
    const ParallelLayout& layout = spec.layout;
    Json pipeline{{"stages", layout.pipeline}};
    if (layout.partition.kind == PartitionKind::Layers)
        pipeline["partition"] = "uniform";
    if (layout.partition.kind == PartitionKind::Parameters)
        pipeline["partition"] = "parameters";
    if (spec.memory.recompute == RecomputeKind::Full)
        pipeline["activation_checkpoint_interval"] = 1;
    settings["pipeline"] = std::move(pipeline);
}

Json settingsFor(const RunSpec& spec)
{
    Json settings{{"train_batch_size", spec.batch.global},
                  {"train_micro_batch_size_per_gpu", spec.batch.micro},
                  {"gradient_accumulation_steps", spec.batch.accumulation},
                  {"gradient_clipping", spec.optimizer.clipNorm},
                  {"zero_optimization", zeroJson(spec)},
                  {"bf16", Json{{"enabled", spec.precision.compute == ComputeType::BFloat16}}},
                  {"fp16", fp16Json(spec.precision)}};
    if (auto optimizer = optimizerJson(spec.optimizer))
        settings["optimizer"] = std::move(*optimizer);
    if (auto scheduler = schedulerJson(spec))
        settings["scheduler"] = std::move(*scheduler);
    if (spec.layout.pipeline > 1)
        addPipeline(spec, settings);
    if (spec.memory.recompute == RecomputeKind::Full && spec.memory.offloadActivations)
        settings["activation_checkpointing"] = Json{{"cpu_checkpointing", true}};
    if (spec.layout.tensor > 1)
        settings["tensor_parallel"] = Json{{"autotp_size", spec.layout.tensor}};
    if (spec.layout.context > 1)
        settings["sequence_parallel_size"] = spec.layout.context;
    return settings;
}

} // namespace

ExportedSettings exportDeepSpeed(const RunSpec& spec)
{
    const std::string text = settingsFor(spec).dump(2) + "\n";
    const ImportedSpec carried = importDeepSpeed(text, freshBaseFor(spec));
    return {text, fieldsNotCarried(spec, carried.spec, kNotCarried, "DeepSpeed")};
}

} // namespace trainyard
