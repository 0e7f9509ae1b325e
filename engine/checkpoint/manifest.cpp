#include "engine/checkpoint/manifest.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/base/file.h"
#include "engine/checkpoint/tensor_json.h"
#include "engine/spec/spec_json.h"

namespace trainyard {

using Json = nlohmann::ordered_json;

namespace {

constexpr int kManifestVersion = 1;

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

Result<TrainingPosition> positionFrom(const Json& json)
{
    TrainingPosition position;
    position.step = Step{json.at("step").get<std::int64_t>()};
    position.consumedSamples = json.at("consumed_samples").get<std::uint64_t>();
    if (json.contains("loss_scale"))
        position.lossScale = lossScaleFrom(json.at("loss_scale"));
    ParsedSpec parsed = parseSpec(json.at("spec").dump());
    if (!parsed.diagnostics.empty())
        return toError(parsed.diagnostics).in("spec");
    position.spec = std::move(parsed.spec);
    return position;
}

Result<CheckpointManifest> manifestFrom(const Json& json)
{
    const int version = json.at("trainyard_checkpoint").get<int>();
    if (version != kManifestVersion)
        return badInput(fmt::format("format version {} is not supported", version),
                        fmt::format("this program reads version {}", kManifestVersion));
    CheckpointManifest manifest;
    TRAINYARD_TRY(manifest.position, positionFrom(json));
    TRAINYARD_TRY(manifest.tensors, tensorsFromJson(json.at("tensors")));
    return manifest;
}

} // namespace

const LogicalTensor* CheckpointManifest::find(std::string_view name) const
{
    const auto found = std::ranges::lower_bound(tensors, name, {}, &LogicalTensor::name);
    return found != tensors.end() && found->name == name ? &*found : nullptr;
}

Result<CheckpointManifest> CheckpointManifest::load(const std::filesystem::path& file)
{
    TRAINYARD_TRY(const std::string text, readFile(file));
    try {
        auto manifest = manifestFrom(Json::parse(text));
        return manifest.ok() ? manifest : manifest.error().in(file.string());
    } catch (const Json::exception& error) {
        return badInput(fmt::format("{}: {}", file.string(), error.what()));
    }
}

std::string CheckpointManifest::toJson() const
{
    Json json{{"trainyard_checkpoint", kManifestVersion},
              {"step", position.step.value},
              {"consumed_samples", position.consumedSamples}};
    if (!(position.lossScale == LossScaleState{}))
        json["loss_scale"] = lossScaleJson(position.lossScale);
    json["spec"] = Json::parse(trainyard::toJson(position.spec));
    json["tensors"] = tensorsToJson(tensors);
    return json.dump(1) + "\n";
}

} // namespace trainyard
