#pragma once

#include <optional>
#include <vector>

#include "datasets/pretraining/instance.h"
#include "datasets/pretraining/masking.h"
#include "datasets/shards/row_block.h"
#include "datasets/tokenizer/vocabulary.h"
#include "datasets/verification/invariant.h"
#include "datasets/verification/row_rules.h"

namespace trainyard {

/// Checks invariants 2 to 5 of single rows, with provenance also the 8th, and decodes rows. One thread.
class RowChecker {
public:
    /// The vocabulary must outlive the checker.
    RowChecker(const Vocabulary& vocabulary, const RowRules& rules);

    /// Decodes the row into `out`, which is valid only if no violation is returned. Fields that rows do not
    /// contain stay unchanged.
    std::optional<Violation> check(const RowBlock& rows, std::size_t row, Instance& out);

private:
    struct Row;
    using Problem = std::optional<Violation>;

    Problem checkPadding(const Row& row, Instance& out) const;
    Problem checkIds(const Row& row) const;
    Problem checkCount(const Row& row, std::size_t count, std::size_t length);
    Problem checkPredictions(const Row& row, Instance& out);
    Problem unmask(const Instance& masked);
    Problem checkSpecialTokens(Instance& out) const;
    Problem checkText() const;
    Problem checkWholeWords(const Instance& out);
    bool isReserved(std::int32_t id) const;

    const Vocabulary& m_vocabulary;
    RowRules m_rules;
    std::vector<bool> m_starts;        ///< scratch of findWords()
    std::vector<std::int32_t> m_plain; ///< the row's tokens without masks
    std::vector<MaskedUnit> m_words;
    std::size_t m_left = 0; ///< unused predictions of the row
};

} // namespace trainyard
