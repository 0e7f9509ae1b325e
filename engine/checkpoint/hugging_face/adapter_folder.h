#pragma once

#include <filesystem>
#include <string>

#include <torch/types.h>

#include "engine/base/result.h"
#include "engine/checkpoint/hugging_face/folder_extras.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

class ParameterStore;
struct Parameter;

/// The weight of an adapted product with its adapter added, W + alpha / rank * B A; of any other parameter
/// its values. In float32, the engine's layout. The store holds the whole model.
at::Tensor mergedWeight(const ModelSpec& model, const ParameterStore& parameters, const Parameter& parameter);

/// Writes the low-rank adapters, and the last product of a task, as PEFT does, under their final name in one
/// instant: adapter_config.json and adapter_model.safetensors in float32. `base`: the model that they were
/// trained for, by name; may be empty. Requires model.lora. BadInput when the folder exists, or Hugging Face
/// has no such model.
Status writeAdapterFolder(const std::filesystem::path& folder, const ModelSpec& model,
                          const ParameterStore& parameters, const std::string& base,
                          const FolderExtras& extras = {});

} // namespace trainyard
