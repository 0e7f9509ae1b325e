#pragma once

#include <filesystem>

#include "datasets/prepare/cancel_flag.h"
#include "datasets/prepare/document_split.h"
#include "datasets/prepare/document_store.h"
#include "datasets/prepare/instance_spill.h"
#include "datasets/prepare/prepare_options.h"
#include "datasets/prepare/progress.h"
#include "datasets/prepare/shard_plan.h"
#include "datasets/shards/manifest.h"
#include "datasets/tokenizer/vocabulary.h"

namespace trainyard {

/// From tokenized documents to shards: builds the instances of every document and pass in parallel, shuffles
/// them, and writes the shards in parallel.
class DatasetBuilder {
public:
    /// All references must outlive the builder. `workFolder` takes temporary files.
    DatasetBuilder(const PrepareOptions& options, const DocumentStore& documents,
                   const Vocabulary& vocabulary, std::filesystem::path workFolder, Progress& progress,
                   const CancelFlag& cancel);

    /// Writes the shards into `folder`. Fills the manifest's shards and statistics.
    Status build(const std::filesystem::path& folder, Manifest& manifest);

private:
    Status checkSplit(const DocumentSplit& split);
    Result<InstanceSpill> buildInstances(const std::vector<std::uint32_t>& ordinals, const char* name);
    Status writeShards(const std::filesystem::path& folder, const InstanceSpill& instances,
                       std::vector<PlannedShard> plan, Manifest& manifest);
    Result<DatasetStatistics> writeShard(const std::filesystem::path& file, const InstanceSpill& instances,
                                         const PlannedShard& shard);

    const PrepareOptions& m_options;
    const DocumentStore& m_documents;
    const Vocabulary& m_vocabulary;
    std::filesystem::path m_workFolder;
    Progress& m_progress;
    const CancelFlag& m_cancel;
};

} // namespace trainyard
