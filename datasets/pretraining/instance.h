#pragma once

#include <cstdint>
#include <vector>

namespace trainyard {

/// A sentence: its document's ordinal in the dump and its number there, both from 0.
struct SentencePlace {
    std::uint32_t document = 0;
    std::uint32_t sentence = 0;
};

/// One training example: [CLS] A [SEP] B [SEP], or [CLS] A [SEP], with some tokens masked.
struct Instance {
    std::vector<std::int32_t> tokens;          ///< as the model sees them
    std::uint32_t firstSegment = 0;            ///< tokens of "[CLS] A [SEP]"
    bool randomNext = false;                   ///< the label: B comes from another document, or before A
    bool singleSentence = false;               ///< the chunk had one sentence, so B had to be random
    std::vector<std::int32_t> maskedPositions; ///< ascending
    std::vector<std::int32_t> maskedIds;       ///< the original tokens at these positions
    SentencePlace a;                           ///< A's first sentence, before A was cut to fit
    SentencePlace b;                           ///< first sentence of B; that of A if there is no B

    bool isPair() const { return firstSegment < tokens.size(); }
    /// Number of tokens that may be masked: all but [CLS] and [SEP].
    std::size_t maskable() const { return tokens.size() - (isPair() ? 3 : 2); }
    /// Returns the position of the j-th of them, j < maskable().
    std::size_t maskablePosition(std::size_t j) const { return j + 2 < firstSegment ? j + 1 : j + 2; }
};

/// Training objective of a row.
enum class Objective : std::uint8_t {
    Bert,   ///< [CLS] A [SEP] B [SEP]: masked tokens, and whether B follows A
    Masked, ///< [CLS] sentences [SEP]: masked tokens only
    Tokens, ///< consecutive tokens of the corpus, [SEP] after every document, nothing masked: for GPT
};

/// Choice of B in a pair.
enum class NextSentence : std::uint8_t {
    Random, ///< the text after A, or equally often sentences of another document
    Swap,   ///< the text after A, or equally often both in reverse order (ALBERT, arXiv:1909.11942, 3.1)
    Follow, ///< always the text after A
};

/// Settings of the instance builder. The defaults are those of BERT's first phase.
struct InstanceSettings {
    std::uint64_t seed = 12345;
    int sequenceLength = 128;
    int maxPredictions = 20;
    Objective objective = Objective::Bert;
    NextSentence nextSentence = NextSentence::Random; ///< for Objective::Bert
    bool wholeWords = false;                          ///< mask all pieces of a word or none
    double maskedShare = 0.15;                        ///< of a row's tokens, [CLS] and [SEP] counted
    double shortSequenceShare = 0.1;                  ///< of documents per pass that aim at a shorter row

    /// Tokens of a row that are not [CLS] or [SEP].
    std::uint32_t room() const
    {
        return static_cast<std::uint32_t>(sequenceLength) - (objective == Objective::Masked ? 2 : 3);
    }
};

} // namespace trainyard
