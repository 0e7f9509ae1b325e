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

// Another family than the preset's brings its own defaults.
void applyFamily(FieldReader& reader, ModelSpec& model)
{
    ModelFamily family = model.family;
    reader.readEnum("family", family);
    if (family != model.family)
        model.setFamily(family);
}

} // namespace

void readModel(FieldReader& reader, ModelSpec& model)
{
    applyPreset(reader, model);
    applyFamily(reader, model);
    reader.read("layers", model.layers);
    reader.read("hidden", model.hidden);
    reader.read("heads", model.heads);
    reader.read("intermediate", model.intermediate);
    reader.read("vocabulary", model.vocabulary);
    reader.read("max_positions", model.maxPositions);
    reader.read("token_types", model.tokenTypes);
    reader.readEnum("activation", model.activation);
    reader.readEnum("norm", model.norm);
    reader.readEnum("positions", model.positions);
    reader.read("tied_head", model.tiedHead);
    reader.read("next_sentence", model.nextSentence);
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
    json["activation"] = nameOf(model.activation);
    json["norm"] = nameOf(model.norm);
    json["positions"] = nameOf(model.positions);
    json["tied_head"] = model.tiedHead;
    json["next_sentence"] = model.nextSentence;
    json["dropout"] = model.dropout;
    json["attention_dropout"] = model.attentionDropout;
    json["layer_norm_epsilon"] = model.layerNormEpsilon;
    json["initializer_range"] = model.initializerRange;
    return json;
}

} // namespace trainyard
