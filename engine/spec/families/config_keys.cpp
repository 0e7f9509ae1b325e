#include "engine/spec/families/config_keys.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/spec/names.h"

namespace trainyard {

namespace {

constexpr const char* kWindowedLayer = "sliding_attention";
constexpr const char* kGlobalLayer = "full_attention";

bool isGiven(const ConfigJson& config, const char* key)
{
    const auto found = config.find(key);
    return found != config.end() && !found->is_null();
}

template <typename Value>
void readKey(const ConfigJson& config, const ConfigKey& key, Value& value)
{
    if (!config.contains(key.key) && key.byDefault)
        value = static_cast<Value>(*key.byDefault);
    else
        value = config.at(key.key).is_null() ? Value() : config.at(key.key).template get<Value>();
}

/// Where rotary positions are described: of newer files an object of their own.
ConfigJson ropeParameters(const ConfigJson& config)
{
    if (isGiven(config, "rope_parameters"))
        return config.at("rope_parameters");
    ConfigJson parameters =
        isGiven(config, "rope_scaling") ? config.at("rope_scaling") : ConfigJson::object();
    for (const char* key : {"rope_theta", "rotary_emb_base"}) {
        if (isGiven(config, key) && !parameters.contains("rope_theta"))
            parameters["rope_theta"] = config.at(key);
    }
    return parameters;
}

double yarnScale(double factor, double multiple)
{
    return factor <= 1 ? 1 : 0.1 * multiple * std::log(factor) + 1;
}

/// DeepSeek's way to say attention_factor.
double attentionFactor(const ConfigJson& parameters, double factor)
{
    if (isGiven(parameters, "attention_factor"))
        return parameters.at("attention_factor").get<double>();
    const double part = parameters.value("mscale", 0.0);
    const double whole = parameters.value("mscale_all_dim", 0.0);
    return part > 0 && whole > 0 ? yarnScale(factor, part) / yarnScale(factor, whole) : 0;
}

Status readScaling(const ConfigJson& parameters, const std::string& type, RopeSpec& rope)
{
    rope.scaling = *enumFromName<RopeScaling>(type);
    parameters.at("factor").get_to(rope.factor);
    if (!(rope.factor >= 1))
        return badInput(fmt::format("the factor of rope_type \"{}\" is {}", type, rope.factor),
                        "at least 1 is supported");
    rope.originalPositions = parameters.value("original_max_position_embeddings", 0);
    if (rope.scaling == RopeScaling::Llama3) {
        parameters.at("low_freq_factor").get_to(rope.lowFrequencyFactor);
        parameters.at("high_freq_factor").get_to(rope.highFrequencyFactor);
        if (!(rope.highFrequencyFactor > rope.lowFrequencyFactor))
            return badInput(fmt::format("high_freq_factor is {} and low_freq_factor {}",
                                        rope.highFrequencyFactor, rope.lowFrequencyFactor),
                            "a higher one is supported");
    }
    if (rope.scaling == RopeScaling::Yarn) {
        rope.betaFast = isGiven(parameters, "beta_fast") ? parameters.at("beta_fast").get<double>() : 32;
        rope.betaSlow = isGiven(parameters, "beta_slow") ? parameters.at("beta_slow").get<double>() : 1;
        rope.attentionFactor = attentionFactor(parameters, rope.factor);
        TRAINYARD_TRY_STATUS(requireKey(parameters, "truncate", true));
    }
    return {};
}

ConfigJson scalingJson(const RopeSpec& rope)
{
    ConfigJson json{{"rope_type", rope.scaling == RopeScaling::None ? "default" : nameOf(rope.scaling)}};
    if (rope.scaling == RopeScaling::None)
        return json;
    json["factor"] = rope.factor;
    if (rope.originalPositions > 0)
        json["original_max_position_embeddings"] = rope.originalPositions;
    if (rope.scaling == RopeScaling::Llama3) {
        json["low_freq_factor"] = rope.lowFrequencyFactor;
        json["high_freq_factor"] = rope.highFrequencyFactor;
    }
    if (rope.scaling == RopeScaling::Yarn) {
        json["beta_fast"] = rope.betaFast;
        json["beta_slow"] = rope.betaSlow;
        if (rope.attentionFactor > 0)
            json["attention_factor"] = rope.attentionFactor;
    }
    return json;
}

constexpr std::array kActivationNames{
    std::pair{Activation::Gelu, "gelu"},        std::pair{Activation::GeluNew, "gelu_pytorch_tanh"},
    std::pair{Activation::GeluNew, "gelu_new"}, std::pair{Activation::Relu, "relu"},
    std::pair{Activation::Silu, "silu"},        std::pair{Activation::Silu, "swish"}};

std::optional<Activation> gatedBy(Activation gate)
{
    switch (gate) {
    case Activation::Silu:
        return Activation::Swiglu;
    case Activation::Gelu:
        return Activation::Geglu;
    case Activation::GeluNew:
        return Activation::GegluNew;
    default:
        return std::nullopt;
    }
}

Activation gateOf(Activation activation)
{
    switch (activation) {
    case Activation::Swiglu:
        return Activation::Silu;
    case Activation::Geglu:
        return Activation::Gelu;
    case Activation::GegluNew:
        return Activation::GeluNew;
    default:
        return activation;
    }
}

bool areAsListed(const ModelSpec& model, const std::vector<bool>& windowed)
{
    for (std::size_t layer = 0; layer < windowed.size(); ++layer) {
        if (model.hasWindow(static_cast<int>(layer)) != windowed[layer])
            return false;
    }
    return true;
}

bool spaceEvenly(ModelSpec& model, const std::vector<bool>& windowed)
{
    for (model.globalEvery = 0; model.globalEvery <= model.layers; ++model.globalEvery) {
        for (model.globalFirst = 0; model.globalFirst < std::max(1, model.globalEvery); ++model.globalFirst) {
            if (areAsListed(model, windowed))
                return true;
        }
    }
    return false;
}

/// The narrowest spacing that gives the list behind its first windows; false where the global layers are not
/// evenly spaced.
bool spaceGlobalLayers(ModelSpec& model, const std::vector<bool>& windowed)
{
    model.globalLeading = 0;
    if (spaceEvenly(model, windowed))
        return true;
    const auto first = std::find(windowed.begin(), windowed.end(), true);
    model.globalLeading = static_cast<int>(first - windowed.begin());
    return spaceEvenly(model, windowed);
}

} // namespace

void readKeys(const ConfigJson& config, std::span<const ConfigKey> keys, ModelSpec& model)
{
    for (const ConfigKey& key : keys)
        std::visit([&](auto field) { readKey(config, key, model.*field); }, key.field);
}

void writeKeys(ConfigJson& config, std::span<const ConfigKey> keys, const ModelSpec& model)
{
    for (const ConfigKey& key : keys)
        std::visit([&](auto field) { config[key.key] = model.*field; }, key.field);
}

std::span<const ConfigKey> llamaKeys()
{
    static constexpr std::array keys{ConfigKey{"hidden_size", &ModelSpec::hidden},
                                     ConfigKey{"num_hidden_layers", &ModelSpec::layers},
                                     ConfigKey{"num_attention_heads", &ModelSpec::heads},
                                     ConfigKey{"num_key_value_heads", &ModelSpec::keyValueHeads, 0},
                                     ConfigKey{"intermediate_size", &ModelSpec::intermediate},
                                     ConfigKey{"vocab_size", &ModelSpec::vocabulary},
                                     ConfigKey{"max_position_embeddings", &ModelSpec::maxPositions},
                                     ConfigKey{"attention_dropout", &ModelSpec::attentionDropout, 0},
                                     ConfigKey{"initializer_range", &ModelSpec::initializerRange, 0.02}};
    return keys;
}

Error refusedKey(const ConfigJson& config, const char* key, const std::string& hint)
{
    return badInput(fmt::format("{} is {}", key, config.contains(key) ? config.at(key).dump() : "missing"),
                    hint);
}

Status requireKey(const ConfigJson& config, const char* key, const ConfigJson& supported)
{
    if (!isGiven(config, key) || config.at(key) == supported)
        return {};
    return refusedKey(config, key, "only " + supported.dump() + " is supported");
}

void readPaddingWord(const ConfigJson& config, ModelSpec& model)
{
    if (isGiven(config, "pad_token_id"))
        config.at("pad_token_id").get_to(model.paddingWord);
}

void writePaddingWord(ConfigJson& config, const ModelSpec& model)
{
    config["pad_token_id"] = model.paddingWord >= 0 ? ConfigJson(model.paddingWord) : ConfigJson(nullptr);
}

Status readRope(const ConfigJson& config, ModelSpec& model)
{
    const ConfigJson parameters = ropeParameters(config);
    RopeSpec& rope = model.rope;
    rope.base = parameters.value("rope_theta", rope.base);
    for (const ConfigJson* from : {&parameters, &config}) {
        for (const char* key : {"partial_rotary_factor", "rotary_pct"}) {
            if (isGiven(*from, key))
                rope.share = from->at(key).get<double>();
        }
    }
    if (!(rope.share > 0 && rope.share <= 1))
        return badInput(fmt::format("partial_rotary_factor is {}", rope.share),
                        "between 0 and 1 is supported");
    if (!(rope.base > 1))
        return badInput(fmt::format("rope_theta is {}", rope.base), "more than 1 is supported");
    const std::string old = parameters.value("type", std::string("default"));
    const std::string type = parameters.value("rope_type", old);
    if (type == "default")
        return {};
    if (const auto known = enumFromName<RopeScaling>(type); !known || *known == RopeScaling::None)
        return badInput(fmt::format("rope_type is \"{}\"", type),
                        "\"default\", \"linear\", \"llama3\" and \"yarn\" are supported");
    return readScaling(parameters, type, rope);
}

void writeRope(ConfigJson& config, const ModelSpec& model)
{
    ConfigJson parameters = scalingJson(model.rope);
    // Where versions of transformers before 5 look for it.
    config["rope_theta"] = model.rope.base;
    if (model.rope.scaling != RopeScaling::None)
        config["rope_scaling"] = parameters;
    parameters["rope_theta"] = model.rope.base;
    if (model.rope.share != 1) {
        parameters["partial_rotary_factor"] = model.rope.share;
        config["partial_rotary_factor"] = model.rope.share;
    }
    config["rope_parameters"] = parameters;
}

Status readActivation(const ConfigJson& config, const char* key, bool isGated, ModelSpec& model)
{
    const auto name = config.at(key).get<std::string>();
    for (const auto& [activation, known] : kActivationNames) {
        const auto here = isGated ? gatedBy(activation) : std::optional(activation);
        if (name == known && here) {
            model.activation = *here;
            return {};
        }
    }
    return refusedKey(config, key,
                      isGated ? "\"silu\", \"gelu\" and \"gelu_pytorch_tanh\" are supported"
                              : "\"gelu\", \"gelu_new\", \"gelu_pytorch_tanh\", \"relu\" and \"silu\" are "
                                "supported");
}

std::string activationName(Activation activation)
{
    const Activation function = gateOf(activation);
    for (const auto& [known, name] : kActivationNames) {
        if (known == function)
            return name;
    }
    return "gelu";
}

Status readLayerTypes(const ConfigJson& config, ModelSpec& model)
{
    const auto types = config.at("layer_types").get<std::vector<std::string>>();
    std::vector<bool> windowed;
    for (const std::string& type : types) {
        if (type != kWindowedLayer && type != kGlobalLayer)
            return badInput(fmt::format("layer_types has \"{}\"", type),
                            fmt::format("\"{}\" and \"{}\" are supported", kGlobalLayer, kWindowedLayer));
        windowed.push_back(type == kWindowedLayer);
    }
    if (static_cast<int>(types.size()) != model.layers)
        return badInput(fmt::format("layer_types has {} entries, and num_hidden_layers is {}", types.size(),
                                    model.layers));
    if (std::ranges::none_of(windowed, [](bool is) { return is; }))
        model.window = 0;
    if (model.window > 0 && !spaceGlobalLayers(model, windowed))
        return refusedKey(config, "layer_types", "only evenly spaced layers of full attention are supported");
    return {};
}

void writeLayerTypes(ConfigJson& config, const ModelSpec& model)
{
    ConfigJson types = ConfigJson::array();
    for (int layer = 0; layer < model.layers; ++layer)
        types.push_back(model.hasWindow(layer) ? kWindowedLayer : kGlobalLayer);
    config["layer_types"] = types;
}

} // namespace trainyard
