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

/// Frequency of each word in the text that a vocabulary is trained on.
using WordCounts = std::unordered_map<std::string, std::uint64_t>;

/// Adds the words of `text`, without those that WordPiece would not cut anyway.
void countWords(const TextNormalizer& normalizer, std::string_view text, WordCounts& counts);

/// Maximum number of distinct words counted at a time: about 200 MiB, and more than 30,000 pieces need.
constexpr std::size_t kMaxWords = 2'000'000;

/// Adds `more` to `counts`. If these have more than `mostWords` words afterwards, the rarest are dropped, by
/// frequency, until at most half are left, as in lossy counting (Manku and Motwani, "Approximate Frequency
/// Counts over Data Streams", VLDB 2002). The result depends on the order of the calls, which must therefore
/// not depend on threads, but not on the layout of the tables.
void addCounts(const WordCounts& more, std::size_t mostWords, WordCounts& counts);

struct VocabularyTraining {
    std::size_t size = 30522;    ///< pieces, including the five special tokens; fewer if the text has no more
    std::size_t alphabet = 1000; ///< most frequent characters to keep; words with others are ignored
    std::uint64_t leastFrequency = 2; ///< minimum frequency of a pair of pieces to be merged
};

/// Returns a vocab.txt: the special tokens, the characters, then pieces in the order of their merges. Merges
/// the most frequent pair of neighbours, as Hugging Face's WordPieceTrainer does; ties are decided by the age
/// of the pieces, so the same counts give the same vocabulary in whatever order they were gathered. BadInput
/// if `size` is too small for the characters alone; Cancelled if `stopped`, which is polled for every word
/// and merge, returns true.
Result<std::string> trainVocabulary(
    const WordCounts& counts, const VocabularyTraining& training,
    const std::function<bool()>& stopped = [] { return false; });

} // namespace trainyard
