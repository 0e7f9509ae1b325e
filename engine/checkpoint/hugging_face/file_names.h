#pragma once

namespace trainyard {

inline constexpr const char* kConfigName = "config.json";
inline constexpr const char* kWeightsName = "model.safetensors";
inline constexpr const char* kWeightsIndexName = "model.safetensors.index.json";

} // namespace trainyard
