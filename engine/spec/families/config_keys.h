#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include <nlohmann/json_fwd.hpp>

#include "engine/base/result.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

// The parts of Hugging Face's config.json that families share. All that read throw nlohmann::json::exception
// for a missing key or a wrong type.

using ConfigJson = nlohmann::ordered_json;

/// A key that says what one field of the description says.
struct ConfigKey {
    using Field = std::variant<int ModelSpec::*, double ModelSpec::*, bool ModelSpec::*>;

    const char* key;
    Field field;
    /// What Hugging Face's class takes where the key is missing; without it the key has to be there. A null
    /// in the file is 0.
    std::optional<double> byDefault{};
};

void readKeys(const ConfigJson& config, std::span<const ConfigKey> keys, ModelSpec& model);
void writeKeys(ConfigJson& config, std::span<const ConfigKey> keys, const ModelSpec& model);

/// hidden_size, num_hidden_layers and so on, as decoders since Llama call them.
std::span<const ConfigKey> llamaKeys();

/// BadInput "<key> is <value>": a setting under which this engine would compute differently.
Error refusedKey(const ConfigJson& config, const char* key, const std::string& hint);
/// The same unless the key is missing, null, or `supported`.
Status requireKey(const ConfigJson& config, const char* key, const ConfigJson& supported);

/// pad_token_id: the word whose embedding never learns.
void readPaddingWord(const ConfigJson& config, ModelSpec& model);
void writePaddingWord(ConfigJson& config, const ModelSpec& model);

/// Rotary positions: rope_parameters, or rope_theta and rope_scaling of older versions.
Status readRope(const ConfigJson& config, ModelSpec& model);
void writeRope(ConfigJson& config, const ModelSpec& model);

/// The function of config[key]; of a gated feed-forward layer the gate's.
Status readActivation(const ConfigJson& config, const char* key, bool isGated, ModelSpec& model);
/// Hugging Face's name of it.
std::string activationName(Activation activation);

/// Which layers have the window: layer_types, as Hugging Face lists them for each layer. BadInput where the
/// global layers are not evenly spaced.
Status readLayerTypes(const ConfigJson& config, ModelSpec& model);
void writeLayerTypes(ConfigJson& config, const ModelSpec& model);

} // namespace trainyard
