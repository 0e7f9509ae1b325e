#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "datasets/tokenizer/text_normalizer.h"
#include "engine/base/result.h"

namespace trainyard {

/// How often each word occurs in the text that a vocabulary is made from.
using WordCounts = std::unordered_map<std::string, std::uint64_t>;

/// Adds the words of `text`. Words that WordPiece would not cut anyway are left out.
void countWords(const TextNormalizer& normalizer, std::string_view text, WordCounts& counts);

/// Words that are counted at a time: about 200 MiB of them, and more than 30,000 pieces ask for.
constexpr std::size_t kMaxWords = 2'000'000;

/// Adds `more` to `counts`. When these are more than `mostWords` after it, the rarest go, by frequency, until
/// at most half are left, as in lossy counting (Manku and Motwani, "Approximate Frequency Counts over Data
/// Streams", VLDB 2002). So the result depends on the order in which text is added, which must not depend on
/// threads, but not on how the tables are laid out.
void addCounts(const WordCounts& more, std::size_t mostWords, WordCounts& counts);

struct VocabularyTraining {
    std::size_t size = 30522; ///< pieces, the five special tokens included; fewer when the text has no more
    std::size_t alphabet = 1000;      ///< most frequent characters kept; words with others are ignored
    std::uint64_t leastFrequency = 2; ///< a pair of pieces must occur so often to be merged
};

/// A vocab.txt: the special tokens, the characters, then pieces in the order in which they were merged. Grows
/// by the most frequent pair of neighbours, as Hugging Face's WordPieceTrainer does; ties are decided by the
/// age of the pieces, so the same counts give the same vocabulary, whatever order they were gathered in.
/// BadInput when `size` is too small for the characters alone; Cancelled when `stopped`, asked for every
/// word and merge, says so.
Result<std::string> trainVocabulary(
    const WordCounts& counts, const VocabularyTraining& training,
    const std::function<bool()>& stopped = [] { return false; });

} // namespace trainyard
