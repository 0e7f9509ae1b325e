#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "datasets/shards/manifest.h"
#include "datasets/shards/row_block.h"
#include "datasets/verification/row_rules.h"

namespace trainyard {

/// A growing set of numbers: 8 bytes each, twice that while it is sorted.
class NumberSet {
public:
    void add(std::int64_t number);
    /// Returns the numbers sorted, each once.
    const std::vector<std::int64_t>& numbers();

private:
    void sort();

    std::vector<std::int64_t> m_numbers;
    std::size_t m_sorted = 0; ///< size when it was last sorted
};

/// Invariant 10: no document has rows on both sides of the split, and every document has rows. Needs
/// provenance; for running text the number of tokens is enough.
class DocumentCheck {
public:
    void add(const RowBlock& rows, bool training);

    /// Returns the first problem, if any. Without a manifest only the split can be checked.
    std::optional<std::string> problem(const RowRules& rules, const std::optional<Manifest>& manifest);

private:
    std::optional<std::string> splitProblem();
    std::optional<std::string> coverageProblem(const RowRules& rules, const Manifest& manifest);

    NumberSet m_training;
    NumberSet m_test;
};

/// Invariant 10 by the counts of the manifest: the number of held-out documents matches the test fraction (5
/// sd and 5, or half a percent; not for JSON and tables, whose ids may repeat), no document lacks a sentence,
/// and a pass yields at most one row per sentence and at least one per document that it does not drop.
std::optional<std::string> checkCounts(const Manifest& manifest, const RowRules& rules);

/// Invariant 10 for running text: rows contain all tokens of all passes and the ends of all documents,
/// except the remainder after the last complete row of each side.
std::optional<std::string> checkRunningText(const DatasetStatistics& rows, const Manifest& manifest);

} // namespace trainyard
