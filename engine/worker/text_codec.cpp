#include "engine/worker/text_codec.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "datasets/shards/manifest.h"
#include "datasets/tokenizer/unicode_tables.h"
#include "engine/base/file.h"
#include "engine/base/json_problem.h"
#include "engine/base/untrusted_text.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kMask = "[MASK]";
constexpr auto kNameOne = "name the model's vocab.txt (--vocab; in the window Vocabulary)";

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
    const fs::path vocabulary = folder / "vocab.txt";
    if (!fs::exists(vocabulary, ignored))
        return badInput(folder.string() + " has no vocab.txt", kNameOne);
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

} // namespace

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
    TRAINYARD_TRY(Vocabulary vocabulary, Vocabulary::load(files.vocabulary));
    if (vocabulary.size() > static_cast<std::size_t>(model.vocabulary))
        return badInput(fmt::format("{} has {} entries, but the model has {}", files.vocabulary.string(),
                                    vocabulary.size(), model.vocabulary),
                        "it is another model's vocabulary: name the right one (--vocab; in the window Vocabulary)");
    WordPiece wordPiece(vocabulary, tablesOfProfile(files.profile),
                        files.cased.value_or(vocabulary.looksCased()));
    return TextCodec(std::move(vocabulary), std::move(wordPiece));
}

TokenIds TextCodec::encode(std::string_view text) const
{
    std::vector<std::int32_t> ids;
    m_wordPiece.encode(text, ids);
    return {ids.begin(), ids.end()};
}

std::vector<AlignedPiece> TextCodec::align(std::string_view text) const
{
    std::vector<AlignedPiece> pieces;
    m_wordPiece.encodeAligned(text, pieces);
    return pieces;
}

TokenIds TextCodec::encodeWithMasks(std::string_view text) const
{
    TokenIds tokens{m_vocabulary.special().classify};
    const auto append = [&](std::string_view part) {
        const TokenIds ids = encode(part);
        tokens.insert(tokens.end(), ids.begin(), ids.end());
    };
    for (std::size_t at; (at = text.find(kMask)) != std::string_view::npos;) {
        append(text.substr(0, at));
        tokens.push_back(mask());
        text.remove_prefix(at + kMask.size());
    }
    append(text);
    tokens.push_back(m_vocabulary.special().separator);
    return tokens;
}

// A model may have more entries than its vocabulary, to be divided evenly.
std::int32_t TextCodec::known(TokenId token) const
{
    const bool isKnown = token >= 0 && token < std::ssize(m_vocabulary.pieces());
    return isKnown ? static_cast<std::int32_t>(token) : m_vocabulary.special().unknown;
}

std::string TextCodec::decode(const TokenIds& tokens) const
{
    std::vector<std::int32_t> ids;
    for (const TokenId token : tokens)
        ids.push_back(known(token));
    return m_vocabulary.decode(ids);
}

std::string TextCodec::piece(TokenId token) const
{
    return sanitizeText(m_vocabulary.piece(known(token)));
}

std::string TextCodec::textFrom(const TokenIds& tokens, std::size_t from) const
{
    // The token before decides whether a space comes first; what is further away decides nothing.
    const std::size_t context = std::min<std::size_t>(from, 1);
    const auto begin = tokens.begin() + static_cast<std::ptrdiff_t>(from - context);
    const TokenIds before(begin, begin + static_cast<std::ptrdiff_t>(context));
    return sanitizeText(decode({begin, tokens.end()}).substr(decode(before).size()), Lines::Many);
}

} // namespace trainyard
