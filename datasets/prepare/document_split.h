#pragma once

#include <cstdint>
#include <vector>

#include "datasets/prepare/document_store.h"

namespace trainyard {

/// Ordinals of the documents of each kind of shard; no document is in both.
struct DocumentSplit {
    std::vector<std::uint32_t> training;
    std::vector<std::uint32_t> test;
};

/// A document goes to the test shards when a number drawn from (seed, page id) is below `testFraction`, so it
/// stays there when the dump grows.
DocumentSplit splitDocuments(const DocumentStore& documents, double testFraction, std::uint64_t seed);

} // namespace trainyard
