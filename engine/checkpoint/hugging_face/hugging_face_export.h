#pragma once

#include <filesystem>
#include <string>

#include <torch/types.h>

#include "engine/base/result.h"
#include "engine/base/units.h"
#include "engine/checkpoint/hugging_face/folder_extras.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

class ParameterStore;
struct ParameterSpec;

/// A tensor shaped like a parameter (weights, a gradient) as Hugging Face lays it out: contiguous, the
/// weights of GPT-2's products transposed. The tensor itself where the layouts agree.
at::Tensor huggingFaceLayout(const ModelSpec& model, const ParameterSpec& parameter,
                             const at::Tensor& values);

/// The name under which Hugging Face computes with a parameter, and so gives its gradient: the parameter's
/// own, except of BERT's untied decoder, whose bias is there twice.
std::string huggingFaceName(const ModelSpec& model, const std::string& parameter);

constexpr Bytes kWholeFile = ~Bytes{0};

/// BadInput when the folder exists, or Hugging Face has no such model.
Status checkHuggingFaceFolder(const std::filesystem::path& folder, const ModelSpec& model);

/// Writes config.json and the weights, in the type of `extras`, under their final name in one instant:
/// model.safetensors, or, when that would be bigger than `maxShard`, shards of at most that size (a tensor
/// bigger than it has one of its own) and model.safetensors.index.json. Low-rank adapters are added to the
/// weights of their products. Errors of checkHuggingFaceFolder().
Status writeHuggingFaceFolder(const std::filesystem::path& folder, const ModelSpec& model,
                              const ParameterStore& parameters, Bytes maxShard = kWholeFile,
                              const FolderExtras& extras = {});

} // namespace trainyard
