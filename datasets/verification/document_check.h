#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "datasets/shards/manifest.h"
#include "datasets/shards/row_block.h"
#include "datasets/verification/row_rules.h"

namespace trainyard {

/// A set of numbers that grows: 8 bytes each, twice that while it is sorted.
class NumberSet {
public:
    void add(std::int64_t number);
    /// Sorted, each once.
    const std::vector<std::int64_t>& numbers();

private:
    void sort();

    std::vector<std::int64_t> m_numbers;
    std::size_t m_sorted = 0; ///< size when it was last sorted
};

/// Invariant 10: no document gives rows to both sides of the split, and every document gives rows. Rows tell
/// only with provenance; for running text the number of tokens tells as much.
class DocumentCheck {
public:
    void add(const RowBlock& rows, bool training);

    /// The first problem, or nothing. Without a manifest only the split can be checked.
    std::optional<std::string> problem(const RowRules& rules, const std::optional<Manifest>& manifest);

private:
    std::optional<std::string> splitProblem();
    std::optional<std::string> coverageProblem(const RowRules& rules, const Manifest& manifest);

    NumberSet m_training;
    NumberSet m_test;
};

/// Invariant 10 by the manifest's counts alone: as many documents are held out as the test fraction asks for
/// (5 sd and 5, or half a percent; not for JSON whose ids may repeat), none lacks a sentence, and a pass
/// gives at most a row for every sentence and at least one for every document that it does not drop.
std::optional<std::string> checkCounts(const Manifest& manifest, const RowRules& rules);

/// Invariant 10 for running text: rows hold all tokens of all passes and a [SEP] behind every document, but
/// what is left behind the last whole row of each side.
std::optional<std::string> checkRunningText(const DatasetStatistics& rows, const Manifest& manifest);

} // namespace trainyard
