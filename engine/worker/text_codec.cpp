#include "engine/worker/text_codec.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "datasets/shards/manifest.h"
#include "datasets/tokenizer/unicode_tables.h"
#include "engine/base/file.h"
#include "engine/base/json_problem.h"
#include "engine/base/untrusted_text.h"
#include "engine/base/utf8.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

constexpr auto kNameOne = "name the model's vocab.txt or tokenizer.json (--vocab; in the window Vocabulary)";

// A tokenizer without a configuration may be of either kind.
Result<std::optional<bool>> casedBy(const fs::path& configuration)
{
    std::error_code ignored;
    if (!fs::exists(configuration, ignored))
        return std::optional<bool>();
    TRAINYARD_TRY(const std::string text, readFile(configuration));
    try {
        return std::optional(!nlohmann::json::parse(text).value("do_lower_case", true));
    } catch (const nlohmann::json::exception& error) {
        return badInput(fmt::format("{}: {}", configuration.string(), jsonProblem(error, text)));
    }
}

Result<TokenizerFiles> tokenizerIn(const fs::path& folder)
{
    std::error_code ignored;
    const fs::path vocabulary = folder / RowTokenizer::kVocabularyFile;
    if (!fs::exists(vocabulary, ignored)) {
        if (fs::exists(folder / RowTokenizer::kTokenizerFile, ignored))
            return TokenizerFiles{folder / RowTokenizer::kTokenizerFile, std::nullopt, {}};
        return badInput(folder.string() + " has no vocab.txt and no tokenizer.json", kNameOne);
    }
    TRAINYARD_TRY(const std::optional<bool> cased, casedBy(folder / "tokenizer_config.json"));
    return TokenizerFiles{vocabulary, cased, {}};
}

Result<TokenizerFiles> tokenizerOfDataSet(const fs::path& folder)
{
    const auto manifest = Manifest::load(folder);
    if (!manifest.ok())
        return badInput(
            fmt::format("the vocabulary of the run's data set cannot be read: {}", manifest.error().message),
            kNameOne);
    if (!isPlainName(manifest->vocabularyFile))
        return badInput(fmt::format("{}: the manifest names no vocabulary", folder.string()), kNameOne);
    return TokenizerFiles{folder / manifest->vocabularyFile, manifest->settings.cased,
                          manifest->settings.tokenizerProfile};
}

/// How many bytes at the end may be the beginning of a character.
std::size_t tornBytes(std::string_view text)
{
    for (std::size_t bytes = 1; bytes < kMaxUtf8Length && bytes <= text.size(); ++bytes) {
        const auto byte = static_cast<unsigned char>(text[text.size() - bytes]);
        if (byte >= 0xC0)
            return bytes < (byte >= 0xF0 ? 4u : byte >= 0xE0 ? 3u : 2u) ? bytes : 0;
        if (byte < 0x80)
            return 0;
    }
    return 0;
}

std::string_view withoutTornBytes(std::string_view text)
{
    return text.substr(0, text.size() - tornBytes(text));
}

} // namespace

/// A mask in a text, with the white space before it that belongs to it.
struct TextCodec::FoundMask {
    std::size_t begin = std::string_view::npos;
    std::size_t end = 0;
};

Result<RowTokenizer> TokenizerFiles::load() const
{
    return loadRowTokenizer(vocabulary, tablesOfProfile(profile), cased);
}

Result<TokenizerFiles> tokenizerOf(const StoredModel& model)
{
    const std::string dataSet = model.dataSet();
    return dataSet.empty() ? tokenizerIn(model.folder()) : tokenizerOfDataSet(dataSet);
}

Result<TokenizerFiles> tokenizerOf(const StoredModel& model, const std::string& vocabulary, bool cased)
{
    if (vocabulary.empty())
        return tokenizerOf(model);
    return TokenizerFiles{vocabulary, cased ? std::optional(true) : std::nullopt, {}};
}

Result<TextCodec> TextCodec::load(const TokenizerFiles& files, const ModelSpec& model)
{
    TRAINYARD_TRY(RowTokenizer tokenizer, files.load());
    const Vocabulary& vocabulary = tokenizer.vocabulary;
    if (vocabulary.size() > static_cast<std::size_t>(model.vocabulary))
        return badInput(fmt::format("{} has {} entries, but the model has {}", files.vocabulary.string(),
                                    vocabulary.size(), model.vocabulary),
                        "it is another model's vocabulary: name the right one (--vocab; in the window Vocabulary)");
    return TextCodec(std::move(tokenizer));
}

TextCodec::TextCodec(RowTokenizer tokenizer)
    : m_tokenizer(std::move(tokenizer)), m_encoder(m_tokenizer.tokenizer->encoder())
{
}

TokenIds TextCodec::encode(std::string_view text) const
{
    std::vector<std::int32_t> ids;
    m_encoder->encode(text, ids);
    return {ids.begin(), ids.end()};
}

TokenIds TextCodec::encodePrompt(std::string_view text) const
{
    const bool isDecoders = m_tokenizer.frame && m_tokenizer.frame->behind.empty();
    TokenIds tokens;
    if (isDecoders)
        tokens.assign(m_tokenizer.frame->before.begin(), m_tokenizer.frame->before.end());
    const TokenIds ids = encode(text);
    tokens.insert(tokens.end(), ids.begin(), ids.end());
    return tokens;
}

TokenIds TextCodec::encodeWord(std::string_view word) const
{
    return encode(m_tokenizer.bytes ? " " + std::string(word) : std::string(word));
}

std::vector<AlignedPiece> TextCodec::align(std::string_view text) const
{
    std::vector<AlignedPiece> pieces;
    m_tokenizer.tokenizer->encodeAligned(text, pieces);
    return pieces;
}

std::vector<bool> TextCodec::findWords(std::span<const std::int32_t> ids) const
{
    std::vector<bool> starts;
    vocabulary().findWords(ids, starts);
    return starts;
}

Result<RowFrame> TextCodec::frame() const
{
    if (m_tokenizer.frame && m_tokenizer.frame->hasEnds())
        return *m_tokenizer.frame;
    return badInput("the model's tokenizer does not say which tokens begin and end a row",
                    "name its own tokenizer.json (--vocab), or give the row as --token-ids");
}

TextCodec::FoundMask TextCodec::findMask(std::string_view text) const
{
    FoundMask first;
    for (const std::string& name : {std::string("[MASK]"), vocabulary().piece(special().mask)}) {
        if (const std::size_t at = text.find(name); at < first.begin)
            first = {at, at + name.size()};
    }
    // A byte-level BPE has spaces in front of its words, and the mask stands for a whole word.
    while (m_tokenizer.bytes && first.begin != std::string_view::npos && first.begin > 0 &&
           text[first.begin - 1] == ' ')
        --first.begin;
    return first;
}

TokenIds TextCodec::encodeWithMasks(std::string_view text) const
{
    TokenIds tokens;
    const auto append = [&](std::string_view part) {
        const TokenIds ids = encode(part);
        tokens.insert(tokens.end(), ids.begin(), ids.end());
    };
    const auto appendSpecial = [&](std::int32_t id) {
        if (id != SpecialTokens::kNone)
            tokens.push_back(id);
    };
    appendSpecial(special().classify);
    while (special().mask != SpecialTokens::kNone) {
        const FoundMask found = findMask(text);
        if (found.begin == std::string_view::npos)
            break;
        append(text.substr(0, found.begin));
        tokens.push_back(mask());
        text.remove_prefix(found.end);
    }
    append(text);
    appendSpecial(special().separator);
    return tokens;
}

std::optional<TokenId> TextCodec::documentEnd() const
{
    const std::int32_t end = special().documentEnd;
    return end == SpecialTokens::kNone ? std::nullopt : std::optional<TokenId>(end);
}

// A model may have more entries than its vocabulary, to be divided evenly.
std::optional<std::int32_t> TextCodec::known(TokenId token) const
{
    if (token >= 0 && token < std::ssize(vocabulary().pieces()))
        return static_cast<std::int32_t>(token);
    const std::int32_t unknown = special().unknown;
    return unknown == SpecialTokens::kNone ? std::nullopt : std::optional(unknown);
}

std::string TextCodec::decode(const TokenIds& tokens) const
{
    std::vector<std::int32_t> ids;
    for (const TokenId token : tokens) {
        if (const auto id = known(token))
            ids.push_back(*id);
    }
    return vocabulary().decode(ids);
}

std::string TextCodec::piece(TokenId token) const
{
    const auto id = known(token);
    return id ? sanitizeText(vocabulary().shown(*id)) : fmt::format("<{}>", token);
}

std::string TextCodec::textFrom(const TokenIds& tokens, std::size_t from) const
{
    // The token before decides whether a space comes first, the bytes of some before whether a character is
    // complete; what is further away decides nothing.
    const std::size_t context = std::min<std::size_t>(from, m_tokenizer.bytes ? kMaxUtf8Length : 1);
    const auto begin = tokens.begin() + static_cast<std::ptrdiff_t>(from - context);
    const std::string before = decode({begin, begin + static_cast<std::ptrdiff_t>(context)});
    const std::string all = decode({begin, tokens.end()});
    return sanitizeText(withoutTornBytes(all).substr(withoutTornBytes(before).size()), Lines::Many);
}

} // namespace trainyard
