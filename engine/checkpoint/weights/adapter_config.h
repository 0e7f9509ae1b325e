#pragma once

#include <filesystem>
#include <string>

#include "engine/base/result.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

inline constexpr const char* kAdapterConfigName = "adapter_config.json";
inline constexpr const char* kAdapterWeightsName = "adapter_model.safetensors";

/// What adapter_config.json of PEFT says of its adapters.
struct AdapterConfig {
    LoraSpec lora{};                ///< without targets: the tensors have them
    TaskKind task = TaskKind::None; ///< of task_type; Classify also where it is a regression
    std::string base{};             ///< base_model_name_or_path; empty: not named

    /// BadInput naming the file for what is no such text, and for options under which this engine would
    /// compute differently from PEFT.
    static Result<AdapterConfig> read(const std::filesystem::path& file);
};

/// Low-rank adapters as PEFT saves them: adapter_config.json, and no model beside it.
bool isAdapterFolder(const std::filesystem::path& folder);

/// The folder of the model that the adapters of `folder` belong to: what `config` names as a path, or a
/// folder of that name in or next to `folder`. BadInput when there is none, as for a name on a model hub.
Result<std::filesystem::path> baseOfAdapters(const std::filesystem::path& folder,
                                             const AdapterConfig& config);

} // namespace trainyard
