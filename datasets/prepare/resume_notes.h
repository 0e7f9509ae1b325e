#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "datasets/input/corpus_piece.h"
#include "datasets/prepare/document_store.h"

namespace trainyard {

/// What a job noted of its work, so that a later process for the same job goes on from there instead of from
/// the beginning. A note replaces the last one of its file in one instant, and only speaks of what was on the
/// disk before.
///
/// load() gives nothing when there is no note; Failed when there is one that cannot be read.

/// How far the corpus was turned into documents.
struct CorpusNote {
    bool complete = false;
    std::string format;     ///< what the files were, once complete
    CorpusPosition reached; ///< what lies before it is in the documents
    DocumentStore::Mark documents;
    std::map<std::string, std::uint64_t> counters;

    static Result<std::optional<CorpusNote>> load(const std::filesystem::path& file);
    Status save(const std::filesystem::path& file) const;
};

/// How far the instances of one kind of shard were built.
struct InstancesNote {
    std::uint64_t documents = 0;  ///< finished, of those of this kind
    std::uint64_t buckets = 0;    ///< of the spill
    std::uint64_t spillBytes = 0; ///< that belong to them
    std::uint64_t dropped = 0;    ///< chunks that gave no row

    static Result<std::optional<InstancesNote>> load(const std::filesystem::path& file);
    Status save(const std::filesystem::path& file) const;
};

} // namespace trainyard
