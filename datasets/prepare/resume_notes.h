#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "datasets/input/corpus_piece.h"
#include "datasets/prepare/document_store.h"

namespace trainyard {

/// Notes of a job about its finished work, from which a later process for the same job resumes. A note
/// replaces the previous one of its file atomically, and only refers to data that was on the disk before.
///
/// load() returns nullopt if there is no note; Failed if there is one that cannot be read.

/// Progress of turning the corpus into documents.
struct CorpusNote {
    bool complete = false;
    std::string format;     ///< formats of the files, once complete
    CorpusPosition reached; ///< everything before it is in the documents
    DocumentStore::Mark documents;
    std::map<std::string, std::uint64_t> counters;

    static Result<std::optional<CorpusNote>> load(const std::filesystem::path& file);
    Status save(const std::filesystem::path& file) const;
};

/// Progress of building the instances for one kind of shard.
struct InstancesNote {
    std::uint64_t documents = 0;  ///< finished documents of this kind
    std::uint64_t buckets = 0;    ///< of the spill
    std::uint64_t spillBytes = 0; ///< bytes of the finished documents
    std::uint64_t dropped = 0;    ///< chunks without a row

    static Result<std::optional<InstancesNote>> load(const std::filesystem::path& file);
    Status save(const std::filesystem::path& file) const;
};

} // namespace trainyard
