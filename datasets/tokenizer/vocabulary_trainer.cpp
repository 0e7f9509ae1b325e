#include "datasets/tokenizer/vocabulary_trainer.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "datasets/tokenizer/pair_trainer.h"

namespace trainyard {

namespace {

constexpr std::array<std::string_view, 5> kSpecial{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};
constexpr std::string_view kContinuation = "##";

/// The characters of a word, each as its own UTF-8 string.
std::vector<std::string_view> charactersOf(std::string_view word)
{
    std::vector<std::string_view> characters;
    for (std::size_t at = 0; at < word.size();) {
        const std::size_t bytes = decodeUtf8(word, at).bytes;
        characters.push_back(word.substr(at, bytes));
        at += bytes;
    }
    return characters;
}

using SortedCounts = std::vector<std::pair<std::string_view, std::uint64_t>>;

SortedCounts sorted(const WordCounts& counts)
{
    SortedCounts out(counts.begin(), counts.end());
    std::sort(out.begin(), out.end());
    return out;
}

using StopAsked = std::function<bool()>;

/// Incomplete when `stopped` said so.
std::set<std::string_view> frequentCharacters(const SortedCounts& words, std::size_t limit,
                                              const StopAsked& stopped)
{
    std::map<std::string_view, std::uint64_t> counts;
    for (const auto& [word, count] : words) {
        if (stopped())
            break;
        for (const std::string_view character : charactersOf(word))
            counts[character] += count;
    }
    std::vector<std::pair<std::string_view, std::uint64_t>> ranked(counts.begin(), counts.end());
    std::stable_sort(ranked.begin(), ranked.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    ranked.resize(std::min(limit, ranked.size()));
    std::set<std::string_view> out;
    for (const auto& [character, count] : ranked)
        out.insert(character);
    return out;
}

/// Of no use when `stopped` said so meanwhile.
PairTrainer trainerOf(const SortedCounts& words, std::size_t alphabetLimit, const StopAsked& stopped)
{
    PairTrainer trainer([](const std::string& left, const std::string& right) {
        return left + right.substr(kContinuation.size());
    });
    const auto alphabet = frequentCharacters(words, alphabetLimit, stopped);
    for (const std::string_view character : alphabet)
        trainer.pieceOf(std::string(character));
    for (const auto& [text, count] : words) {
        if (stopped())
            break;
        std::vector<PairTrainer::PieceId> pieces;
        bool isKnown = true;
        for (const std::string_view character : charactersOf(text)) {
            isKnown = alphabet.contains(character);
            if (!isKnown)
                break;
            pieces.push_back(
                trainer.pieceOf(std::string(pieces.empty() ? "" : kContinuation) + std::string(character)));
        }
        if (isKnown)
            trainer.addWord(std::move(pieces), count);
    }
    return trainer;
}

} // namespace

void countWords(const TextNormalizer& normalizer, std::string_view text, WordCounts& counts)
{
    normalizer.forEachWord(text, [&](std::string_view word) {
        if (!word.empty())
            ++counts[std::string(word)];
    });
}

void addCounts(const WordCounts& more, std::size_t mostWords, WordCounts& counts)
{
    for (const auto& [word, count] : more)
        counts[word] += count;
    if (counts.size() <= mostWords)
        return;
    for (std::uint64_t rarest = 1; counts.size() > mostWords / 2; ++rarest)
        std::erase_if(counts, [&](const auto& item) { return item.second <= rarest; });
}

Result<std::string> trainVocabulary(const WordCounts& counts, const VocabularyTraining& training,
                                    const std::function<bool()>& stopped)
{
    const SortedCounts words = sorted(counts);
    PairTrainer trainer = trainerOf(words, training.alphabet, stopped);
    if (stopped())
        return cancelled("stopped while training the vocabulary");
    const std::size_t fewest = trainer.pieces() + kSpecial.size();
    if (training.size < fewest)
        return badInput(
            fmt::format("a vocabulary of {} pieces cannot hold the {} single characters of the text",
                        training.size, fewest),
            fmt::format("request at least {} pieces", fewest));
    while (trainer.pieces() + kSpecial.size() < training.size && trainer.mergeBest(training.leastFrequency)) {
        if (stopped())
            return cancelled("stopped while training the vocabulary");
    }
    std::string out;
    for (const std::string_view special : kSpecial)
        out.append(special).append("\n");
    for (const std::string& name : trainer.names())
        out.append(name).append("\n");
    return out;
}

} // namespace trainyard
