#pragma once

#include <filesystem>

#include "datasets/job/cancel_flag.h"
#include "datasets/job/progress.h"
#include "datasets/options/prepare_options.h"
#include "datasets/prepare/document_split.h"
#include "datasets/prepare/document_store.h"
#include "datasets/shards/manifest.h"
#include "datasets/tokenizer/vocabulary.h"

namespace trainyard {

/// Writes the additional formats of `options.extra` into `megatron/` and `mds/` of the data set in `folder`,
/// whose shards are finished and in the manifest, and adds them to the manifest. Removes the output of an
/// earlier attempt.
Status writeExportFormats(const PrepareOptions& options, const DocumentStore& documents,
                          const DocumentSplit& split, const Vocabulary& vocabulary,
                          const std::filesystem::path& folder, Manifest& manifest, Progress& progress,
                          const CancelFlag& cancel);

} // namespace trainyard
