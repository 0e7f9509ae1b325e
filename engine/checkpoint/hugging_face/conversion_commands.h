#pragma once

#include <filesystem>

#include "engine/base/result.h"
#include "engine/base/units.h"

namespace trainyard {

struct ImportOptions {
    std::filesystem::path huggingFace;
    std::filesystem::path checkpoint; ///< folder that gets `step-000000000` and `latest`
};
struct ExportOptions {
    std::filesystem::path checkpoint;  ///< as findCheckpoint() takes it
    std::filesystem::path huggingFace; ///< must not exist
    Bytes maxShard = 5 * kGiB;         ///< larger weights are split into several files
};

/// `trainyard-worker import` and `export`.
Status runImport(const ImportOptions& options);
Status runExport(const ExportOptions& options);

} // namespace trainyard
