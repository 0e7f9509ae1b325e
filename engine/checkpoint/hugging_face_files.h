#pragma once

#include <string>

#include "engine/spec/run_spec.h"

namespace trainyard {

inline constexpr const char* kConfigName = "config.json";
inline constexpr const char* kWeightsName = "model.safetensors";
inline constexpr const char* kWeightsIndexName = "model.safetensors.index.json";

/// config.json of BertForPreTraining.
std::string huggingFaceConfig(const ModelSpec& model);

} // namespace trainyard
