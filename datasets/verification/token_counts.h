#pragma once

#include <cstdint>
#include <vector>

#include "datasets/pretraining/instance.h"
#include "datasets/tokenizer/vocabulary.h"

namespace trainyard {

/// Counts the pieces in the rows; masked ones count as their originals.
class TokenCounts {
public:
    struct Entry {
        std::int32_t id = 0;
        std::uint64_t count = 0;
    };

    explicit TokenCounts(std::size_t vocabularySize = 0) : m_counts(vocabularySize) {}

    void add(const Instance& instance);

    /// Returns the number of tokens without [CLS], [SEP], [PAD] and ends of documents.
    std::uint64_t text(const SpecialTokens& special) const;
    /// 0 for SpecialTokens::kNone.
    std::uint64_t of(std::int32_t id) const
    {
        return id == SpecialTokens::kNone ? 0 : m_counts[static_cast<std::size_t>(id)];
    }
    /// Returns the number of entries of the vocabulary that occur.
    std::uint64_t used() const;
    /// Returns the most frequent pieces of text, in descending order.
    std::vector<Entry> mostFrequent(std::size_t count, const SpecialTokens& special) const;

private:
    std::vector<std::uint64_t> m_counts;
};

} // namespace trainyard
