#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <vector>

#include "datasets/job/cancel_flag.h"
#include "datasets/job/progress.h"
#include "datasets/options/prepare_options.h"
#include "datasets/prepare/document_split.h"
#include "datasets/prepare/document_store.h"
#include "datasets/prepare/final_rows.h"
#include "datasets/prepare/shard_plan.h"
#include "datasets/pretraining/pass_counts.h"
#include "datasets/shards/manifest.h"
#include "datasets/shards/row_block.h"
#include "datasets/tokenizer/vocabulary.h"

namespace trainyard {

/// Turns tokenized documents into the shards of one width. Resumes the work of an earlier process for the
/// same job.
class DatasetBuilder {
public:
    /// All references must outlive the builder. `workFolder` holds temporary files and notes, and is the same
    /// in every process for the job.
    DatasetBuilder(const PrepareOptions& options, const RowShape& shape, const DocumentStore& documents,
                   const Vocabulary& vocabulary, std::filesystem::path workFolder, Progress& progress,
                   const CancelFlag& cancel);

    /// Builds the rows and assigns them to shards; BadInput if there are too few.
    /// `passes`: over the training documents; those held out have --dupe.
    Status makeRows(const DocumentSplit& split, const PassCounts& passes);
    /// Writes the shards into `folder` in parallel. Adds shards, statistics and counters to the manifest.
    /// Requires makeRows().
    Status writeShards(const std::filesystem::path& folder, Manifest& manifest);

private:
    /// Training or test shards.
    struct Side {
        std::unique_ptr<FinalRows> rows;
        std::vector<PlannedShard> shards;
    };
    struct Written {
        DatasetStatistics statistics{};
        std::uint64_t textBytes = 0;
    };

    Result<std::unique_ptr<FinalRows>> rowsOf(const std::vector<std::uint32_t>& ordinals,
                                              const PassCounts& passes, const char* name);
    Result<Side> makeSide(const std::vector<std::uint32_t>& ordinals, const PassCounts& passes,
                          bool training);
    int writersOf(const FinalRows& rows) const;
    Status writeSide(const Side& side, const std::filesystem::path& folder, Manifest& manifest);
    Result<Manifest> finishShard(const FinalRows& rows, const PlannedShard& shard,
                                 const std::filesystem::path& folder, const Manifest& described);
    Result<Written> writeShard(const FinalRows& rows, const PlannedShard& shard,
                               const std::filesystem::path& file);
    void addOrigin(const Instance& instance, RowBlock& rows) const;
    void describeDocuments(Manifest& manifest) const;

    const PrepareOptions& m_options;
    InstanceSettings m_settings;
    const DocumentStore& m_documents;
    const Vocabulary& m_vocabulary;
    std::filesystem::path m_workFolder;
    Progress& m_progress;
    const CancelFlag& m_cancel;
    std::array<Side, 2> m_sides; ///< training, test
    std::uint64_t m_testDocuments = 0;
};

} // namespace trainyard
