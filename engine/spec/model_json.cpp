#include "engine/spec/model_json.h"

#include "engine/spec/presets.h"

namespace trainyard {

namespace {

void applyPreset(FieldReader& reader, ModelSpec& model)
{
    std::string name;
    reader.read("preset", name);
    if (name.empty())
        return;
    if (const auto preset = modelPreset(name)) {
        model = *preset;
        return;
    }
    const std::string nearest = nearestName(name, modelPresetNames());
    reader.complain("preset", "there is no model preset \"" + name + "\"",
                    nearest.empty() ? "see resources/presets/models" : "did you mean \"" + nearest + "\"?");
}

} // namespace

void readModel(FieldReader& reader, ModelSpec& model)
{
    applyPreset(reader, model);
    reader.readEnum("family", model.family);
    reader.read("layers", model.layers);
    reader.read("hidden", model.hidden);
    reader.read("heads", model.heads);
    reader.read("intermediate", model.intermediate);
    reader.read("vocabulary", model.vocabulary);
    reader.read("max_positions", model.maxPositions);
    reader.read("token_types", model.tokenTypes);
    reader.read("dropout", model.dropout);
    reader.read("attention_dropout", model.attentionDropout);
    reader.read("layer_norm_epsilon", model.layerNormEpsilon);
    reader.read("initializer_range", model.initializerRange);
}

nlohmann::ordered_json modelJson(const ModelSpec& model)
{
    nlohmann::ordered_json json;
    if (!model.preset.empty())
        json["preset"] = model.preset;
    json["family"] = nameOf(model.family);
    json["layers"] = model.layers;
    json["hidden"] = model.hidden;
    json["heads"] = model.heads;
    json["intermediate"] = model.intermediate;
    json["vocabulary"] = model.vocabulary;
    json["max_positions"] = model.maxPositions;
    json["token_types"] = model.tokenTypes;
    json["dropout"] = model.dropout;
    json["attention_dropout"] = model.attentionDropout;
    json["layer_norm_epsilon"] = model.layerNormEpsilon;
    json["initializer_range"] = model.initializerRange;
    return json;
}

} // namespace trainyard
