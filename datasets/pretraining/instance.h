#pragma once

#include <cstdint>
#include <vector>

namespace trainyard {

/// One training example: [CLS] A [SEP] B [SEP] with some tokens masked.
struct Instance {
    std::vector<std::int32_t> tokens;          ///< as the model sees them
    std::uint32_t firstSegment = 0;            ///< tokens of "[CLS] A [SEP]"
    bool randomNext = false;                   ///< B comes from another document
    bool singleSentence = false;               ///< the chunk had one sentence, so B had to be random
    std::vector<std::int32_t> maskedPositions; ///< ascending
    std::vector<std::int32_t> maskedIds;       ///< the tokens that stood there
};

/// What a row teaches.
enum class Objective : std::uint8_t {
    Bert,   ///< [CLS] A [SEP] B [SEP]: masked tokens, and whether B follows A
    Masked, ///< [CLS] sentences [SEP]: masked tokens only
    Tokens, ///< consecutive tokens of the corpus, [SEP] behind every document, nothing masked: for GPT
};

/// What B of a pair is.
enum class NextSentence : std::uint8_t {
    Random, ///< what follows A, or as often sentences of another document
    Swap,   ///< what follows A, or as often both in reverse order (ALBERT, arXiv:1909.11942, 3.1)
    Follow, ///< always what follows A
};

/// How instances are made. The defaults are those of BERT's first phase.
struct InstanceSettings {
    std::uint64_t seed = 12345;
    int sequenceLength = 128;
    int maxPredictions = 20;
    Objective objective = Objective::Bert;
    NextSentence nextSentence = NextSentence::Random; ///< of Objective::Bert
    bool wholeWords = false;                          ///< mask all pieces of a word or none
    double maskedShare = 0.15;                        ///< of a row's tokens, [CLS] and [SEP] counted
    double shortSequenceShare = 0.1;                  ///< of documents per pass that aim at a shorter row

    /// Tokens of A and B together.
    std::uint32_t room() const { return static_cast<std::uint32_t>(sequenceLength) - 3; }
};

} // namespace trainyard
