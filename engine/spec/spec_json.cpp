#include "engine/spec/spec_json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/base/file.h"
#include "engine/spec/bounded_json.h"
#include "engine/spec/field_reader.h"
#include "engine/spec/launch_json.h"
#include "engine/spec/model_json.h"
#include "engine/spec/names.h"
#include "engine/spec/partition_json.h"
#include "engine/spec/presets.h"
#include "engine/spec/validate.h"

namespace trainyard {

using Json = nlohmann::ordered_json;

namespace {

constexpr JsonLimits kSpecLimits{.values = 2'000'000}; ///< as many nodes as ranks, each with all its settings

/// What is left out is unknown; none at all would be taken for that.
void readMemory(FieldReader& reader, Bytes& memory)
{
    Bytes read = 1; // what is written wrongly is complained about once
    reader.readBytes("memory", read);
    if (read == 0)
        reader.complain("memory", "must be above 0", "leave it out where it is unknown");
    if (reader.has("memory"))
        memory = read;
}

void readNode(const nlohmann::json& json, const std::string& path, NodeSpec& node, Diagnostics& diagnostics)
{
    FieldReader reader(json, path, diagnostics);
    reader.read("host", node.host);
    reader.read("slots", node.slotCount);
    readMemory(reader, node.memory);
    reader.read("hardware", node.hardware);
    reader.finish();
}

void readCluster(FieldReader& reader, ClusterSpec& cluster, Diagnostics& diagnostics)
{
    const auto* nodes = reader.take("nodes");
    if (!nodes)
        return;
    if (!nodes->is_array()) {
        reader.complain("nodes", "must be a list", "write it as [ { \"host\": ..., \"slots\": ... } ]");
        return;
    }
    cluster.nodes.clear();
    for (const auto& json : *nodes) {
        const std::string path = fmt::format("{}[{}]", reader.pathOf("nodes"), cluster.nodes.size());
        readNode(json, path, cluster.nodes.emplace_back(), diagnostics);
    }
}

void readLayout(FieldReader& reader, ParallelLayout& layout)
{
    reader.read("data", layout.data);
    reader.read("tensor", layout.tensor);
    reader.read("pipeline", layout.pipeline);
    reader.read("context", layout.context);
    reader.read("placement", layout.placement);
    reader.read("sequence", layout.sequence);
    reader.readEnum("schedule", layout.schedule);
    reader.read("virtual_stages", layout.virtualStages);
    readPartition(reader, "partition", layout.partition);
    reader.readBytes("bucket_size", layout.bucketSize);
}

void readBatch(FieldReader& reader, BatchSpec& batch)
{
    reader.read("global", batch.global);
    reader.read("micro", batch.micro);
    reader.read("accumulation", batch.accumulation);
    reader.read("packing", batch.packing);
}

void readOptimizer(FieldReader& reader, OptimizerSpec& optimizer)
{
    reader.readEnum("kind", optimizer.kind);
    reader.read("learning_rate", optimizer.learningRate);
    reader.read("beta1", optimizer.beta1);
    reader.read("beta2", optimizer.beta2);
    reader.read("momentum", optimizer.momentum);
    reader.read("epsilon", optimizer.epsilon);
    reader.read("weight_decay", optimizer.weightDecay);
    reader.read("clip_norm", optimizer.clipNorm);
    reader.readEnum("schedule", optimizer.schedule);
    reader.read("warmup_steps", optimizer.warmupSteps);
    reader.read("decay_power", optimizer.decayPower);
}

void readLossScale(FieldReader& reader, LossScaleSpec& lossScale)
{
    reader.read("initial", lossScale.initial);
    reader.read("growth_interval", lossScale.growthInterval);
    reader.read("backoff", lossScale.backoff);
    reader.read("hysteresis", lossScale.hysteresis);
    reader.read("minimum", lossScale.minimum);
}

void checkVersion(FieldReader& root, Diagnostics& diagnostics)
{
    int version = 0;
    root.read("trainyard", version);
    if (!root.has("trainyard"))
        diagnostics.push_back({"trainyard", "the format version is missing",
                               fmt::format("start the file with \"trainyard\": {}", kSpecVersion)});
    else if (version != kSpecVersion)
        diagnostics.push_back({"trainyard", fmt::format("format version {} is not supported", version),
                               fmt::format("this version of Trainyard reads version {}", kSpecVersion)});
}

void readRoot(const nlohmann::json& json, RunSpec& spec, Diagnostics& diagnostics)
{
    FieldReader root(json, "", diagnostics);
    if (!json.is_object())
        return;
    checkVersion(root, diagnostics);
    root.read("name", spec.name);
    root.read("seed", spec.seed);
    readSection(root, "model", diagnostics, [&](FieldReader& r) { readModel(r, spec.model); });
    readSection(root, "cluster", diagnostics,
                [&](FieldReader& r) { readCluster(r, spec.cluster, diagnostics); });
    readSection(root, "layout", diagnostics, [&](FieldReader& r) { readLayout(r, spec.layout); });
    readSection(root, "batch", diagnostics, [&](FieldReader& r) { readBatch(r, spec.batch); });
    readSection(root, "optimizer", diagnostics, [&](FieldReader& r) { readOptimizer(r, spec.optimizer); });
    readSection(root, "precision", diagnostics, [&](FieldReader& r) {
        r.readEnum("compute", spec.precision.compute);
        readSection(r, "loss_scale", diagnostics,
                    [&](FieldReader& scale) { readLossScale(scale, spec.precision.lossScale); });
    });
    readSection(root, "memory", diagnostics, [&](FieldReader& r) {
        r.read("zero_stage", spec.memory.zeroStage);
        r.readEnum("recompute", spec.memory.recompute);
        r.read("recompute_every", spec.memory.recomputeEvery);
        r.read("offload_activations", spec.memory.offloadActivations);
        r.read("offload_horizon", spec.memory.offloadHorizon);
        r.read("offload_optimizer", spec.memory.offloadOptimizer);
        r.read("offload_parameters", spec.memory.offloadParameters);
    });
    readSection(root, "dataset", diagnostics, [&](FieldReader& r) { r.read("path", spec.dataset.path); });
    readSection(root, "checkpoint", diagnostics, [&](FieldReader& r) {
        r.read("every_steps", spec.checkpoint.everySteps);
        r.read("keep_last", spec.checkpoint.keepLast);
        r.read("keep_every", spec.checkpoint.keepEvery);
        r.read("asynchronous", spec.checkpoint.asynchronous);
    });
    readSection(root, "launch", diagnostics,
                [&](FieldReader& r) { readLaunch(r, spec.launch, diagnostics); });
    root.finish();
}

std::string bytesText(Bytes bytes)
{
    for (const auto& [size, name] : {std::pair{kGiB, "GiB"}, {kMiB, "MiB"}, {kKiB, "KiB"}}) {
        if (bytes >= size && bytes % size == 0)
            return fmt::format("{} {}", bytes / size, name);
    }
    return fmt::format("{} B", bytes);
}

Json clusterJson(const ClusterSpec& cluster)
{
    Json nodes = Json::array();
    for (const NodeSpec& node : cluster.nodes) {
        Json json{{"host", node.host}, {"slots", node.slotCount}};
        if (node.memory)
            json["memory"] = bytesText(node.memory);
        if (!node.hardware.empty())
            json["hardware"] = node.hardware;
        nodes.push_back(std::move(json));
    }
    return Json{{"nodes", std::move(nodes)}};
}

Json optimizerJson(const OptimizerSpec& optimizer)
{
    return Json{{"kind", nameOf(optimizer.kind)},
                {"learning_rate", optimizer.learningRate},
                {"beta1", optimizer.beta1},
                {"beta2", optimizer.beta2},
                {"momentum", optimizer.momentum},
                {"epsilon", optimizer.epsilon},
                {"weight_decay", optimizer.weightDecay},
                {"clip_norm", optimizer.clipNorm},
                {"schedule", nameOf(optimizer.schedule)},
                {"warmup_steps", optimizer.warmupSteps},
                {"decay_power", optimizer.decayPower}};
}

Json precisionJson(const PrecisionSpec& precision)
{
    const LossScaleSpec& scale = precision.lossScale;
    return Json{{"compute", nameOf(precision.compute)},
                {"loss_scale", Json{{"initial", scale.initial},
                                    {"growth_interval", scale.growthInterval},
                                    {"backoff", scale.backoff},
                                    {"hysteresis", scale.hysteresis},
                                    {"minimum", scale.minimum}}}};
}

} // namespace

ParsedSpec parseSpec(std::string_view text)
{
    ParsedSpec parsed;
    if (const auto json = parseBoundedJson(text, kSpecLimits); json.ok())
        readRoot(*json, parsed.spec, parsed.diagnostics);
    else
        parsed.diagnostics.push_back(
            {"", json.error().message,
             json.error().hint.empty() ? "give a run specification" : json.error().hint});
    return parsed;
}

namespace {

Result<ParsedSpec> parseFile(const std::filesystem::path& file)
{
    TRAINYARD_TRY(const std::string text, readFile(file));
    return parseSpec(text);
}

Result<RunSpec> specOrError(ParsedSpec parsed, const std::filesystem::path& file)
{
    if (!parsed.diagnostics.empty())
        return toError(parsed.diagnostics).in(file.string());
    return std::move(parsed.spec);
}

} // namespace

Result<ParsedSpec> checkSpec(const std::filesystem::path& file)
{
    TRAINYARD_TRY(ParsedSpec parsed, parseFile(file));
    if (parsed.diagnostics.empty())
        parsed.diagnostics = validate(parsed.spec);
    return parsed;
}

Result<RunSpec> loadSpec(const std::filesystem::path& file)
{
    TRAINYARD_TRY(ParsedSpec parsed, checkSpec(file));
    return specOrError(std::move(parsed), file);
}

Result<RunSpec> readSpec(const std::filesystem::path& file)
{
    TRAINYARD_TRY(ParsedSpec parsed, parseFile(file));
    return specOrError(std::move(parsed), file);
}

std::string toJson(const RunSpec& spec)
{
    const Json json{
        {"trainyard", kSpecVersion},
        {"name", spec.name},
        {"seed", spec.seed},
        {"model", modelJson(spec.model)},
        {"cluster", clusterJson(spec.cluster)},
        {"layout", Json{{"data", spec.layout.data},
                        {"tensor", spec.layout.tensor},
                        {"pipeline", spec.layout.pipeline},
                        {"context", spec.layout.context},
                        {"placement", spec.layout.placement},
                        {"sequence", spec.layout.sequence},
                        {"schedule", nameOf(spec.layout.schedule)},
                        {"virtual_stages", spec.layout.virtualStages},
                        {"partition", partitionJson(spec.layout.partition)},
                        {"bucket_size", bytesText(spec.layout.bucketSize)}}},
        {"batch", Json{{"global", spec.batch.global},
                       {"micro", spec.batch.micro},
                       {"accumulation", spec.batch.accumulation},
                       {"packing", spec.batch.packing}}},
        {"optimizer", optimizerJson(spec.optimizer)},
        {"precision", precisionJson(spec.precision)},
        {"memory", Json{{"zero_stage", spec.memory.zeroStage},
                        {"recompute", nameOf(spec.memory.recompute)},
                        {"recompute_every", spec.memory.recomputeEvery},
                        {"offload_activations", spec.memory.offloadActivations},
                        {"offload_horizon", spec.memory.offloadHorizon},
                        {"offload_optimizer", spec.memory.offloadOptimizer},
                        {"offload_parameters", spec.memory.offloadParameters}}},
        {"dataset", Json{{"path", spec.dataset.path}}},
        {"checkpoint", Json{{"every_steps", spec.checkpoint.everySteps},
                            {"keep_last", spec.checkpoint.keepLast},
                            {"keep_every", spec.checkpoint.keepEvery},
                            {"asynchronous", spec.checkpoint.asynchronous}}},
        {"launch", launchJson(spec.launch)},
    };
    return json.dump(2) + "\n";
}

} // namespace trainyard
