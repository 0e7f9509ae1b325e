#include "engine/checkpoint/format/manifest.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "engine/base/file.h"
#include "engine/base/hash.h"
#include "engine/checkpoint/format/checkpoint_folder.h"
#include "engine/checkpoint/format/stored_file.h"
#include "engine/checkpoint/format/tensor_json.h"
#include "engine/spec/phases/phases.h"
#include "engine/spec/spec_json.h"

namespace trainyard {

using Json = nlohmann::ordered_json;

namespace {

constexpr int kManifestVersion = 2;
/// With `places`: a program that does not know of them would take the checkpoint for a damaged one.
constexpr int kVersionWithPlaces = 3;
constexpr std::string_view kBeforeHash = ",\n \"xxh3\": \"";
constexpr std::string_view kAfterHash = "\"\n}\n";

/// The last key of a manifest is the hash of every byte before it.
std::string sealed(std::string text)
{
    text.resize(text.size() - std::string_view("\n}").size());
    return text + std::string(kBeforeHash) + xxh3Hex(text) + std::string(kAfterHash);
}

bool hasItsHash(std::string_view text)
{
    const std::size_t end = text.rfind(kBeforeHash);
    if (end == std::string_view::npos)
        return false;
    const std::string_view content = text.substr(0, end);
    return text.substr(end) == std::string(kBeforeHash) + xxh3Hex(content) + std::string(kAfterHash);
}

LossScaleState lossScaleFrom(const Json& json)
{
    return {json.at("scale").get<double>(), json.at("clean_steps").get<std::int64_t>(),
            json.at("overflows_left").get<std::int64_t>(), json.at("skipped_steps").get<std::int64_t>()};
}

Json lossScaleJson(const LossScaleState& state)
{
    return Json{{"scale", state.scale},
                {"clean_steps", state.cleanSteps},
                {"overflows_left", state.overflowsLeft},
                {"skipped_steps", state.skippedSteps}};
}

EvaluationState evaluationFrom(const Json& json)
{
    return {json.at("step").get<std::int64_t>(), json.at("best_step").get<std::int64_t>(),
            json.at("best").get<double>(), json.at("since_best").get<std::int64_t>()};
}

Json evaluationJson(const EvaluationState& state)
{
    return Json{{"step", state.step},
                {"best_step", state.bestStep},
                {"best", state.best},
                {"since_best", state.sinceBest}};
}

PhasePosition phaseFrom(const Json& json)
{
    return {json.at("number").get<int>(), json.at("updates_before").get<std::int64_t>()};
}

Json phaseJson(const TrainingPosition& position)
{
    return Json{{"number", position.phase.number},
                {"name", phaseName(position.spec, position.phase.number)},
                {"updates_before", position.phase.updatesBefore}};
}

Result<TrainingPosition> positionFrom(const Json& json)
{
    TrainingPosition position;
    position.step = Step{json.at("step").get<std::int64_t>()};
    position.consumedSamples = json.at("consumed_samples").get<std::uint64_t>();
    if (json.contains("loss_scale"))
        position.lossScale = lossScaleFrom(json.at("loss_scale"));
    if (json.contains("evaluation"))
        position.evaluation = evaluationFrom(json.at("evaluation"));
    if (json.contains("phase"))
        position.phase = phaseFrom(json.at("phase"));
    position.earlierUpdates = json.value("earlier_updates", std::int64_t{0});
    position.fusedExperts = json.value("fused_experts", false);
    ParsedSpec parsed = parseSpec(json.at("spec").dump());
    if (!parsed.diagnostics.empty())
        return toError(parsed.diagnostics).in("spec");
    position.spec = std::move(parsed.spec);
    return position;
}

Result<CheckpointManifest> manifestFrom(const Json& json)
{
    CheckpointManifest manifest;
    TRAINYARD_TRY(manifest.position, positionFrom(json));
    if (json.contains("places"))
        json.at("places").get_to(manifest.places);
    manifest.replaces = json.value("replaces", std::string());
    TRAINYARD_TRY(manifest.tensors, tensorsFromJson(json.at("tensors")));
    return manifest;
}

/// Of a manifest whose every byte is as it was written.
Error fromAnotherVersion(const std::string& what)
{
    return refused("it was written by another version of Trainyard (" + what + ")",
                   "use the version that wrote the checkpoint");
}

/// Format 1 had no hash.
bool isOfFirstFormat(const std::string& text)
{
    const Json json = Json::parse(text, nullptr, false);
    return json.is_object() && json.value("trainyard_checkpoint", Json()) == 1;
}

/// The name that `places` gives to the host of a folder; empty: unknown.
std::string hostOfFolder(const std::filesystem::path& folder)
{
    const auto name = readFile(folder / kHostName);
    return name.ok() ? name->substr(0, name->find('\n')) : std::string();
}

Result<CheckpointManifest> parseManifest(const std::string& text)
{
    if (!hasItsHash(text))
        return isOfFirstFormat(text) ? fromAnotherVersion("format 1")
                                     : badInput("its content does not match the hash at its end");
    try {
        const Json json = Json::parse(text);
        const int version = json.at("trainyard_checkpoint").get<int>();
        const int known = json.contains("places") ? kVersionWithPlaces : kManifestVersion;
        if (version != known)
            return fromAnotherVersion(
                fmt::format("format {}, but this program reads format {}", version, known));
        auto manifest = manifestFrom(json);
        return manifest.ok() ? manifest : fromAnotherVersion(manifest.error().message);
    } catch (const Json::exception&) {
        return fromAnotherVersion("keys are missing or have other types");
    }
}

} // namespace

void TrainingPosition::beginPhase(int number, bool keepsOptimizer)
{
    const std::int64_t updatesOfRun = step.value - lossScale.skippedSteps;
    phase = {number, updatesOfRun};
    evaluation = {};
    if (!keepsOptimizer)
        earlierUpdates = -updatesOfRun;
}

bool TrainingPosition::isBest() const
{
    return evaluation.bestStep == step.value && specOfStep(spec, step.value).evaluation.keepBest;
}

std::set<std::string> CheckpointManifest::shards() const
{
    std::set<std::string> files;
    for (const LogicalTensor& tensor : tensors) {
        for (const TensorSlice& slice : tensor.slices)
            files.insert(slice.file);
    }
    return files;
}

bool CheckpointManifest::hasOtherPlace(const std::filesystem::path& folder, const std::string& shard) const
{
    const auto known = places.find(shard);
    if (known == places.end())
        return false;
    const std::string here = hostOfFolder(folder);
    return std::ranges::any_of(known->second, [&here](const std::string& host) { return host != here; });
}

bool CheckpointManifest::isElsewhere(const std::filesystem::path& folder, const std::string& shard) const
{
    std::error_code ignored;
    const auto type = std::filesystem::symlink_status(folder / shard, ignored).type();
    return type == std::filesystem::file_type::not_found && hasOtherPlace(folder, shard);
}

std::set<std::string> CheckpointManifest::hosts() const
{
    std::set<std::string> all;
    for (const auto& [shard, hosts] : places)
        all.insert(hosts.begin(), hosts.end());
    return all;
}

std::string CheckpointManifest::hostsOf(const std::string& shard) const
{
    const auto known = places.find(shard);
    return known == places.end() ? "no host" : fmt::format("{}", fmt::join(known->second, " or "));
}

Result<CheckpointManifest> CheckpointManifest::parse(const std::string& text)
{
    return parseManifest(text);
}

const LogicalTensor* CheckpointManifest::find(std::string_view name) const
{
    const auto found = std::ranges::lower_bound(tensors, name, {}, &LogicalTensor::name);
    return found != tensors.end() && found->name == name ? &*found : nullptr;
}

Result<CheckpointManifest> CheckpointManifest::load(const std::filesystem::path& file)
{
    TRAINYARD_TRY(const StoredFile stored, StoredFile::open(file));
    TRAINYARD_TRY(const std::string text, stored.content());
    auto manifest = parseManifest(text);
    return manifest.ok() ? manifest : manifest.error().in(file.string());
}

std::string CheckpointManifest::toJson() const
{
    Json json{{"trainyard_checkpoint", places.empty() ? kManifestVersion : kVersionWithPlaces},
              {"step", position.step.value},
              {"consumed_samples", position.consumedSamples}};
    if (!(position.lossScale == LossScaleState{}))
        json["loss_scale"] = lossScaleJson(position.lossScale);
    if (!(position.evaluation == EvaluationState{}))
        json["evaluation"] = evaluationJson(position.evaluation);
    if (!position.spec.phases.empty())
        json["phase"] = phaseJson(position);
    if (position.earlierUpdates != 0)
        json["earlier_updates"] = position.earlierUpdates;
    if (position.fusedExperts)
        json["fused_experts"] = true;
    json["spec"] = Json::parse(trainyard::toJson(position.spec));
    if (!places.empty())
        json["places"] = places;
    if (!replaces.empty())
        json["replaces"] = replaces;
    json["tensors"] = tensorsToJson(tensors);
    return sealed(json.dump(1));
}

} // namespace trainyard
