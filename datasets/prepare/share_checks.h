#pragma once

#include <optional>
#include <string>

#include "datasets/prepare/uniformity.h"
#include "datasets/shards/manifest.h"

namespace trainyard {

/// The statistical invariants. Each gives the problem, or nothing when the figures are as they should be; the
/// tolerances are at least four standard deviations, so a sound data set fails one time in 10 000 or less.

/// Invariant 6.
std::optional<std::string> checkMaskShares(const DatasetStatistics& statistics, std::size_t vocabularySize);

/// Invariant 7 over all rows: with a manifest from its count of single sentences, else 50 to 60 %.
std::optional<std::string> checkRandomNext(const DatasetStatistics& statistics, std::uint64_t rows,
                                           const std::optional<Manifest>& manifest);

/// Invariant 7 for one shard: 45 to 65 %.
std::optional<std::string> checkShardRandomNext(const DatasetStatistics& shard, std::uint64_t rows,
                                                const std::optional<Manifest>& manifest);

/// Invariant 14.
std::optional<std::string> checkUniformity(const UniformityCheck& uniformity);

/// Invariant 15: everything that rows tell by themselves.
bool sameRowStatistics(const DatasetStatistics& a, const DatasetStatistics& b);

/// Documents, sentences, tokens and rows of single sentences, which rows do not tell.
void copyDocumentStatistics(const DatasetStatistics& from, DatasetStatistics& to);

} // namespace trainyard
