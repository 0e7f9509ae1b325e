#include "datasets/tokenizer_json/row_tokenizer.h"

#include <algorithm>

#include <fmt/format.h>

#include "datasets/tokenizer/word_piece_spelling.h"
#include "datasets/tokenizer/wordpiece_tokenizer.h"
#include "datasets/tokenizer_json/post_processor.h"
#include "datasets/tokenizer_json/pre_tokenizer_reader.h"
#include "datasets/tokenizer_json/special_roles.h"
#include "datasets/tokenizer_json/tokenizer_document.h"
#include "engine/base/file.h"
#include "engine/base/json_problem.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

constexpr std::int32_t kMaxTokens = 10'000'000; ///< a larger id is damage and must not take memory

/// The model's tokens and the added ones.
Result<TokenIds> allTokens(const JsonField& root)
{
    TRAINYARD_TRY(TokenIds tokens, readVocabulary(root.member("model").member("vocab")));
    TRAINYARD_TRY(const auto added, readAddedTokens(root.member("added_tokens"), tokens));
    for (const AddedToken& token : added)
        tokens.emplace(token.content, token.id);
    if (tokens.empty())
        return root.member("model").member("vocab").unsupported("there are no tokens");
    const auto largest = std::ranges::max_element(tokens, {}, &TokenIds::value_type::second);
    if (largest->second >= kMaxTokens)
        return badInput(fmt::format("the token \"{}\" has the id {}", largest->first, largest->second),
                        "the file is damaged; get it again");
    return tokens;
}

std::vector<std::string> namesById(const TokenIds& tokens)
{
    std::vector<std::string> names;
    for (const auto& [name, id] : tokens) {
        names.resize(std::max(names.size(), static_cast<std::size_t>(id) + 1));
        names[static_cast<std::size_t>(id)] = name;
    }
    return names;
}

std::int32_t unknownToken(const JsonField& model, const TokenIds& tokens, std::int32_t documentEnd)
{
    const nlohmann::json& name = model.member("unk_token").value();
    const auto found = name.is_string() ? tokens.find(name.get<std::string>()) : tokens.end();
    return found == tokens.end() || found->second == documentEnd ? SpecialTokens::kNone : found->second;
}

Result<std::map<std::string, std::string>> filesBeside(const fs::path& file)
{
    std::map<std::string, std::string> files;
    for (const char* const name : RowTokenizer::kSmallFiles) {
        const fs::path path = file.parent_path() / name;
        std::error_code ignored;
        if (!fs::exists(path, ignored))
            continue;
        TRAINYARD_TRY(files[name], readFile(path));
    }
    return files;
}

Result<nlohmann::json> parseSmallFile(const fs::path& path, const std::string& text)
{
    try {
        nlohmann::json json = nlohmann::json::parse(text);
        if (json.is_object())
            return json;
        return badInput(path.string() + ": not a JSON object", "get the file again, or remove it");
    } catch (const nlohmann::json::exception& error) {
        return badInput(fmt::format("{}: {}", path.string(), jsonProblem(error, text)),
                        "get the file again, or remove it");
    }
}

/// Whether capital letters get tokens of their own.
bool keepsCase(const Tokenizer& tokenizer)
{
    const auto encoder = tokenizer.encoder();
    std::vector<std::int32_t> capital, small;
    encoder->encode("A B C", capital);
    encoder->encode("a b c", small);
    return capital != small;
}

/// Makes a tokenizer of what the files say.
class RowTokenizerReader {
public:
    RowTokenizerReader(const nlohmann::json& document, std::vector<nlohmann::json> configurations)
        : m_document(document), m_root(m_document, ""), m_configurations(std::move(configurations))
    {
    }

    Result<RowTokenizer> read(std::string text) const
    {
        TRAINYARD_TRY(auto tokenizer, tokenizerOf(m_document, SpecialInText::Text));
        TRAINYARD_TRY(const TokenIds tokens, allTokens(m_root));
        const std::vector<std::string> names = namesById(tokens);
        std::shared_ptr<const ByteSpelling> bytes;
        TRAINYARD_TRY(const auto spelling, spellingOf(names, bytes));
        const bool isCased = keepsCase(*tokenizer);
        const SpecialTokens found = special(tokens);
        return RowTokenizer{Vocabulary::ofTokens(names, found, std::move(text), spelling),
                            std::move(tokenizer),
                            RowTokenizer::kTokenizerFile,
                            {},
                            isCased,
                            frame(tokens, found),
                            bytes};
    }

private:
    SpecialTokens special(const TokenIds& tokens) const
    {
        std::vector<const nlohmann::json*> configurations;
        for (const nlohmann::json& configuration : m_configurations)
            configurations.push_back(&configuration);
        SpecialTokens special =
            findSpecialTokens({tokens, m_root.member("post_processor").value(), configurations});
        special.unknown = unknownToken(m_root.member("model"), tokens, special.documentEnd);
        return special;
    }

    /// A ByteLevel adds nothing, and may stand alone.
    std::optional<RowFrame> frame(const TokenIds& tokens, const SpecialTokens& found) const
    {
        const JsonField processor = m_root.member("post_processor");
        const bool adds = !processor.isNull() && processor.member("type").value() != "ByteLevel";
        if (auto frame = frameOf(processor.value(), tokens); frame || adds)
            return frame;
        const bool hasEnds =
            found.classify != SpecialTokens::kNone && found.separator != SpecialTokens::kNone;
        return hasEnds ? std::optional(bertFrame(found)) : std::nullopt;
    }

    Result<std::shared_ptr<const TokenSpelling>> spellingOf(const std::vector<std::string>& names,
                                                            std::shared_ptr<const ByteSpelling>& bytes) const
    {
        using Spelling = std::shared_ptr<const TokenSpelling>;
        const JsonField model = m_root.member("model");
        TRAINYARD_TRY(const ModelKind kind, modelKindOf(model));
        if (kind == ModelKind::WordPiece) {
            TRAINYARD_TRY(const WordPieceSettings settings, readWordPieceModel(model));
            return Spelling(std::make_shared<WordPieceSpelling>(names, settings.prefix));
        }
        TRAINYARD_TRY(ReadPreTokenizer words, readPreTokenizer(m_root.member("pre_tokenizer")));
        if (!words.endsInBytes)
            return Spelling(std::make_shared<MetaspaceSpelling>(names));
        bytes = std::make_shared<ByteSpelling>(names, std::move(words.steps));
        return Spelling(bytes);
    }

    const nlohmann::json& m_document;
    JsonField m_root;
    std::vector<nlohmann::json> m_configurations;
};

Result<std::vector<nlohmann::json>> parseSmallFiles(const fs::path& folder,
                                                    const std::map<std::string, std::string>& files)
{
    std::vector<nlohmann::json> parsed;
    for (const auto& [name, content] : files) {
        TRAINYARD_TRY(nlohmann::json json, parseSmallFile(folder / name, content));
        parsed.push_back(std::move(json));
    }
    return parsed;
}

Result<RowTokenizer> parseRowTokenizer(std::string text, std::vector<nlohmann::json> configurations)
{
    TRAINYARD_TRY(const nlohmann::json document, parseTokenizerDocument(text));
    return RowTokenizerReader(document, std::move(configurations)).read(std::move(text));
}

} // namespace

RowTokenizer rowTokenizerOf(Vocabulary vocabulary, const UnicodeTables& tables, bool cased)
{
    auto tokenizer = std::make_unique<WordPieceTokenizer>(vocabulary, tables, cased);
    RowTokenizer made{std::move(vocabulary), std::move(tokenizer)};
    made.isCased = cased;
    made.frame = bertFrame(made.vocabulary.special());
    return made;
}

Result<RowTokenizer> loadRowTokenizer(const fs::path& file, const UnicodeTables& tables,
                                      std::optional<bool> cased)
{
    if (file.extension() == ".json")
        return loadRowTokenizer(file);
    TRAINYARD_TRY(Vocabulary vocabulary, Vocabulary::load(file));
    const bool isCased = cased.value_or(vocabulary.looksCased());
    return rowTokenizerOf(std::move(vocabulary), tables, isCased);
}

Result<RowTokenizer> loadRowTokenizer(const fs::path& file)
{
    TRAINYARD_TRY(std::string text, readFile(file));
    std::map<std::string, std::string> beside;
    if (file.filename() == RowTokenizer::kTokenizerFile) {
        TRAINYARD_TRY(beside, filesBeside(file));
    }
    TRAINYARD_TRY(std::vector<nlohmann::json> configurations, parseSmallFiles(file.parent_path(), beside));
    auto made = parseRowTokenizer(std::move(text), std::move(configurations));
    if (!made.ok())
        return made.error().in(file.string());
    made->smallFiles = std::move(beside);
    return made;
}

} // namespace trainyard
