#pragma once

#include <optional>
#include <string>

#include "datasets/shards/manifest.h"
#include "datasets/verification/row_rules.h"
#include "datasets/verification/uniformity.h"

namespace trainyard {

/// The statistical invariants. Each function returns the problem, if any; the tolerances are at least four
/// standard deviations, so a valid data set fails at most once in 10 000 times.

/// Invariant 6.
std::optional<std::string> checkMaskShares(const DatasetStatistics& statistics, std::size_t vocabularySize);

/// Invariant 7 over all rows. For random next sentences, expects the share computed from the manifest's count
/// of single sentences, or 50 to 60 % without a manifest; for swapped sides one half; else no label 1.
std::optional<std::string> checkLabels(const DatasetStatistics& statistics, std::uint64_t rows,
                                       const RowRules& rules, const std::optional<Manifest>& manifest);

/// Invariant 7 for one shard: 45 to 65 % of random next sentences.
std::optional<std::string> checkShardLabels(const DatasetStatistics& shard, std::uint64_t rows,
                                            const RowRules& rules, const std::optional<Manifest>& manifest);

/// Invariant 9. Long enough documents fill rows; short target lengths and ends of documents leave some
/// unfilled, unless the sentences are long. Cannot judge a small number of rows.
std::optional<std::string> checkRowLengths(const DatasetStatistics& statistics, std::uint64_t rows,
                                           const std::optional<Manifest>& manifest);

/// Invariant 14. The pieces of a word are masked together, so their positions are not independent and are
/// skipped.
std::optional<std::string> checkUniformity(const UniformityCheck& uniformity, bool wholeWords);

/// Invariant 15: compares all statistics that rows contain.
bool sameRowStatistics(const DatasetStatistics& a, const DatasetStatistics& b);

/// Copies documents, sentences, tokens and rows of single sentences, which rows do not contain.
void copyDocumentStatistics(const DatasetStatistics& from, DatasetStatistics& to);

} // namespace trainyard
