#pragma once

#include <cstdint>
#include <vector>

#include "datasets/pretraining/instance.h"
#include "datasets/tokenizer/vocabulary.h"

namespace trainyard {

/// How often each piece occurs in the rows, masked ones as what they were.
class TokenCounts {
public:
    struct Entry {
        std::int32_t id = 0;
        std::uint64_t count = 0;
    };

    explicit TokenCounts(std::size_t vocabularySize = 0) : m_counts(vocabularySize) {}

    void add(const Instance& instance);

    /// Without [CLS], [SEP] and [PAD].
    std::uint64_t text(const SpecialTokens& special) const;
    std::uint64_t of(std::int32_t id) const { return m_counts[static_cast<std::size_t>(id)]; }
    /// Entries of the vocabulary that occur.
    std::uint64_t used() const;
    /// The most frequent pieces of text, the most frequent first.
    std::vector<Entry> mostFrequent(std::size_t count, const SpecialTokens& special) const;

private:
    std::vector<std::uint64_t> m_counts;
};

} // namespace trainyard
