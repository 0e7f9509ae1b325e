#include "tests/gpu/check/training_ways.h"

#include "tests/auto/training/training_fixture.h"

namespace trainyard {

namespace {

using Schedule = PipelineScheduleKind;

struct Settings {
    const char* name;
    ComputeType compute = ComputeType::Float64;
    OptimizerKind optimizer = OptimizerKind::AdamW;
    ModelFamily family = ModelFamily::Bert;
    double attentionDropout = 0.1;
    MemorySpec memory{};
    ParallelLayout layout{};
};

/// float64: another order of sums. Narrow types: what their roundings do within ten steps, which the
/// processor's own runs in these types stay well below (tests/gpu/README.md).
TrainingWay wayOf(const Settings& asked, const std::filesystem::path& dataset)
{
    RunSpec spec = tinySpec(dataset, 1, asked.compute);
    spec.model.setFamily(asked.family);
    spec.model.layers = 4;
    spec.model.attentionDropout = asked.attentionDropout;
    spec.optimizer.kind = asked.optimizer;
    spec.memory = asked.memory;
    spec.layout = asked.layout;
    spec.layout.bucketSize = 64 * kKiB;
    spec.batch = {8, 2, 4 / asked.layout.data};
    spec.cluster.nodes.front().slotCount = asked.layout.worldSize();
    spec.launch.steps = 10;
    switch (asked.compute) {
    case ComputeType::Float64:
        return {asked.name, spec, 1e-9, 1e-8};
    case ComputeType::Float32:
        return {asked.name, spec, 1e-4, 1e-3};
    default:
        return {asked.name, spec, 1e-2, 5e-2};
    }
}

std::vector<TrainingWay> waysOf(const std::vector<Settings>& all, const std::filesystem::path& dataset)
{
    std::vector<TrainingWay> ways;
    for (const Settings& one : all)
        ways.push_back(wayOf(one, dataset));
    return ways;
}

} // namespace

std::vector<TrainingWay> trainingWays(const std::filesystem::path& dataset)
{
    using enum ComputeType;
    using enum OptimizerKind;
    using enum ModelFamily;
    return waysOf(
        {{"float64, adamw"},
         {"float64, lamb", Float64, Lamb},
         {"float64, lans", Float64, Lans},
         {"float64, fused attention", Float64, AdamW, Bert, 0.0},
         {"float64, gpt, fused attention", Float64, AdamW, Gpt, 0.0},
         {"float64, full recomputation", Float64, AdamW, Bert, 0.1, {.recompute = RecomputeKind::Full}},
         {"float64, offload of activations", Float64, AdamW, Bert, 0.1, {.offloadActivations = true}},
         {"float64, offload of the optimizer", Float64, AdamW, Bert, 0.1, {.offloadOptimizer = true}},
         {"float64, ZeRO 3, offload of parameters",
          Float64,
          Lamb,
          Bert,
          0.1,
          {.zeroStage = 3, .offloadParameters = true}},
         {"float32", Float32},
         {"bfloat16", BFloat16},
         {"bfloat16, fused attention", BFloat16, Lamb, Bert, 0.0},
         {"bfloat16, ZeRO 3, offload of optimizer and parameters",
          BFloat16,
          AdamW,
          Gpt,
          0.1,
          {.zeroStage = 3, .offloadOptimizer = true, .offloadParameters = true}},
         {"float16", Float16}},
        dataset);
}

std::vector<TrainingWay> trainingLayouts(const std::filesystem::path& dataset)
{
    const auto layout = [](const char* name, const ParallelLayout& parallel, int zeroStage = 0) {
        Settings settings{name};
        settings.layout = parallel;
        settings.memory.zeroStage = zeroStage;
        return settings;
    };
    return waysOf(
        {layout("dp2", {.data = 2}), layout("tp2", {.tensor = 2}),
         layout("tp2-sequence", {.tensor = 2, .sequence = true}), layout("pp2-1f1b", {.pipeline = 2}),
         layout("pp2-interleaved", {.pipeline = 2, .schedule = Schedule::Interleaved, .virtualStages = 2}),
         layout("pp2-zero-bubble", {.pipeline = 2, .schedule = Schedule::ZeroBubble}),
         layout("zero1", {.data = 2}, 1), layout("zero2", {.data = 2}, 2), layout("zero3", {.data = 2}, 3),
         layout("cp2", {.context = 2}), layout("dp2-tp2", {.data = 2, .tensor = 2}),
         layout("pp4", {.pipeline = 4})},
        dataset);
}

RunSpec referenceOf(const RunSpec& spec)
{
    RunSpec reference = spec;
    reference.precision.compute = ComputeType::Float64;
    reference.memory = {};
    reference.layout = {};
    reference.batch = {spec.batch.global, spec.batch.micro, spec.batch.global / spec.batch.micro};
    reference.cluster.nodes.front().slotCount = 1;
    return reference;
}

} // namespace trainyard
