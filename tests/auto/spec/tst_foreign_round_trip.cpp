#include <functional>
#include <map>
#include <random>
#include <set>

#include <QTest>
#include <nlohmann/json.hpp>

#include "engine/spec/foreign/foreign_settings.h"
#include "engine/spec/presets.h"
#include "engine/spec/spec_json.h"
#include "engine/spec/validate.h"

using namespace trainyard;

namespace {

using Json = nlohmann::json;
using Condition = std::function<bool(const RunSpec&)>;
/// JSON paths of the fields that a tool can say, and when.
using Expressible = std::map<std::string, Condition>;

/// Draws valid specifications that use every choice there is.
class SpecSource {
public:
    explicit SpecSource(unsigned seed) : m_random(seed) {}

    RunSpec next()
    {
        RunSpec spec;
        do {
            spec = draw();
        } while (!validate(spec).empty());
        return spec;
    }

private:
    template <typename T>
    T oneOf(std::initializer_list<T> values)
    {
        return *(values.begin() + std::uniform_int_distribution<std::size_t>(0, values.size() - 1)(m_random));
    }
    int between(int least, int most) { return std::uniform_int_distribution(least, most)(m_random); }
    bool coin() { return between(0, 1) == 1; }

    void drawModel(ModelSpec& model)
    {
        model.setFamily(oneOf({ModelFamily::Bert, ModelFamily::Gpt}));
        model.layers = between(4, 24);
        model.heads = oneOf({4, 8, 16});
        model.hidden = model.heads * oneOf({32, 64});
        model.intermediate = between(100, 5000);
        model.vocabulary = between(100, 60000);
        model.maxPositions = oneOf({128, 512, 2048});
        model.activation =
            oneOf({Activation::Gelu, Activation::GeluNew, Activation::Relu, Activation::Swiglu});
        model.norm = oneOf({NormPlacement::Post, NormPlacement::Pre});
        model.positions = oneOf({PositionEncoding::Learned, PositionEncoding::Rotary});
        model.tiedHead = coin();
        model.nextSentence = model.family == ModelFamily::Bert && coin();
        model.dropout = oneOf({0.0, 0.1, 0.25});
        model.attentionDropout = oneOf({0.0, 0.1});
        model.layerNormEpsilon = oneOf({1e-12, 1e-5});
        model.initializerRange = oneOf({0.02, 0.006});
    }

    void drawLayout(ParallelLayout& layout)
    {
        layout.data = oneOf({1, 2, 3, 4});
        layout.tensor = oneOf({1, 2, 4});
        layout.pipeline = oneOf({1, 2, 4});
        layout.context = oneOf({1, 1, 2});
        layout.placement = oneOf<const char*>({"cluster", "spread", "DTP", "PDT", "PTD", "TDP"});
        layout.sequence = coin();
        layout.schedule = oneOf({PipelineScheduleKind::GPipe, PipelineScheduleKind::OneForwardOneBackward,
                                 PipelineScheduleKind::Interleaved, PipelineScheduleKind::ZeroBubble});
        layout.virtualStages = layout.schedule == PipelineScheduleKind::Interleaved ? 2 : 1;
        layout.partition.kind =
            oneOf({PartitionKind::Layers, PartitionKind::Parameters, PartitionKind::Cost});
        layout.bucketSize = static_cast<Bytes>(between(100, 100'000)) * kKiB;
    }

    void drawOptimizer(OptimizerSpec& optimizer)
    {
        optimizer.kind = oneOf({OptimizerKind::AdamW, OptimizerKind::Lamb, OptimizerKind::LambPaper,
                                OptimizerKind::Lans, OptimizerKind::Sgd});
        optimizer.learningRate = oneOf({1e-4, 6e-5, 0.00176});
        optimizer.beta1 = oneOf({0.9, 0.87});
        optimizer.beta2 = oneOf({0.999, 0.95});
        optimizer.momentum = oneOf({0.0, 0.9});
        optimizer.epsilon = oneOf({1e-8, 1e-6});
        optimizer.weightDecay = oneOf({0.0, 0.01, 0.1});
        optimizer.clipNorm = oneOf({0.0, 0.5, 1.0});
        optimizer.schedule = oneOf({ScheduleKind::Constant, ScheduleKind::Linear, ScheduleKind::Polynomial,
                                    ScheduleKind::Cosine, ScheduleKind::WarmupStableDecay});
        optimizer.warmupSteps = between(0, 50);
        if (optimizer.schedule != ScheduleKind::WarmupStableDecay)
            return;
        optimizer.decaySteps = between(0, 20);
        optimizer.decayShape = oneOf(
            {DecayShape::Linear, DecayShape::Cosine, DecayShape::Exponential, DecayShape::OneMinusSqrt});
    }

    void drawMemory(RunSpec& spec)
    {
        MemorySpec& memory = spec.memory;
        memory.zeroStage = between(0, 3);
        if (spec.layout.holders() % 2 == 0 && spec.layout.holders() > 2 && memory.zeroStage > 0)
            spec.layout.shard = oneOf({0, 2});
        memory.recompute = oneOf({RecomputeKind::None, RecomputeKind::Selective, RecomputeKind::Full});
        memory.recomputeEvery = oneOf({1, 1, 2});
        memory.offloadActivations = coin();
        memory.offloadOptimizer = coin();
        memory.offloadParameters = memory.zeroStage == 3 && coin();
    }

    RunSpec draw()
    {
        RunSpec spec;
        spec.seed = static_cast<std::uint64_t>(between(1, 1 << 20));
        drawModel(spec.model);
        drawLayout(spec.layout);
        spec.cluster.nodes = {{"a", spec.layout.worldSize(), 0}};
        spec.batch.micro = between(1, 8);
        spec.batch.accumulation = between(1, 16);
        spec.batch.global = spec.batch.micro * spec.batch.accumulation * spec.layout.data;
        spec.batch.packing = coin();
        if (spec.batch.accumulation > 1 && coin()) {
            const int sequences = spec.batch.micro * spec.layout.data;
            spec.batch.ramp = {sequences * between(1, spec.batch.accumulation - 1), sequences,
                               between(1, 100'000)};
        }
        drawOptimizer(spec.optimizer);
        spec.precision.compute =
            oneOf({ComputeType::Float64, ComputeType::Float32, ComputeType::BFloat16, ComputeType::Float16});
        spec.precision.lossScale = {std::exp2(between(4, 20)), between(10, 3000), oneOf({0.5, 0.25}),
                                    between(1, 4), oneOf({0.25, 1.0})};
        drawMemory(spec);
        spec.dataset.path = "/data/wiki";
        spec.checkpoint.everySteps = oneOf({0, 25, 50});
        spec.checkpoint.asynchronous = coin();
        spec.launch.steps = between(50, 5000);
        return spec;
    }

    std::mt19937 m_random;
};

bool always(const RunSpec&)
{
    return true;
}

bool hasPipeline(const RunSpec& spec)
{
    return spec.layout.pipeline > 1;
}

bool isOneOf(OptimizerKind kind, std::initializer_list<OptimizerKind> kinds)
{
    return std::ranges::find(kinds, kind) != kinds.end();
}

bool deepSpeedHasOptimizer(const RunSpec& spec)
{
    return isOneOf(spec.optimizer.kind, {OptimizerKind::AdamW, OptimizerKind::LambPaper, OptimizerKind::Sgd});
}

bool deepSpeedHasMoments(const RunSpec& spec)
{
    return isOneOf(spec.optimizer.kind, {OptimizerKind::AdamW, OptimizerKind::LambPaper});
}

bool hasSchedule(const RunSpec& spec)
{
    return spec.optimizer.schedule != ScheduleKind::Polynomial;
}

bool deepSpeedHasSchedule(const RunSpec& spec)
{
    return hasSchedule(spec) && spec.optimizer.schedule != ScheduleKind::WarmupStableDecay;
}

bool hasType(const RunSpec& spec)
{
    return spec.precision.compute != ComputeType::Float64;
}

bool recomputesAll(const RunSpec& spec)
{
    return spec.memory.recompute == RecomputeKind::Full;
}

Expressible ofDeepSpeed()
{
    return {
        {"batch.global", always},
        {"batch.micro", always},
        {"batch.accumulation", always},
        {"layout.data", always},
        {"layout.tensor", always},
        {"layout.pipeline", always},
        {"layout.context", always},
        {"layout.bucket_size", always},
        {"layout.partition",
         [](const RunSpec& s) { return hasPipeline(s) && s.layout.partition.kind != PartitionKind::Cost; }},
        // Its pipeline goes with ZeRO 0 and 1 alone.
        {"layout.shard", [](const RunSpec& s) { return s.memory.zeroStage == 3 && !hasPipeline(s); }},
        {"memory.zero_stage", [](const RunSpec& s) { return s.memory.zeroStage <= 1 || !hasPipeline(s); }},
        {"memory.offload_optimizer", always},
        {"memory.offload_parameters", [](const RunSpec& s) { return !hasPipeline(s); }},
        {"memory.recompute",
         [](const RunSpec& s) {
             return recomputesAll(s) && (hasPipeline(s) || s.memory.offloadActivations);
         }},
        {"memory.offload_activations", recomputesAll},
        {"optimizer.kind", deepSpeedHasOptimizer},
        {"optimizer.learning_rate", deepSpeedHasOptimizer},
        {"optimizer.weight_decay", deepSpeedHasOptimizer},
        {"optimizer.beta1", deepSpeedHasMoments},
        {"optimizer.beta2", deepSpeedHasMoments},
        {"optimizer.epsilon", deepSpeedHasMoments},
        {"optimizer.momentum", [](const RunSpec& s) { return s.optimizer.kind == OptimizerKind::Sgd; }},
        {"optimizer.clip_norm", always},
        {"optimizer.schedule", deepSpeedHasSchedule},
        {"optimizer.warmup_steps", deepSpeedHasSchedule},
        {"launch.steps",
         [](const RunSpec& s) {
             return deepSpeedHasSchedule(s) && s.optimizer.schedule != ScheduleKind::Constant;
         }},
        {"precision.compute", hasType},
        {"precision.loss_scale.initial", always},
        {"precision.loss_scale.growth_interval", always},
        {"precision.loss_scale.hysteresis", always},
        {"precision.loss_scale.minimum", always},
    };
}

Expressible ofMegatron()
{
    const Condition schedule = [](const RunSpec& s) {
        return s.layout.schedule == PipelineScheduleKind::OneForwardOneBackward ||
               s.layout.schedule == PipelineScheduleKind::Interleaved;
    };
    Expressible fields{
        {"model.activation", [](const RunSpec& s) { return s.model.activation != Activation::Relu; }},
        {"model.norm", [](const RunSpec& s) { return s.model.norm == NormPlacement::Pre; }},
        {"layout.schedule", schedule},
        {"layout.virtual_stages", schedule},
        {"layout.placement",
         [](const RunSpec& s) {
             return s.layout.placement == "PDT" ||
                    (s.layout.placement == "cluster" && s.memory.zeroStage < 2);
         }},
        // Its FSDP writes checkpoints in a format that it does not save beside training.
        {"checkpoint.asynchronous",
         [](const RunSpec& s) { return s.memory.zeroStage < 2 || !s.checkpoint.asynchronous; }},
        {"optimizer.kind",
         [](const RunSpec& s) {
             return isOneOf(s.optimizer.kind, {OptimizerKind::AdamW, OptimizerKind::Sgd});
         }},
        {"optimizer.schedule", hasSchedule},
        {"optimizer.decay_shape", always},
        {"optimizer.decay_steps", always},
        {"precision.compute", hasType},
    };
    for (const char* field : {"seed",
                              "model.family",
                              "model.layers",
                              "model.hidden",
                              "model.heads",
                              "model.intermediate",
                              "model.vocabulary",
                              "model.max_positions",
                              "model.token_types",
                              "model.positions",
                              "model.tied_head",
                              "model.next_sentence",
                              "model.dropout",
                              "model.attention_dropout",
                              "model.layer_norm_epsilon",
                              "model.initializer_range",
                              "layout.data",
                              "layout.tensor",
                              "layout.pipeline",
                              "layout.context",
                              "layout.sequence",
                              "layout.bucket_size",
                              "batch.global",
                              "batch.micro",
                              "batch.accumulation",
                              "batch.ramp.start",
                              "batch.ramp.increment",
                              "batch.ramp.samples",
                              "optimizer.learning_rate",
                              "optimizer.beta1",
                              "optimizer.beta2",
                              "optimizer.momentum",
                              "optimizer.epsilon",
                              "optimizer.weight_decay",
                              "optimizer.clip_norm",
                              "optimizer.warmup_steps",
                              "precision.loss_scale.initial",
                              "precision.loss_scale.growth_interval",
                              "precision.loss_scale.hysteresis",
                              "precision.loss_scale.minimum",
                              "memory.zero_stage",
                              "layout.shard",
                              "memory.recompute",
                              "memory.offload_optimizer",
                              "checkpoint.every_steps",
                              "launch.steps"})
        fields[field] = always;
    return fields;
}

Expressible ofSageMaker()
{
    const Condition withoutPipeline = std::not_fn(hasPipeline);
    const auto known = [](const RunSpec& s) { return !hasPipeline(s) || s.layout.context == 1; };
    return {
        {"layout.tensor", always},
        {"layout.pipeline", always},
        {"layout.data", known},
        {"layout.context", known},
        {"layout.placement", hasPipeline},
        {"layout.schedule",
         [](const RunSpec& s) {
             return hasPipeline(s) && (s.layout.schedule == PipelineScheduleKind::GPipe ||
                                       s.layout.schedule == PipelineScheduleKind::OneForwardOneBackward);
         }},
        {"batch.accumulation", hasPipeline},
        {"memory.zero_stage",
         [](const RunSpec& s) {
             return s.memory.zeroStage == 0 || (hasPipeline(s) && s.memory.zeroStage == 1) ||
                    (!hasPipeline(s) && s.memory.zeroStage == 3 && s.layout.holders() > 1);
         }},
        {"layout.shard", [](const RunSpec& s) { return !hasPipeline(s) && s.memory.zeroStage == 3; }},
        {"memory.offload_activations", always},
        {"precision.compute", [](const RunSpec& s) { return hasPipeline(s) && hasType(s); }},
        {"seed", withoutPipeline},
    };
}

/// Values by JSON path; a list is one value.
void flatten(const Json& json, const std::string& path, std::map<std::string, Json>& values)
{
    if (!json.is_object()) {
        values[path] = json;
        return;
    }
    for (const auto& [key, value] : json.items())
        flatten(value, path.empty() ? key : path + "." + key, values);
}

std::map<std::string, Json> valuesOf(const RunSpec& spec)
{
    std::map<std::string, Json> values;
    flatten(Json::parse(toJson(spec)), "", values);
    return values;
}

std::set<std::string> fieldSetOf(const Omissions& omissions)
{
    std::set<std::string> fields;
    for (const Omission& omission : omissions)
        fields.insert(omission.field);
    return fields;
}

} // namespace

Q_DECLARE_METATYPE(Expressible)

/// A specification, written as another tool's settings and read again.
class TestForeignRoundTrip : public QObject {
    Q_OBJECT

private slots:
    void bringsBackWhatCanBeSaidAndListsTheRest_data()
    {
        QTest::addColumn<int>("tool");
        QTest::addColumn<Expressible>("expressible");
        QTest::addRow("DeepSpeed") << int(ForeignTool::DeepSpeed) << ofDeepSpeed();
        QTest::addRow("Megatron") << int(ForeignTool::Megatron) << ofMegatron();
        QTest::addRow("SageMaker") << int(ForeignTool::SageMaker) << ofSageMaker();
    }
    void bringsBackWhatCanBeSaidAndListsTheRest()
    {
        QFETCH(int, tool);
        QFETCH(Expressible, expressible);
        SpecSource source(7);
        for (int i = 0; i < 300 && !QTest::currentTestFailed(); ++i)
            checkRoundTrip(static_cast<ForeignTool>(tool), expressible, source.next());
    }

    // The losses of routers are scaled otherwise there.
    void bringsBackTheExpertsOfMegatron()
    {
        RunSpec spec;
        spec.model = *modelPreset("mixtral-8x7b");
        spec.model.experts = {.count = 16,
                              .perToken = 4,
                              .width = 512,
                              .normalized = false,
                              .balanceLoss = 0.02,
                              .zLoss = 0.001};
        spec.layout = {.data = 4, .expert = 4};
        spec.batch = {8, 2, 1};
        const ExportedSettings exported = exportSettings(ForeignTool::Megatron, spec);
        QVERIFY2(exported.text.find("--moe-aux-loss-coeff 0.0025") != std::string::npos,
                 exported.text.c_str());
        const ImportedSpec again = importSettings(ForeignTool::Megatron, exported.text, {RunSpec(), 4});
        QVERIFY(again.problems.empty());
        QCOMPARE(again.spec.layout.expert, 4);
        QCOMPARE(again.spec.model.family, ModelFamily::Mixtral);
        QCOMPARE(again.spec.model.experts.balanceLoss, spec.model.experts.balanceLoss);
        QCOMPARE(again.spec.model.experts.zLoss, spec.model.experts.zLoss);
        QVERIFY(again.spec.model.experts == spec.model.experts);
    }

private:
    void checkRoundTrip(ForeignTool tool, const Expressible& expressible, const RunSpec& spec)
    {
        const ExportedSettings exported = exportSettings(tool, spec);
        const ImportedSpec again = importSettings(tool, exported.text, {RunSpec(), spec.layout.worldSize()});
        QVERIFY2(again.problems.empty(), exported.text.c_str());
        const auto before = valuesOf(spec);
        const auto after = valuesOf(again.spec);
        const std::set<std::string> listed = fieldSetOf(exported.omissions);
        for (const auto& [field, value] : before) {
            const auto condition = expressible.find(field);
            const bool canBeSaid = condition != expressible.end() && condition->second(spec);
            const auto returned = after.find(field);
            const bool cameBack = returned != after.end() && returned->second == value;
            const std::string what = field + " " + value.dump() + "\n" + exported.text;
            QVERIFY2(cameBack || !canBeSaid, what.c_str());
            QVERIFY2(cameBack != listed.contains(field), what.c_str());
        }
    }
};

QTEST_APPLESS_MAIN(TestForeignRoundTrip)
#include "tst_foreign_round_trip.moc"
