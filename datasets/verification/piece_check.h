#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "datasets/pretraining/instance.h"
#include "datasets/tokenizer_json/row_tokenizer.h"

namespace trainyard {

/// Invariant 13: words of several pieces, joined and tokenized again, give the same ids. This finds another
/// vocabulary of the same size or with other line numbers; a word of one piece would not. Words at the ends
/// of a side may be cut and are skipped, as is [UNK].
class PieceCheck {
public:
    /// The tokenizer must outlive the check.
    explicit PieceCheck(const RowTokenizer& tokenizer);

    void add(const Instance& instance);

    /// Returns a problem if more than one word in a hundred differs: some tokenizers keep characters that
    /// ours drops.
    std::optional<std::string> problem() const;

private:
    void addText(std::size_t begin, std::size_t end);
    void addWord(std::size_t begin, std::size_t end);

    const Vocabulary& m_vocabulary;
    std::unique_ptr<TextEncoder> m_encoder;
    std::vector<bool> m_starts;        ///< of the words of a text
    std::vector<std::int32_t> m_plain; ///< a row without masks
    std::vector<std::int32_t> m_again;
    std::uint64_t m_words = 0;
    std::uint64_t m_differing = 0;
    std::string m_example;
};

} // namespace trainyard
