#pragma once

#include <cstdint>
#include <vector>

#include "datasets/prepare/document_store.h"

namespace trainyard {

/// Ordinals of the documents for each kind of shard; no document is in both.
struct DocumentSplit {
    std::vector<std::uint32_t> training;
    std::vector<std::uint32_t> test;
};

/// Assigns a document to the test shards if a random number derived from (seed, page id) is below
/// `testFraction`, so it stays there when the dump grows.
DocumentSplit splitDocuments(const DocumentStore& documents, double testFraction, std::uint64_t seed);

} // namespace trainyard
