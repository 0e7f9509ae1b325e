#include "datasets/pretraining/masking.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>

namespace trainyard {

namespace {

constexpr std::size_t kWordBits = 64;

/// False if the bit was set before.
bool set(std::vector<std::uint64_t>& bits, std::size_t index)
{
    std::uint64_t& word = bits[index / kWordBits];
    const std::uint64_t bit = std::uint64_t{1} << index % kWordBits;
    const bool isNew = (word & bit) == 0;
    word |= bit;
    return isNew;
}

/// Calls visit(index) for every bit that is set, in ascending order.
template <typename Visit>
void forEachSet(const std::vector<std::uint64_t>& bits, Visit visit)
{
    for (std::size_t i = 0; i < bits.size(); ++i) {
        for (std::uint64_t word = bits[i]; word != 0; word &= word - 1)
            visit(i * kWordBits + static_cast<std::size_t>(std::countr_zero(word)));
    }
}

void findWordsOfSide(const std::vector<std::int32_t>& tokens, std::uint32_t begin, std::uint32_t end,
                     const Vocabulary& vocabulary, std::vector<bool>& starts, std::vector<MaskedUnit>& words)
{
    vocabulary.findWords(std::span(tokens).subspan(begin, end - begin), starts);
    for (std::uint32_t at = begin; at < end; ++at) {
        if (starts[at - begin])
            words.push_back({at, at + 1});
        else
            words.back().end = at + 1;
    }
}

} // namespace

int predictionsFor(std::size_t length, const InstanceSettings& settings)
{
    const auto share = static_cast<int>(std::nearbyint(static_cast<double>(length) * settings.maskedShare));
    return std::min(settings.maxPredictions, std::max(1, share));
}

void findWords(const std::vector<std::int32_t>& tokens, std::uint32_t firstSegment,
               const Vocabulary& vocabulary, std::vector<bool>& starts, std::vector<MaskedUnit>& words)
{
    words.clear();
    findWordsOfSide(tokens, 1, firstSegment - 1, vocabulary, starts, words);
    if (firstSegment < tokens.size())
        findWordsOfSide(tokens, firstSegment, static_cast<std::uint32_t>(tokens.size()) - 1, vocabulary,
                        starts, words);
}

TokenMasker::TokenMasker(const InstanceSettings& settings, const Vocabulary& vocabulary)
    : m_settings(settings), m_vocabulary(vocabulary)
{
}

void TokenMasker::mask(Instance& instance, CounterRandom random, Scratch& scratch) const
{
    const auto count = std::min(instance.maskable(),
                                static_cast<std::size_t>(predictionsFor(instance.tokens.size(), m_settings)));
    scratch.chosen.assign((instance.tokens.size() + kWordBits - 1) / kWordBits, 0);
    if (m_settings.wholeWords)
        chooseWords(instance, count, random, scratch);
    else
        chooseTokens(instance, count, random, scratch);
    instance.maskedPositions.clear();
    instance.maskedIds.clear();
    forEachSet(scratch.chosen, [&](std::size_t position) {
        std::int32_t& token = instance.tokens[position];
        instance.maskedPositions.push_back(static_cast<std::int32_t>(position));
        instance.maskedIds.push_back(token);
        token = shownInstead(token, random);
    });
}

/// Redraws positions that were drawn before; with 15 % of the tokens that is rare.
void TokenMasker::chooseTokens(const Instance& instance, std::size_t count, CounterRandom& random,
                               Scratch& scratch) const
{
    const auto maskable = static_cast<std::uint32_t>(instance.maskable());
    while (count > 0)
        count -= set(scratch.chosen, instance.maskablePosition(random.below(maskable))) ? 1 : 0;
}

void TokenMasker::chooseWords(const Instance& instance, std::size_t count, CounterRandom& random,
                              Scratch& scratch) const
{
    std::vector<MaskedUnit>& words = scratch.words;
    findWords(instance.tokens, instance.firstSegment, m_vocabulary, scratch.starts, words);
    for (std::size_t i = 0; i < words.size() && count > 0; ++i) { // Fisher and Yates, as far as needed
        std::swap(words[i], words[i + random.below(static_cast<std::uint32_t>(words.size() - i))]);
        if (words[i].size() > count)
            continue;
        for (std::uint32_t at = words[i].begin; at < words[i].end; ++at)
            set(scratch.chosen, at);
        count -= words[i].size();
    }
}

std::int32_t TokenMasker::shownInstead(std::int32_t original, CounterRandom& random) const
{
    const std::uint32_t tenth = random.below(10);
    if (tenth < 8)
        return m_vocabulary.special().mask;
    return tenth == 8
               ? original
               : static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(m_vocabulary.size())));
}

} // namespace trainyard
