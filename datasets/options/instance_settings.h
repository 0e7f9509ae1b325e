#pragma once

#include <cstdint>

#include "engine/spec/names.h"

namespace trainyard {

/// Training objective of a row.
enum class Objective : std::uint8_t {
    Bert,   ///< [CLS] A [SEP] B [SEP]: masked tokens, and whether B follows A
    Masked, ///< [CLS] sentences [SEP]: masked tokens only
    Tokens, ///< consecutive tokens of the corpus, [SEP] after every document, nothing masked: for GPT
};
template <>
inline constexpr auto kEnumNames<Objective> = nameTable("bert", "mlm", "gpt");

/// Choice of B in a pair.
enum class NextSentence : std::uint8_t {
    Random, ///< the text after A, or equally often sentences of another document
    Swap,   ///< the text after A, or equally often both in reverse order (ALBERT, arXiv:1909.11942, 3.1)
    Follow, ///< always the text after A
};
template <>
inline constexpr auto kEnumNames<NextSentence> = nameTable("random", "swap", "none");

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

    /// Tokens that a row can have besides [CLS] and [SEP].
    std::uint32_t maxTextTokens() const
    {
        return static_cast<std::uint32_t>(sequenceLength) - (objective == Objective::Masked ? 2 : 3);
    }

    bool operator==(const InstanceSettings&) const = default;
};

} // namespace trainyard
