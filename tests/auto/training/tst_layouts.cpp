#include <array>
#include <cmath>

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <QTemporaryDir>
#include <QTest>

#include "engine/checkpoint/format/checkpoint_reader.h"
#include "engine/spec/families/family_table.h"
#include "engine/spec/names.h"
#include "engine/spec/validate.h"
#include "tests/auto/training/checkpoint_content.h"
#include "tests/auto/training/train_as_threads.h"
#include "tests/auto/training/training_fixture.h"
#include "tests/support/checkpoint/small_checkpoint.h"
#include "tests/support/row_sample.h"
#include "tests/support/tested_device/tested_device.h"

using namespace trainyard;

namespace {

namespace fs = std::filesystem;

constexpr int kSteps = 12; ///< more than the warm-up

/// One way to share the work among ranks. The global batch is the same in all of them.
struct Layout {
    const char* name;
    ParallelLayout parallel;
    int zeroStage = 0;
    RecomputeKind recompute = RecomputeKind::None;
    int recomputeEvery = 1;
    bool offload = false;
    bool everyOptimizer = false; ///< beside AdamW and LAMB
    bool offloadOptimizer = false;
    bool offloadParameters = false;
    bool packing = false;
    ModelFamily family = ModelFamily::Bert;
};

constexpr auto kOptimizers = {OptimizerKind::AdamW, OptimizerKind::Lamb, OptimizerKind::LambPaper,
                              OptimizerKind::Lans, OptimizerKind::Sgd};

using Schedule = PipelineScheduleKind;

std::vector<Layout> layouts()
{
    const auto pipeline = [](int ranks, Schedule schedule, int chunks = 1) {
        return ParallelLayout{.pipeline = ranks, .schedule = schedule, .virtualStages = chunks};
    };
    const auto packed = [](Layout layout) {
        layout.packing = true;
        return layout;
    };
    const auto everywhere = [](Layout layout) {
        layout.everyOptimizer = true;
        return layout;
    };
    const auto of = [](ModelFamily family, Layout layout) {
        layout.family = family;
        return layout;
    };
    const auto decoder = [&](Layout layout) { return of(ModelFamily::Gpt, layout); };
    return {
        {"tensor 2", {.tensor = 2}},
        {"tensor 4", {.tensor = 4}},
        {"tensor 2, sequence", {.tensor = 2, .sequence = true}},
        everywhere({"tensor 4, sequence", {.tensor = 4, .sequence = true}}),
        {"gpipe 2", pipeline(2, Schedule::GPipe)},
        {"1f1b 2", pipeline(2, Schedule::OneForwardOneBackward)},
        {"1f1b 4", pipeline(4, Schedule::OneForwardOneBackward)},
        everywhere({"interleaved 2 x 2", pipeline(2, Schedule::Interleaved, 2)}),
        {"zero-bubble 2", pipeline(2, Schedule::ZeroBubble)},
        {"zero-bubble 4", pipeline(4, Schedule::ZeroBubble)},
        {"data 2, tensor 2", {.data = 2, .tensor = 2}},
        {"data 2, tensor 2, sequence, ZeRO 1", {.data = 2, .tensor = 2, .sequence = true}, 1},
        everywhere({"data 2, tensor 2, ZeRO 2", {.data = 2, .tensor = 2, .placement = "TPD"}, 2}),
        everywhere({"data 4, ZeRO 2", {.data = 4}, 2}),
        {"data 2, 1f1b 2", {.data = 2, .pipeline = 2}},
        {"data 2, 1f1b 2, ZeRO 1", {.data = 2, .pipeline = 2, .placement = "PDT"}, 1},
        {"tensor 2, sequence, 1f1b 2", {.tensor = 2, .pipeline = 2, .placement = "TPD", .sequence = true}},
        everywhere({"data 2, tensor 2, 1f1b 2, ZeRO 1",
                    {.data = 2, .tensor = 2, .pipeline = 2, .placement = "DTP"},
                    1}),
        {"selective recomputation", {}, 0, RecomputeKind::Selective},
        {"full recomputation", {}, 0, RecomputeKind::Full},
        {"recomputation of every third layer", {}, 0, RecomputeKind::Full, 3},
        {"data 2, tensor 2, sequence, 1f1b 2, ZeRO 1, full recomputation",
         {.data = 2, .tensor = 2, .pipeline = 2, .sequence = true},
         1,
         RecomputeKind::Full},
        {"data 2, tensor 2, ZeRO 2, selective recomputation",
         {.data = 2, .tensor = 2},
         2,
         RecomputeKind::Selective},
        everywhere({"data 2, ZeRO 3", {.data = 2}, 3}),
        {"data 4, ZeRO 3, full recomputation", {.data = 4}, 3, RecomputeKind::Full},
        {"data 2, tensor 2, ZeRO 3, recomputation of every third layer",
         {.data = 2, .tensor = 2},
         3,
         RecomputeKind::Full,
         3},
        {"data 2, tensor 2, sequence, ZeRO 3, selective recomputation",
         {.data = 2, .tensor = 2, .placement = "TPD", .sequence = true},
         3,
         RecomputeKind::Selective},
        {"offload", {}, 0, RecomputeKind::None, 1, true},
        {"tensor 2, sequence, 1f1b 2, full recomputation, offload",
         {.tensor = 2, .pipeline = 2, .sequence = true},
         0,
         RecomputeKind::Full,
         2,
         true},
        {"zero-bubble 2, offload", pipeline(2, Schedule::ZeroBubble), 0, RecomputeKind::None, 1, true},
        {"data 2, tensor 2, ZeRO 3, offload", {.data = 2, .tensor = 2}, 3, RecomputeKind::None, 1, true},
        {"data 2, tensor 2, sequence, 1f1b 2, ZeRO 1, full recomputation, all that can be offloaded",
         {.data = 2, .tensor = 2, .pipeline = 2, .sequence = true},
         1,
         RecomputeKind::Full,
         1,
         true,
         false,
         true},
        {"data 4, ZeRO 3, selective recomputation, everything offloaded",
         {.data = 4},
         3,
         RecomputeKind::Selective,
         1,
         true,
         true,
         true,
         true},
        everywhere(packed({"packing", {}})),
        packed({"tensor 2, packing", {.tensor = 2}}),
        packed({"tensor 4, sequence, packing", {.tensor = 4, .sequence = true}}),
        packed({"gpipe 2, packing", pipeline(2, Schedule::GPipe)}),
        packed({"zero-bubble 2, packing", pipeline(2, Schedule::ZeroBubble)}),
        packed({"data 4, ZeRO 2, packing", {.data = 4}, 2}),
        packed({"selective recomputation, packing", {}, 0, RecomputeKind::Selective}),
        packed({"data 2, tensor 2, sequence, ZeRO 3, full recomputation, offload, packing",
                {.data = 2, .tensor = 2, .sequence = true},
                3,
                RecomputeKind::Full,
                3,
                true}),
        packed({"data 2, tensor 2, sequence, interleaved 2 x 2, ZeRO 1, packing",
                {.data = 2,
                 .tensor = 2,
                 .pipeline = 2,
                 .sequence = true,
                 .schedule = Schedule::Interleaved,
                 .virtualStages = 2},
                1}),
        everywhere(packed({"context 2, packing", {.context = 2}})),
        packed({"context 3, tensor 2, sequence, ZeRO 2, packing",
                {.tensor = 2, .context = 3, .sequence = true},
                2}),
        packed({"data 2, context 2, 1f1b 2, ZeRO 3, full recomputation, packing",
                {.data = 2, .pipeline = 2, .context = 2},
                3,
                RecomputeKind::Full}),
        packed(decoder({"decoder, context 4, packing", {.context = 4}})),
        packed(decoder({"decoder, data 2, context 2 shard 2, tensor 2, ZeRO 3, selective recomputation, "
                        "offload, packing",
                        {.data = 2, .tensor = 2, .context = 2, .shard = 2},
                        3,
                        RecomputeKind::Selective,
                        1,
                        true})),
        packed(of(ModelFamily::Qwen3, {"Qwen 3, context 2, tensor 2, packing", {.tensor = 2, .context = 2}})),
        everywhere({"context 2", {.context = 2}}),
        {"context 3", {.context = 3}}, // 32 tokens: not evenly
        {"context 4, full recomputation", {.context = 4}, 0, RecomputeKind::Full},
        {"context 2, selective recomputation, offload", {.context = 2}, 0, RecomputeKind::Selective, 1, true},
        {"context 2, tensor 2", {.tensor = 2, .context = 2}},
        {"context 2, tensor 2, sequence", {.tensor = 2, .context = 2, .sequence = true}},
        {"context 3, tensor 2, sequence, ZeRO 1", {.tensor = 2, .context = 3, .sequence = true}, 1},
        {"data 2, context 2, ZeRO 2", {.data = 2, .context = 2}, 2},
        {"data 2, context 2, ZeRO 3", {.data = 2, .context = 2}, 3},
        {"context 2, tensor 2, ZeRO 3, full recomputation, offload",
         {.tensor = 2, .context = 2, .placement = "TPD"},
         3,
         RecomputeKind::Full,
         2,
         true},
        {"context 2, 1f1b 2", {.pipeline = 2, .context = 2}},
        {"context 2, zero-bubble 2, ZeRO 1",
         {.pipeline = 2, .context = 2, .placement = "PDT", .schedule = Schedule::ZeroBubble},
         1},
        {"data 2, context 2, interleaved 2 x 2",
         {.data = 2, .pipeline = 2, .context = 2, .schedule = Schedule::Interleaved, .virtualStages = 2}},
        decoder({"decoder, context 2", {.context = 2}}),
        decoder({"decoder, context 3", {.context = 3}}),
        decoder({"decoder, data 2, context 2, tensor 2, sequence, ZeRO 2",
                 {.data = 2, .tensor = 2, .context = 2, .sequence = true},
                 2}),
        decoder({"decoder, context 4, 1f1b 2, full recomputation",
                 {.pipeline = 2, .context = 4},
                 0,
                 RecomputeKind::Full}),
        of(ModelFamily::Llama,
           {"Llama, data 2, tensor 2, sequence, ZeRO 1", {.data = 2, .tensor = 2, .sequence = true}, 1}),
        of(ModelFamily::Llama, {"Llama, context 2, tensor 2", {.tensor = 2, .context = 2}}),
        of(ModelFamily::Mistral, {"Mistral, data 2, 1f1b 2, ZeRO 1, full recomputation, offload",
                                  {.data = 2, .pipeline = 2},
                                  1,
                                  RecomputeKind::Full,
                                  1,
                                  true}),
        of(ModelFamily::Qwen2, packed({"Qwen 2, data 4, ZeRO 3, packing", {.data = 4}, 3})),
        of(ModelFamily::Qwen3,
           packed({"Qwen 3, data 2, tensor 2, ZeRO 3, packing", {.data = 2, .tensor = 2}, 3})),
        of(ModelFamily::Qwen3,
           {"Qwen 3, tensor 2, sequence, 1f1b 2", {.tensor = 2, .pipeline = 2, .sequence = true}}),
        of(ModelFamily::Olmo2, {"OLMo 2, data 2, tensor 2, sequence, ZeRO 2, selective recomputation",
                                {.data = 2, .tensor = 2, .sequence = true},
                                2,
                                RecomputeKind::Selective}),
        of(ModelFamily::GptNeox, {"GPT-NeoX, tensor 4, zero-bubble 2",
                                  {.tensor = 4, .pipeline = 2, .schedule = Schedule::ZeroBubble}}),
        of(ModelFamily::Gemma2, packed({"Gemma 2, tensor 2, sequence, interleaved 2 x 2, packing",
                                        {.tensor = 2,
                                         .pipeline = 2,
                                         .sequence = true,
                                         .schedule = Schedule::Interleaved,
                                         .virtualStages = 2}})),
        of(ModelFamily::Roberta,
           {"RoBERTa, tensor 4, gpipe 2", {.tensor = 4, .pipeline = 2, .schedule = Schedule::GPipe}}),
        of(ModelFamily::ModernBert,
           packed({"ModernBERT, data 2, tensor 2, ZeRO 2, full recomputation, packing",
                   {.data = 2, .tensor = 2},
                   2,
                   RecomputeKind::Full})),
        of(ModelFamily::Mixtral, {"Mixtral, data 2, tensor 2, sequence, ZeRO 1, selective recomputation",
                                  {.data = 2, .tensor = 2, .sequence = true},
                                  1,
                                  RecomputeKind::Selective}),
        of(ModelFamily::Mixtral,
           packed({"Mixtral, zero-bubble 2, packing", pipeline(2, Schedule::ZeroBubble)})),
        of(ModelFamily::Qwen3Moe,
           packed({"Qwen 3 MoE, data 2, tensor 2, ZeRO 3, full recomputation, offload, packing",
                   {.data = 2, .tensor = 2},
                   3,
                   RecomputeKind::Full,
                   1,
                   true})),
        of(ModelFamily::Mixtral, {"Mixtral, data 2, expert 2", {.data = 2, .expert = 2}}),
        of(ModelFamily::Mixtral,
           everywhere({"Mixtral, data 4, expert 2, ZeRO 1", {.data = 4, .expert = 2}, 1})),
        of(ModelFamily::Qwen3Moe, packed({"Qwen 3 MoE, data 4, expert 2 outer, ZeRO 2, packing",
                                          {.data = 4, .expert = 2, .expertPlacement = ExpertPlacement::Outer},
                                          2})),
        of(ModelFamily::Qwen3Moe,
           {"Qwen 3 MoE, data 2, expert 2, tensor 2, sequence, ZeRO 3, selective recomputation",
            {.data = 2, .tensor = 2, .expert = 2, .sequence = true},
            3,
            RecomputeKind::Selective}),
        of(ModelFamily::Qwen3Moe, {"Qwen 3 MoE, data 4, expert 2, ZeRO 3, all that can be offloaded",
                                   {.data = 4, .expert = 2},
                                   3,
                                   RecomputeKind::None,
                                   1,
                                   true,
                                   false,
                                   true,
                                   true}),
        of(ModelFamily::Mixtral, {"Mixtral, data 2, expert 2, 1f1b 2, full recomputation, offload",
                                  {.data = 2, .pipeline = 2, .expert = 2},
                                  1,
                                  RecomputeKind::Full,
                                  1,
                                  true}),
        of(ModelFamily::Qwen3Moe, {"Qwen 3 MoE, tensor 2, sequence, interleaved 2 x 2",
                                   {.tensor = 2,
                                    .pipeline = 2,
                                    .sequence = true,
                                    .schedule = Schedule::Interleaved,
                                    .virtualStages = 2}}),
        everywhere({"data 4 shard 2, ZeRO 1", {.data = 4, .shard = 2}, 1}),
        everywhere({"data 4 shard 2, ZeRO 2", {.data = 4, .shard = 2}, 2}),
        everywhere(
            {"data 4 shard 2, ZeRO 3, full recomputation", {.data = 4, .shard = 2}, 3, RecomputeKind::Full}),
        {"data 2, context 2 shard 2, tensor 2, sequence, ZeRO 3",
         {.data = 2, .tensor = 2, .context = 2, .shard = 2, .placement = "TPD", .sequence = true},
         3},
        {"data 4 shard 2, ZeRO 3, everything offloaded",
         {.data = 4, .shard = 2},
         3,
         RecomputeKind::None,
         1,
         true,
         false,
         true,
         true},
        {"data 2, context 2 shard 2, 1f1b 2, ZeRO 1",
         {.data = 2, .pipeline = 2, .context = 2, .shard = 2},
         1},
        of(ModelFamily::Mixtral,
           {"Mixtral, data 4 shard 2, expert 2, ZeRO 1", {.data = 4, .expert = 2, .shard = 2}, 1}),
        of(ModelFamily::Qwen3Moe,
           {"Qwen 3 MoE, data 4 shard 2, expert 2 outer, ZeRO 3",
            {.data = 4, .expert = 2, .expertPlacement = ExpertPlacement::Outer, .shard = 2},
            3}),
        everywhere({"data 2, 1f1b 2, ZeRO 2", {.data = 2, .pipeline = 2}, 2}),
        everywhere({"data 2, 1f1b 2, ZeRO 3", {.data = 2, .pipeline = 2}, 3}),
        {"data 2, gpipe 2, ZeRO 2", {.data = 2, .pipeline = 2, .schedule = Schedule::GPipe}, 2},
        {"data 2, gpipe 2, tensor 2, sequence, ZeRO 3",
         {.data = 2, .tensor = 2, .pipeline = 2, .sequence = true, .schedule = Schedule::GPipe},
         3},
        {"data 2, interleaved 2 x 2, ZeRO 2, full recomputation",
         {.data = 2, .pipeline = 2, .schedule = Schedule::Interleaved, .virtualStages = 2},
         2,
         RecomputeKind::Full},
        {"data 2, interleaved 2 x 2, ZeRO 3, offload",
         {.data = 2, .pipeline = 2, .schedule = Schedule::Interleaved, .virtualStages = 2},
         3,
         RecomputeKind::None,
         1,
         true},
        {"data 2, zero-bubble 2, ZeRO 2", {.data = 2, .pipeline = 2, .schedule = Schedule::ZeroBubble}, 2},
        {"data 2, zero-bubble 2, ZeRO 3", {.data = 2, .pipeline = 2, .schedule = Schedule::ZeroBubble}, 3},
        {"zero-bubble 2, tensor 2, sequence, full recomputation, offload",
         {.tensor = 2, .pipeline = 2, .sequence = true, .schedule = Schedule::ZeroBubble},
         0,
         RecomputeKind::Full,
         2,
         true},
        {"zero-bubble 2, selective recomputation", pipeline(2, Schedule::ZeroBubble), 0,
         RecomputeKind::Selective},
        {"context 2, 1f1b 2, ZeRO 3", {.pipeline = 2, .context = 2}, 3},
        {"data 2, context 2 shard 2, 1f1b 2, ZeRO 3, all that can be offloaded",
         {.data = 2, .pipeline = 2, .context = 2, .shard = 2},
         3,
         RecomputeKind::Full,
         1,
         true,
         false,
         true,
         true},
        of(ModelFamily::Llama, {"Llama, data 2, tensor 2, 1f1b 2, ZeRO 3, selective recomputation",
                                {.data = 2, .tensor = 2, .pipeline = 2, .placement = "PDT"},
                                3,
                                RecomputeKind::Selective}),
        of(ModelFamily::Mixtral,
           {"Mixtral, data 2, expert 2, 1f1b 2, ZeRO 3", {.data = 2, .pipeline = 2, .expert = 2}, 3}),
        {"data 2, tensor 2, sequence, interleaved 2 x 2",
         {.data = 2,
          .tensor = 2,
          .pipeline = 2,
          .sequence = true,
          .schedule = Schedule::Interleaved,
          .virtualStages = 2}},
    };
}

/// Layouts with states in host memory, which change nothing but where they are.
std::vector<Layout> offloadingLayouts()
{
    const auto optimizer = [](Layout layout) {
        layout.offloadOptimizer = true;
        return layout;
    };
    const auto parameters = [](Layout layout) {
        layout.offloadParameters = true;
        return layout;
    };
    return {
        optimizer({"one rank", {}}),
        optimizer({"one rank, full recomputation, activations", {}, 0, RecomputeKind::Full, 2, true}),
        parameters({"one rank, ZeRO 3", {}, 3}),
        optimizer(parameters({"one rank, ZeRO 3", {}, 3})),
        optimizer({"data 2", {.data = 2}}),
        optimizer({"data 4, ZeRO 1", {.data = 4}, 1}),
        optimizer({"data 2, tensor 2, sequence, ZeRO 2", {.data = 2, .tensor = 2, .sequence = true}, 2}),
        optimizer({"data 2, ZeRO 3", {.data = 2}, 3}),
        parameters({"data 2, tensor 2, ZeRO 3", {.data = 2, .tensor = 2}, 3}),
        optimizer(parameters({"data 2, tensor 2, ZeRO 3", {.data = 2, .tensor = 2}, 3})),
        optimizer({"data 2, 1f1b 2, ZeRO 1", {.data = 2, .pipeline = 2}, 1}),
        optimizer({"tensor 2, interleaved 2 x 2",
                   {.tensor = 2, .pipeline = 2, .schedule = Schedule::Interleaved, .virtualStages = 2}}),
        optimizer({"zero-bubble 4", {.pipeline = 4, .schedule = Schedule::ZeroBubble}}),
    };
}

/// Than those that the other rows are about.
bool isLater(ModelFamily family)
{
    return family != ModelFamily::Bert && family != ModelFamily::Gpt;
}

/// Four layers, four heads; 97 words and gaps in the flat buffers that no number of ranks divides.
RunSpec specOf(const fs::path& dataset, const Layout& layout, OptimizerKind optimizer)
{
    RunSpec spec = tinySpec(dataset, 1, ComputeType::Float64);
    spec.model.setFamily(layout.family);
    spec.model.layers = 4;
    spec.model.heads = 4;
    spec.model.intermediate = 66;
    if (layout.family == ModelFamily::Gpt)
        spec.model.positions = PositionEncoding::Rotary;
    if (isLater(layout.family)) {
        const bool sharesKeys = isDecoder(layout.family) && !familyTable(layout.family).names.key.empty();
        spec.model.keyValueHeads = sharesKeys ? 2 : 0;
        spec.model.window = spec.model.window > 0 || layout.family == ModelFamily::Mistral ? 9 : 0;
    }
    if (spec.model.experts.isOn()) {
        spec.model.experts = {.count = 6, .perToken = 2, .width = 18, .balanceLoss = 0.05, .zLoss = 0.01};
        if (layout.packing) // puts micro-batches together differently, of which these are
            spec.model.experts.balanceLoss = spec.model.experts.zLoss = 0;
    }
    spec.optimizer.kind = optimizer;
    spec.launch.steps = kSteps;
    spec.layout = layout.parallel;
    spec.layout.bucketSize = 64 * kKiB;
    spec.memory.zeroStage = layout.zeroStage;
    spec.memory.recompute = layout.recompute;
    spec.memory.recomputeEvery = layout.recomputeEvery;
    spec.memory.offloadActivations = layout.offload;
    spec.memory.offloadOptimizer = layout.offloadOptimizer;
    spec.memory.offloadParameters = layout.offloadParameters;
    spec.batch = {8, 2, 4 / layout.parallel.data};
    spec.batch = {8, 2, 4 / layout.parallel.data, layout.packing};
    spec.cluster.nodes.front().slotCount = spec.layout.worldSize();
    return spec;
}

/// A shift of all keys changes no attention: the gradient of their bias is zero, and what is there is
/// rounding.
bool isZeroByNature(const std::string& tensor)
{
    return tensor.ends_with("key.bias");
}

/// Largest relative difference (Frobenius) of a tensor of the checkpoints: weights and moments. LANS makes a
/// unit vector of every gradient, also of rounding: there those tensors are left out.
double weightDifference(const fs::path& a, const fs::path& b, OptimizerKind optimizer)
{
    auto first = CheckpointReader::open(startingCheckpoint(a / "checkpoints").value().value()).value();
    auto second = CheckpointReader::open(startingCheckpoint(b / "checkpoints").value().value()).value();
    double largest = 0;
    for (const LogicalTensor& tensor : first.manifest().tensors) {
        if (optimizer == OptimizerKind::Lans && isZeroByNature(tensor.name))
            continue;
        std::vector<double> x(std::size_t(elementCount(tensor.shape)));
        std::vector<double> y(x.size());
        if (!first.read(tensor.name, std::as_writable_bytes(std::span(x))).ok() ||
            !second.read(tensor.name, std::as_writable_bytes(std::span(y))).ok())
            return std::numeric_limits<double>::infinity();
        double difference = 0;
        double norm = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            difference += (x[i] - y[i]) * (x[i] - y[i]);
            norm += x[i] * x[i];
        }
        largest = std::max(largest, std::sqrt(difference / (isZeroByNature(tensor.name) ? 1.0 : norm)));
    }
    return largest;
}

} // namespace

/// Every layout computes what one rank computes: losses, gradient norms, weights and moments, over 12 steps
/// with dropout.
class TestLayouts : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        at::set_num_threads(1); // each rank is a thread
        QVERIFY(writeTinyDataset(dataset()).ok());
    }

    void computesWhatOneRankComputes_data()
    {
        QTest::addColumn<int>("layout");
        QTest::addColumn<int>("optimizer");
        const auto all = layouts();
        for (std::size_t i = 0; i < all.size(); ++i) {
            for (const OptimizerKind kind : kOptimizers) {
                const std::string name = fmt::format("{}, {}", all[i].name, nameOf(kind));
                const bool isFurther =
                    kind == OptimizerKind::Lamb && !isLater(all[i].family) && m_sample.has(name);
                if (all[i].everyOptimizer || kind == OptimizerKind::AdamW || isFurther)
                    QTest::addRow("%s", name.c_str()) << int(i) << int(kind);
            }
        }
    }
    void computesWhatOneRankComputes()
    {
        QFETCH(int, layout);
        QFETCH(int, optimizer);
        const auto kind = OptimizerKind(optimizer);
        const RunSpec spec = specOf(dataset(), layouts()[std::size_t(layout)], kind);
        for (const Diagnostic& problem : validate(spec))
            qInfo("%s: %s", problem.path.c_str(), problem.message.c_str());
        QVERIFY(validate(spec).empty());
        QTemporaryDir folder;
        const fs::path run = folder.path().toStdString();
        const Status status = trainAsThreads(run, spec, {.device = testedDevice()});
        QVERIFY2(status.ok(), status.ok() ? "" : status.error().text().c_str());
        const auto single = reference(spec.model, kind);
        QVERIFY2(single.ok(), single.ok() ? "" : single.error().text().c_str());
        for (const EventRecord& event : eventsOf(run)) // of replicas that differ in any bit
            QVERIFY2(event.severity != Severity::Error, event.message.c_str());
        const double losses = largestDifference(stepsOf(*single), stepsOf(run));
        const double norms = largestNormDifference(stepsOf(*single), stepsOf(run));
        const double weights = weightDifference(*single, run, kind);
        qInfo("losses %.1e, gradient norms %.1e, weights and moments %.1e", losses, norms, weights);
        QVERIFY(losses < 1e-9);
        QVERIFY(norms < 1e-9);
        QVERIFY(weights < 1e-9);
    }

    void isTheSameToTheBitWithStatesInHostMemory_data()
    {
        QTest::addColumn<int>("layout");
        QTest::addColumn<int>("compute");
        QTest::addColumn<int>("optimizer");
        const auto all = offloadingLayouts();
        for (std::size_t i = 0; i < all.size(); ++i) {
            const std::string name = std::string(all[i].name) +
                                     (all[i].offloadOptimizer ? ", optimizer" : "") +
                                     (all[i].offloadParameters ? ", parameters" : "");
            const OptimizerKind kind = *(kOptimizers.begin() + i % kOptimizers.size());
            for (std::size_t type = 0; type < kOffloadedTypes.size(); ++type) {
                const ComputeType compute = kOffloadedTypes[type];
                const std::string row = fmt::format("{}, {}, {}", name, nameOf(compute), nameOf(kind));
                if (type == i % kOffloadedTypes.size() || m_sample.has(row))
                    QTest::addRow("%s", row.c_str()) << int(i) << int(compute) << int(kind);
            }
        }
        for (const OptimizerKind kind : kOptimizers)
            QTest::addRow("one rank, optimizer, %s", nameOf(kind).data())
                << 0 << int(ComputeType::Float32) << int(kind);
    }
    void isTheSameToTheBitWithStatesInHostMemory()
    {
        QFETCH(int, layout);
        QFETCH(int, compute);
        QFETCH(int, optimizer);
        const auto kind = OptimizerKind(optimizer);
        RunSpec spec = specOf(dataset(), offloadingLayouts()[std::size_t(layout)], kind);
        spec.precision.compute = ComputeType(compute);
        spec.precision.lossScale = {.initial = 0x1p24, .growthInterval = 2}; // float16 skips some steps
        if (spec.layout.worldSize() == 1)
            spec.batch = {8, 8, 1}; // gradients that stay add micro-batches up in another order
        QVERIFY(validate(spec).empty());
        QTemporaryDir folder;
        const fs::path offloaded = fs::path(folder.path().toStdString()) / "offloaded";
        const fs::path plain = fs::path(folder.path().toStdString()) / "plain";
        QVERIFY(trainAsThreads(offloaded, spec, {.lastStep = 8, .device = testedDevice()}).ok());
        spec.memory.offloadOptimizer = false;
        spec.memory.offloadParameters = false;
        QVERIFY(trainAsThreads(plain, spec, {.lastStep = 8, .device = testedDevice()}).ok());
        QCOMPARE(largestDifference(stepsOf(plain), stepsOf(offloaded)), 0.0);
        QCOMPARE(largestNormDifference(stepsOf(plain), stepsOf(offloaded)), 0.0);
        const auto expected = latestContentOf(plain);
        const auto content = latestContentOf(offloaded);
        QVERIFY(expected.ok() && content.ok());
        QVERIFY(*expected == *content);
    }

    void keepsLessForTheBackwardPass()
    {
        const auto peak = [&](RecomputeKind kind) {
            QTemporaryDir folder;
            const fs::path run = folder.path().toStdString();
            const RunSpec spec = specOf(dataset(), {"", {}, 0, kind}, OptimizerKind::AdamW);
            const Status status = trainAsThreads(run, spec, {.lastStep = 2, .device = testedDevice()});
            return status.ok() ? stepsOf(run).back().ranks.front().peakMemory[std::size_t(
                                     MemoryCategory::Activations)]
                               : Bytes{0};
        };
        const Bytes all = peak(RecomputeKind::None);
        const Bytes selective = peak(RecomputeKind::Selective);
        const Bytes full = peak(RecomputeKind::Full);
        qInfo("activations at the peak: %llu bytes, selective %llu, full %llu", (unsigned long long)(all),
              (unsigned long long)(selective), (unsigned long long)(full));
        QVERIFY(full > 0 && 10 * selective < 9 * all && 10 * full < 9 * selective);
    }

private:
    static constexpr std::array kOffloadedTypes{ComputeType::Float64, ComputeType::BFloat16,
                                                ComputeType::Float16};

    fs::path dataset() const { return fs::path(m_folder.path().toStdString()) / "data"; }
    /// The run of one rank on the processor, which is trained when a row first asks for it.
    Result<fs::path> reference(const ModelSpec& model, OptimizerKind kind) const
    {
        const char* const losses = model.experts.zLoss > 0 ? "routers-too" : "words";
        const fs::path run =
            fs::path(m_folder.path().toStdString()) / nameOf(model.family) / losses / nameOf(kind);
        Layout layout{"one rank", {}};
        layout.family = model.family;
        RunSpec spec = specOf(dataset(), layout, kind);
        spec.model = model;
        if (!fs::exists(run))
            TRAINYARD_TRY_STATUS(trainAsThreads(run, spec));
        return run;
    }

    QTemporaryDir m_folder;
    const support::RowSample m_sample{4};
};

QTEST_APPLESS_MAIN(TestLayouts)
#include "tst_layouts.moc"
