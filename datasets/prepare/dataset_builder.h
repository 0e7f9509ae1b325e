#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "datasets/prepare/cancel_flag.h"
#include "datasets/prepare/document_split.h"
#include "datasets/prepare/document_store.h"
#include "datasets/prepare/instance_spill.h"
#include "datasets/prepare/prepare_options.h"
#include "datasets/prepare/progress.h"
#include "datasets/prepare/shard_plan.h"
#include "datasets/shards/manifest.h"
#include "datasets/shards/row_block.h"
#include "datasets/tokenizer/vocabulary.h"

namespace trainyard {

class InstanceBuilder;

/// From tokenized documents to the shards of one width: builds the instances of every document and pass in
/// parallel, shuffles them, and writes the shards in parallel; running text is cut while it is written. Goes
/// on where an earlier process for the same job stopped.
class DatasetBuilder {
public:
    /// All references must outlive the builder. `workFolder` takes temporary files and notes, and is the same
    /// in every process for the job.
    DatasetBuilder(const PrepareOptions& options, const InstanceSettings& settings,
                   const DocumentStore& documents, const Vocabulary& vocabulary,
                   std::filesystem::path workFolder, Progress& progress, const CancelFlag& cancel);

    /// Writes the shards into `folder`. Adds shards, statistics and counters to the manifest.
    Status build(const std::filesystem::path& folder, const DocumentSplit& split, Manifest& manifest);

private:
    /// Training or test shards.
    struct Kind {
        bool training;
        const std::vector<std::uint32_t>& ordinals;
        int shards;
        const char* name() const { return training ? "training" : "test"; }
    };
    struct Instances {
        InstanceSpill spill;
        std::uint64_t dropped; ///< chunks that gave no row
    };
    /// Rows of one kind in their final order; visit(first, count, take) calls take(row) for each. Any thread.
    struct Rows {
        std::uint64_t count;
        using Take = std::function<Status(const Instance&)>;
        std::function<Status(std::uint64_t first, std::uint64_t count, const Take& take)> visit;
    };

    Status writeShuffled(const std::filesystem::path& folder, const Kind& training, const Kind& test,
                         Manifest& manifest);
    Status writeRunningText(const std::filesystem::path& folder, const Kind& training, const Kind& test,
                            Manifest& manifest);
    Status writeBoth(const std::filesystem::path& folder, const Kind& training, const Rows& trainingRows,
                     const Kind& test, const Rows& testRows, Manifest& manifest);
    Result<Instances> buildInstances(const Kind& kind);
    Result<Instances> openInstances(const Kind& kind, std::uint64_t& documents);
    Result<std::uint64_t> buildDocument(const Kind& kind, const InstanceBuilder& builder, std::size_t place,
                                        InstanceSpill& spill);
    Status writeShards(const std::filesystem::path& folder, const Kind& kind, const Rows& rows,
                       Manifest& manifest);
    Result<Manifest> shardOf(const std::filesystem::path& folder, const Rows& rows, const PlannedShard& shard,
                             const Manifest& described);
    Result<DatasetStatistics> writeShard(const std::filesystem::path& file, const Rows& rows,
                                         const PlannedShard& shard);
    void addOrigin(const Instance& instance, RowBlock& rows) const;
    std::uint64_t repeatedPageIds() const;

    const PrepareOptions& m_options;
    const InstanceSettings& m_settings;
    const DocumentStore& m_documents;
    const Vocabulary& m_vocabulary;
    std::filesystem::path m_workFolder;
    Progress& m_progress;
    const CancelFlag& m_cancel;
};

} // namespace trainyard
