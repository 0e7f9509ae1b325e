#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "datasets/pretraining/instance.h"
#include "datasets/tokenizer/unicode_tables.h"
#include "datasets/tokenizer/vocabulary.h"
#include "datasets/tokenizer/wordpiece.h"

namespace trainyard {

/// Invariant 13: words of several pieces, joined and tokenized again, give the same ids. This finds another
/// vocabulary of the same size or with other line numbers; a word of one piece would not. Words at the ends
/// of a side may be cut and are skipped, as is [UNK].
class PieceCheck {
public:
    /// The vocabulary must outlive the check.
    PieceCheck(const Vocabulary& vocabulary, const UnicodeTables& tables, bool cased);

    void add(const Instance& instance);

    /// Returns a problem if more than one word in a hundred differs: some tokenizers keep characters that
    /// ours drops.
    std::optional<std::string> problem() const;

private:
    void addWord(std::size_t begin, std::size_t end);

    const Vocabulary& m_vocabulary;
    WordPiece m_tokenizer;
    std::vector<bool> m_continuing;
    std::vector<std::int32_t> m_plain; ///< a row without masks
    std::vector<std::int32_t> m_again;
    std::uint64_t m_words = 0;
    std::uint64_t m_differing = 0;
    std::string m_example;
};

} // namespace trainyard
