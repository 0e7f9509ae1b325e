#pragma once

#include <filesystem>

#include "engine/base/result.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

class ParameterStore;

/// The model that `folder`/config.json describes. BadInput for another model type or an option that this
/// engine does not compute the same way (activation, untied embeddings).
Result<ModelSpec> readHuggingFaceConfig(const std::filesystem::path& folder);

/// Fills the master weights from `folder`/model.safetensors, or from the shards that
/// model.safetensors.index.json lists. BadInput naming the tensor that is missing, unknown or of another
/// shape.
Status loadHuggingFaceWeights(const std::filesystem::path& folder, ParameterStore& parameters);

/// Writes config.json and model.safetensors for BertForPreTraining under their final name in one instant.
Status writeHuggingFaceFolder(const std::filesystem::path& folder, const ModelSpec& model,
                              const ParameterStore& parameters);

struct ImportOptions {
    std::filesystem::path huggingFace;
    std::filesystem::path checkpoint; ///< folder that gets `step-000000000` and `latest`
};
struct ExportOptions {
    std::filesystem::path checkpoint;  ///< a `step-...` folder, or a folder with `latest`
    std::filesystem::path huggingFace; ///< must not exist
};

/// `trainyard-worker import` and `export`.
Status runImport(const ImportOptions& options);
Status runExport(const ExportOptions& options);

} // namespace trainyard
