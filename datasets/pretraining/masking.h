#pragma once

#include <cstdint>
#include <vector>

#include "datasets/pretraining/counter_random.h"
#include "datasets/pretraining/instance.h"
#include "datasets/tokenizer/vocabulary.h"

namespace trainyard {

/// min(maxPredictions, max(1, length * share rounded half to even)), as Python's round() in the reference.
int predictionsFor(std::size_t length, const InstanceSettings& settings);

/// Tokens of an instance that are masked together, [begin, end).
struct MaskedUnit {
    std::uint32_t begin;
    std::uint32_t end;
    std::uint32_t size() const { return end - begin; }
};

/// Splits the unmasked tokens into words, in order. The first piece of a side starts a word even if the
/// beginning of the word was cut off. `starts` is scratch.
void findWords(const std::vector<std::int32_t>& tokens, std::uint32_t firstSegment,
               const Vocabulary& vocabulary, std::vector<bool>& starts, std::vector<MaskedUnit>& words);

/// Masks rows. Immutable; any thread may use it with its own scratch.
class TokenMasker {
public:
    struct Scratch {
        std::vector<std::uint64_t> chosen; ///< one bit per position
        std::vector<MaskedUnit> words;
        std::vector<bool> starts; ///< tokens that begin a word
    };

    /// The vocabulary must outlive the masker.
    TokenMasker(const InstanceSettings& settings, const Vocabulary& vocabulary);

    /// Chooses positions among all but [CLS] and [SEP] and replaces 80 % of them by [MASK], keeps 10 % and
    /// replaces 10 % by a random entry of the vocabulary (any entry, as in the reference). Expects complete,
    /// unmasked tokens.
    ///
    /// With whole words, takes words in random order with all of their pieces as long as they fit into the
    /// remaining predictions, and skips those that do not fit (create_pretraining_data.py of
    /// google-research/bert with do_whole_word_mask). A row whose words are all too long has no prediction.
    void mask(Instance& instance, CounterRandom random, Scratch& scratch) const;

private:
    void chooseTokens(const Instance& instance, std::size_t count, CounterRandom& random,
                      Scratch& scratch) const;
    void chooseWords(const Instance& instance, std::size_t count, CounterRandom& random,
                     Scratch& scratch) const;
    std::int32_t shownInstead(std::int32_t original, CounterRandom& random) const;

    InstanceSettings m_settings;
    const Vocabulary& m_vocabulary;
};

} // namespace trainyard
