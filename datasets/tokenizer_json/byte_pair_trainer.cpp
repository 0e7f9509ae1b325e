#include "datasets/tokenizer_json/byte_pair_trainer.h"

#include <algorithm>
#include <array>
#include <numeric>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "datasets/tokenizer/pair_trainer.h"
#include "datasets/tokenizer_json/byte_alphabet.h"
#include "datasets/tokenizer_json/normal_forms.h"
#include "datasets/tokenizer_json/split_patterns.h"

namespace trainyard {

namespace {

using Json = nlohmann::ordered_json;
using PieceId = PairTrainer::PieceId;

std::string joinedNames(const std::string& left, const std::string& right)
{
    return left + right;
}

std::string_view expressionOf(BytePairSplit split)
{
    switch (split) {
    case BytePairSplit::Gpt2:
        return kGpt2Expression;
    case BytePairSplit::Llama3:
        return kLlama3Expression;
    case BytePairSplit::Qwen:
        return kQwenExpression;
    }
    return {};
}

/// The pieces of the bytes, in the order of their characters.
std::array<PieceId, 256> addBytes(PairTrainer& trainer)
{
    std::array<unsigned char, 256> bytes;
    std::iota(bytes.begin(), bytes.end(), static_cast<unsigned char>(0));
    std::ranges::sort(bytes, {}, characterOfByte);
    std::array<PieceId, 256> pieces{};
    for (const unsigned char byte : bytes)
        pieces[byte] = trainer.pieceOf(spelledBytes(std::string(1, static_cast<char>(byte))));
    return pieces;
}

Status addSpecial(const BytePairTraining& training, PairTrainer& trainer)
{
    for (const std::string& token : training.special) {
        const std::size_t before = trainer.pieces();
        trainer.pieceOf(token);
        if (token.empty() || trainer.pieces() == before)
            return badInput(fmt::format("the special token \"{}\" is empty or repeated", token),
                            "give each special token once");
    }
    return {};
}

void addWords(const WordCounts& counts, const std::array<PieceId, 256>& bytes,
              const std::function<bool()>& stopped, PairTrainer& trainer)
{
    std::vector<std::pair<std::string_view, std::uint64_t>> words(counts.begin(), counts.end());
    std::ranges::sort(words);
    for (const auto& [word, count] : words) {
        if (stopped())
            return;
        std::vector<PieceId> pieces;
        for (const char byte : word)
            pieces.push_back(bytes[static_cast<unsigned char>(byte)]);
        trainer.addWord(std::move(pieces), count);
    }
}

Json byteLevel(bool splits)
{
    return {
        {"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", true}, {"use_regex", splits}};
}

Json preTokenizerOf(BytePairSplit split)
{
    if (split == BytePairSplit::Gpt2)
        return byteLevel(true);
    const Json parts = Json::array({{{"type", "Split"},
                                     {"pattern", {{"Regex", expressionOf(split)}}},
                                     {"behavior", "Isolated"},
                                     {"invert", false}},
                                    byteLevel(false)});
    return {{"type", "Sequence"}, {"pretokenizers", parts}};
}

Json specialTokens(const std::vector<std::string>& tokens, const std::string& mask)
{
    Json out = Json::array();
    for (std::size_t id = 0; id < tokens.size(); ++id)
        out.push_back({{"id", id},
                       {"content", tokens[id]},
                       {"single_word", false},
                       {"lstrip", tokens[id] == mask},
                       {"rstrip", false},
                       {"normalized", false},
                       {"special", true}});
    return out;
}

/// RoBERTa's: the special tokens around a text.
Json postProcessorOf(const BytePairTraining& training)
{
    if (training.rowBegin.empty())
        return nullptr;
    const auto withId = [&](const std::string& token) {
        const auto id = std::ranges::find(training.special, token) - training.special.begin();
        return Json::array({token, id});
    };
    return {{"type", "RobertaProcessing"},
            {"sep", withId(training.rowEnd)},
            {"cls", withId(training.rowBegin)},
            {"trim_offsets", true},
            {"add_prefix_space", false}};
}

Json modelOf(const std::vector<std::string>& names, Json merges)
{
    Json::object_t vocabulary;
    for (std::size_t id = 0; id < names.size(); ++id)
        vocabulary.Container::emplace_back(names[id], id); // its own emplace() looks for the name among all
    return {{"type", "BPE"},
            {"dropout", nullptr},
            {"unk_token", nullptr},
            {"continuing_subword_prefix", nullptr},
            {"end_of_word_suffix", nullptr},
            {"fuse_unk", false},
            {"byte_fallback", false},
            {"ignore_merges", false},
            {"vocab", std::move(vocabulary)},
            {"merges", std::move(merges)}};
}

} // namespace

PieceCounter::PieceCounter(BytePairSplit split) : m_normalizes(split == BytePairSplit::Qwen)
{
    m_preTokenizer.add(splitAtMatches(Pattern::parse(expressionOf(split)).value(), SplitBehavior::Isolated));
}

void PieceCounter::count(std::string_view text, WordCounts& counts) const
{
    struct Counting : PieceSink {
        explicit Counting(WordCounts& counts) : counts(counts) {}
        void take(const TextPiece& piece) override { ++counts[std::string(piece.text)]; }

        WordCounts& counts;
    } counting(counts);
    const std::string form = m_normalizes ? normalized(NormalForm::Nfc, text) : std::string();
    if (!text.empty())
        m_preTokenizer.split({m_normalizes ? std::string_view(form) : text, true}, counting);
}

Result<std::string> trainBytePairs(const WordCounts& counts, const BytePairTraining& training,
                                   const std::function<bool()>& stopped)
{
    PairTrainer trainer(joinedNames);
    TRAINYARD_TRY_STATUS(addSpecial(training, trainer));
    const auto bytes = addBytes(trainer);
    if (training.size < trainer.pieces())
        return badInput(fmt::format("{} tokens cannot hold the {} special ones and bytes", training.size,
                                    trainer.pieces()),
                        fmt::format("request at least {} tokens", trainer.pieces()));
    addWords(counts, bytes, stopped, trainer);
    Json merges = Json::array();
    while (trainer.pieces() < training.size && !stopped()) {
        const auto pair = trainer.mergeBest(training.leastFrequency);
        if (!pair)
            break;
        merges.push_back({trainer.names()[pair->first], trainer.names()[pair->second]});
    }
    if (stopped())
        return cancelled("stopped while training the tokenizer");
    const Json normalizer = training.split == BytePairSplit::Qwen ? Json{{"type", "NFC"}} : Json(nullptr);
    const Json document{{"version", "1.0"},
                        {"truncation", nullptr},
                        {"padding", nullptr},
                        {"added_tokens", specialTokens(training.special, training.mask)},
                        {"normalizer", normalizer},
                        {"pre_tokenizer", preTokenizerOf(training.split)},
                        {"post_processor", postProcessorOf(training)},
                        {"decoder", byteLevel(true)},
                        {"model", modelOf(trainer.names(), std::move(merges))}};
    return document.dump(2) + "\n";
}

} // namespace trainyard
