#pragma once

#include <filesystem>
#include <optional>

#include "engine/base/result.h"
#include "engine/base/units.h"
#include "engine/checkpoint/hugging_face/folder_extras.h"

namespace trainyard {

struct ImportOptions {
    std::filesystem::path huggingFace;
    std::filesystem::path checkpoint; ///< folder that gets `step-000000000` and `latest`
};
struct ExportOptions {
    std::filesystem::path checkpoint;  ///< as findCheckpoint() takes it
    std::filesystem::path huggingFace; ///< must not exist
    Bytes maxShard = 5 * kGiB;         ///< larger weights are split into several files
    FolderExtras extras{};
    bool adaptersAlone = false; ///< as PEFT stores them, instead of the weights with the adapters added
    /// Of the weights; nullopt: that of an imported model, else float32. Takes the place of extras.type.
    std::optional<ComputeType> type{};
};

/// `trainyard-worker import`.
Status runImport(const ImportOptions& options);
/// The weights of a checkpoint, and `extras`, as a folder of Hugging Face's. BadInput without the adapters
/// that are asked for; errors of chooseCheckpoint(), CheckpointReader and writeHuggingFaceFolder().
Status runExport(const ExportOptions& options);

} // namespace trainyard
