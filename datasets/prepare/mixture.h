#pragma once

#include <span>

#include "datasets/options/prepare_options.h"
#include "datasets/prepare/document_store.h"
#include "datasets/pretraining/pass_counts.h"
#include "datasets/shards/manifest.h"

namespace trainyard {

/// How often the training documents of each input are used.
struct Mixture {
    PassCounts passes;                  ///< of the training documents
    std::vector<MixedSource> sources{}; ///< for the manifest; empty without weights
};

/// Gives each input its share of the tokens that --dupe passes over all training documents have: its weight
/// divided by the sum of the weights. Complete passes over its documents come first; of the last one only so
/// many documents, in a random order, that the share is met to half a document. Without weights every
/// document has --dupe passes. Depends on nothing but the documents, the seed, --dupe and the weights.
/// BadInput if an input has no training documents or would need more than a thousand passes.
Result<Mixture> mixtureOf(const PrepareOptions& options, const DocumentStore& documents,
                          std::span<const std::uint32_t> training);

} // namespace trainyard
