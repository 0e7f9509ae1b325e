#pragma once

#include <optional>
#include <string>

#include "datasets/shards/manifest.h"
#include "datasets/verification/row_rules.h"
#include "datasets/verification/uniformity.h"

namespace trainyard {

/// The statistical invariants. Each gives the problem, or nothing when the figures are as they should be; the
/// tolerances are at least four standard deviations, so a sound data set fails one time in 10 000 or less.

/// Invariant 6.
std::optional<std::string> checkMaskShares(const DatasetStatistics& statistics, std::size_t vocabularySize);

/// Invariant 7 over all rows. Of random next sentences, with a manifest from its count of single sentences,
/// else 50 to 60 %; of swapped sides one half; else there is no label 1.
std::optional<std::string> checkLabels(const DatasetStatistics& statistics, std::uint64_t rows,
                                       const RowRules& rules, const std::optional<Manifest>& manifest);

/// Invariant 7 for one shard: 45 to 65 % of random next sentences.
std::optional<std::string> checkShardLabels(const DatasetStatistics& shard, std::uint64_t rows,
                                            const RowRules& rules, const std::optional<Manifest>& manifest);

/// Invariant 9. Documents long enough fill rows; short target lengths and ends of documents leave some
/// unfilled, unless the sentences are long. Says nothing about few rows.
std::optional<std::string> checkRowLengths(const DatasetStatistics& statistics, std::uint64_t rows,
                                           const std::optional<Manifest>& manifest);

/// Invariant 14. The pieces of a word are masked together, so their positions are not independent and are
/// left out.
std::optional<std::string> checkUniformity(const UniformityCheck& uniformity, bool wholeWords);

/// Invariant 15: everything that rows tell by themselves.
bool sameRowStatistics(const DatasetStatistics& a, const DatasetStatistics& b);

/// Documents, sentences, tokens and rows of single sentences, which rows do not tell.
void copyDocumentStatistics(const DatasetStatistics& from, DatasetStatistics& to);

} // namespace trainyard
