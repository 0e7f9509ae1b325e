#include "tests/support/layouts/engine_layouts.h"

#include "engine/spec/families/family_table.h"

namespace trainyard {

namespace {

constexpr int kSteps = 100;

struct Settings {
    const char* name;
    ModelFamily family;
    ComputeType compute;
    ParallelLayout layout = {};
    MemorySpec memory = {};
    int accumulation = 1;
    OptimizerKind optimizer = OptimizerKind::AdamW;
    bool packing = false;
    int heads = 4;
    bool gated = false; ///< SwiGLU
};

std::vector<Settings> settings()
{
    using enum ModelFamily;
    using enum ComputeType;
    using Schedule = PipelineScheduleKind;
    constexpr auto kSelective = RecomputeKind::Selective;
    constexpr auto kFull = RecomputeKind::Full;
    return {
        {"BERT, one rank", Bert, Float32},
        {"GPT, one rank, bfloat16", Gpt, BFloat16},
        {"BERT, 1f1b 2, 16 heads, selective recomputation",
         Bert,
         Float32,
         {.pipeline = 2},
         {.recompute = kSelective},
         4,
         OptimizerKind::AdamW,
         false,
         16},
        {"BERT, full recomputation, bfloat16", Bert, BFloat16, {}, {.recompute = kFull}},
        {"GPT, every second layer again, LAMB",
         Gpt,
         Float32,
         {},
         {.recompute = kFull, .recomputeEvery = 2},
         2,
         OptimizerKind::Lamb},
        {"BERT, packed, bfloat16", Bert, BFloat16, {}, {}, 1, OptimizerKind::AdamW, true},
        {"GPT, activations offloaded", Gpt, Float32, {}, {.offloadActivations = true}},
        {"BERT, all offloaded, bfloat16",
         Bert,
         BFloat16,
         {},
         {.zeroStage = 3, .offloadOptimizer = true, .offloadParameters = true}},
        {"BERT, data 2, accumulation 2", Bert, Float32, {.data = 2}, {}, 2},
        {"GPT, data 4, ZeRO 1, bfloat16", Gpt, BFloat16, {.data = 4}, {.zeroStage = 1}},
        {"BERT, data 2, ZeRO 2", Bert, Float32, {.data = 2}, {.zeroStage = 2}},
        {"GPT, data 4, ZeRO 3, bfloat16", Gpt, BFloat16, {.data = 4}, {.zeroStage = 3}},
        {"BERT, data 2, ZeRO 3, optimizer offloaded",
         Bert,
         Float32,
         {.data = 2},
         {.zeroStage = 3, .offloadOptimizer = true}},
        {"BERT, tensor 2", Bert, Float32, {.tensor = 2}},
        {"GPT, tensor 4, sequence, bfloat16", Gpt, BFloat16, {.tensor = 4, .sequence = true}},
        {"GPT, context 2", Gpt, Float32, {.context = 2}},
        {"BERT, 1f1b 4", Bert, Float32, {.pipeline = 4}, {}, 8},
        {"GPT, gpipe 2, bfloat16", Gpt, BFloat16, {.pipeline = 2, .schedule = Schedule::GPipe}, {}, 4},
        {"BERT, gated, interleaved 2 x 2, data 2, ZeRO 1",
         Bert,
         Float32,
         {.data = 2, .pipeline = 2, .schedule = Schedule::Interleaved, .virtualStages = 2},
         {.zeroStage = 1},
         4,
         OptimizerKind::AdamW,
         false,
         4,
         true},
        {"GPT, zero-bubble 2, tensor 2, bfloat16",
         Gpt,
         BFloat16,
         {.tensor = 2, .pipeline = 2, .schedule = Schedule::ZeroBubble},
         {},
         4},
        {"Llama, one rank", Llama, Float32},
        {"Qwen 3, data 2, tensor 2, sequence", Qwen3, Float32, {.data = 2, .tensor = 2, .sequence = true}},
        {"OLMo 2, 1f1b 2, selective recomputation",
         Olmo2,
         Float32,
         {.pipeline = 2},
         {.recompute = kSelective},
         4},
        {"GPT-NeoX, full recomputation", GptNeox, Float32, {}, {.recompute = kFull}},
        {"Gemma 2, one rank", Gemma2, Float32},
        {"ModernBERT, data 2, ZeRO 2", ModernBert, Float32, {.data = 2}, {.zeroStage = 2}},
        {"Mixtral, one rank", Mixtral, Float32},
        {"Mixtral, data 2, tensor 2, sequence, selective recomputation",
         Mixtral,
         Float32,
         {.data = 2, .tensor = 2, .sequence = true},
         {.recompute = kSelective}},
        {"Mixtral, data 2, expert 2", Mixtral, Float32, {.data = 2, .expert = 2}},
        {"Mixtral, data 4, expert 2, ZeRO 3", Mixtral, Float32, {.data = 4, .expert = 2}, {.zeroStage = 3}},
        {"BERT, data 4 shard 2, ZeRO 3", Bert, Float32, {.data = 4, .shard = 2}, {.zeroStage = 3}, 2},
        {"GPT, data 2, 1f1b 2, ZeRO 2", Gpt, Float32, {.data = 2, .pipeline = 2}, {.zeroStage = 2}, 4},
        {"Llama, data 2, interleaved 2 x 2, ZeRO 3",
         Llama,
         Float32,
         {.data = 2, .pipeline = 2, .schedule = Schedule::Interleaved, .virtualStages = 2},
         {.zeroStage = 3},
         4},
    };
}

ModelSpec modelOf(const Settings& asked)
{
    ModelSpec model;
    model.setFamily(asked.family);
    model.activation = asked.gated ? Activation::Swiglu : model.activation;
    if (!familyTable(asked.family).names.key.empty() && model.isDecoder())
        model.keyValueHeads = 2;
    if (model.window > 0)
        model.window = 32;
    model.layers = 4;
    model.hidden = 256;
    model.heads = asked.heads;
    model.intermediate = 1024;
    if (model.experts.isOn())
        model.experts = {.count = 4, .perToken = 2, .width = 512};
    model.vocabulary = kLayoutVocabulary;
    model.maxPositions = kEncoderRows.length;
    return model;
}

RunSpec specOf(const Settings& asked, const std::filesystem::path& data)
{
    RunSpec spec;
    spec.name = "layout";
    spec.model = modelOf(asked);
    spec.cluster.nodes.front().slotCount = asked.layout.worldSize();
    spec.layout = asked.layout;
    spec.layout.bucketSize = 4 * kMiB;
    const int micro = isDecoder(asked.family) ? 4 : 8;
    spec.batch = {micro * asked.accumulation * asked.layout.data, micro, asked.accumulation, asked.packing};
    spec.optimizer.kind = asked.optimizer;
    spec.precision.compute = asked.compute;
    spec.memory = asked.memory;
    spec.dataset.path = data;
    spec.launch.steps = kSteps;
    spec.launch.device = DeviceKind::Cpu;
    return spec;
}

} // namespace

SequenceShape rowsOf(const EngineLayout& layout)
{
    return layout.spec.model.isDecoder() ? kDecoderRows : kEncoderRows;
}

std::vector<EngineLayout> engineLayouts(const std::filesystem::path& encoderData,
                                        const std::filesystem::path& decoderData)
{
    std::vector<EngineLayout> layouts;
    for (const Settings& asked : settings())
        layouts.push_back({asked.name, specOf(asked, isDecoder(asked.family) ? decoderData : encoderData)});
    return layouts;
}

} // namespace trainyard
