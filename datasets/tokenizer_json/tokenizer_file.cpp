#include "datasets/tokenizer_json/tokenizer_file.h"

#include <algorithm>

#include <fmt/format.h>

#include "datasets/tokenizer_json/model_reader.h"
#include "datasets/tokenizer_json/normalizer_reader.h"
#include "datasets/tokenizer_json/pipeline_tokenizer.h"
#include "datasets/tokenizer_json/pre_tokenizer_reader.h"
#include "datasets/tokenizer_json/tokenizer_document.h"
#include "datasets/tokenizer_json/word_piece_model.h"
#include "engine/base/file.h"
#include "engine/base/json_limits.h"
#include "engine/base/json_problem.h"

namespace trainyard {

namespace {

Result<AddedToken> readAddedToken(const JsonField& field)
{
    TRAINYARD_TRY_STATUS(
        field.hasOnly({"id", "content", "single_word", "lstrip", "rstrip", "normalized", "special"}));
    AddedToken token;
    TRAINYARD_TRY(const std::int64_t id, field.member("id").number());
    token.id = static_cast<std::int32_t>(id);
    if (token.id != id || id < 0)
        return field.member("id").isNo("valid id");
    TRAINYARD_TRY(token.content, field.member("content").text());
    if (token.content.empty())
        return field.member("content").unsupported("remove this token");
    TRAINYARD_TRY(token.singleWord, field.member("single_word").flag());
    TRAINYARD_TRY(token.leftStrip, field.member("lstrip").flag());
    TRAINYARD_TRY(token.rightStrip, field.member("rstrip").flag());
    TRAINYARD_TRY(token.normalized, field.member("normalized").flag());
    TRAINYARD_TRY(token.isSpecial, field.member("special").flag());
    return token;
}

Status addTokens(const JsonField& field, const TokenIds& vocabulary, SpecialInText special,
                 TokenizerPipeline& pipeline)
{
    TRAINYARD_TRY(std::vector<AddedToken> tokens, readAddedTokens(field, vocabulary));
    if (special == SpecialInText::Text)
        std::erase_if(tokens, &AddedToken::isSpecial);
    std::vector<AddedToken> raw, normalized;
    for (AddedToken& token : tokens) {
        if (!token.normalized) {
            raw.push_back(std::move(token));
            continue;
        }
        std::string buffer;
        token.content = pipeline.normalizer.apply(token.content, buffer);
        const bool repeats =
            std::ranges::find(normalized, token.content, &AddedToken::content) != normalized.end();
        if (token.content.empty() || repeats)
            return badInput(fmt::format("the normalizer leaves {} of the added token {}",
                                        repeats ? "the text of another one" : "nothing", token.id),
                            "set its \"normalized\" to false");
        normalized.push_back(std::move(token));
    }
    pipeline.rawTokens = AddedTokens(std::move(raw));
    pipeline.normalizedTokens = AddedTokens(std::move(normalized));
    return {};
}

Result<std::unique_ptr<Tokenizer>> bytePairTokenizer(const JsonField& root, SpecialInText special)
{
    TokenizerPipeline pipeline{AddedTokens({}), {}, AddedTokens({}), {}, nullptr};
    TRAINYARD_TRY(pipeline.normalizer, readNormalizer(root.member("normalizer")));
    TRAINYARD_TRY(ReadPreTokenizer preTokenizer, readPreTokenizer(root.member("pre_tokenizer")));
    if (!preTokenizer.firstPieceAskedBy.empty() && !pipeline.normalizer.isEmpty())
        return badInput(preTokenizer.firstPieceAskedBy +
                            " is \"first\", which is not supported with a normalizer",
                        "use a tokenizer whose normalizer is null");
    pipeline.preTokenizer = std::move(preTokenizer.steps);
    TRAINYARD_TRY(BytePairSettings settings, readBytePairModel(root.member("model")));
    settings.isByteLevel = preTokenizer.endsInBytes;
    TRAINYARD_TRY_STATUS(addTokens(root.member("added_tokens"), settings.vocabulary, special, pipeline));
    TRAINYARD_TRY(BytePairModel model, BytePairModel::create(settings));
    pipeline.model = std::make_unique<BytePairModel>(std::move(model));
    return std::unique_ptr<Tokenizer>(std::make_unique<PipelineTokenizer>(std::move(pipeline)));
}

/// Whether text meets nothing but BERT's own steps; in these it keeps its case, or loses it with its accents.
std::optional<bool> bertsCase(const JsonField& normalizer, const JsonField& preTokenizer)
{
    const auto isTrue = [&](const char* key) { return normalizer.member(key).value() == true; };
    const JsonField strips = normalizer.member("strip_accents");
    const bool isBert = normalizer.member("type").value() == "BertNormalizer" && isTrue("clean_text") &&
                        isTrue("handle_chinese_chars") &&
                        (strips.isNull() || strips.value() == normalizer.member("lowercase").value()) &&
                        preTokenizer.member("type").value() == "BertPreTokenizer";
    return isBert ? std::optional(!isTrue("lowercase")) : std::nullopt;
}

Result<std::unique_ptr<Tokenizer>> wordPieceTokenizer(const JsonField& root, SpecialInText special)
{
    TokenizerPipeline pipeline{AddedTokens({}), {}, AddedTokens({}), {}, nullptr};
    const JsonField normalizer = root.member("normalizer"), splitter = root.member("pre_tokenizer");
    TRAINYARD_TRY(pipeline.normalizer, readNormalizer(normalizer));
    TRAINYARD_TRY(ReadPreTokenizer preTokenizer, readPreTokenizer(splitter));
    if (preTokenizer.endsInBytes || !preTokenizer.firstPieceAskedBy.empty())
        return splitter.unsupported(
            "WordPiece works on words; use a tokenizer without ByteLevel and Metaspace");
    TRAINYARD_TRY(const WordPieceSettings settings, readWordPieceModel(root.member("model")));
    TRAINYARD_TRY_STATUS(addTokens(root.member("added_tokens"), settings.vocabulary, special, pipeline));
    const auto cased = bertsCase(normalizer, splitter);
    const auto vocabulary =
        cased && pipeline.normalizedTokens.isEmpty() ? bertVocabulary(settings) : std::nullopt;
    if (vocabulary) {
        pipeline.normalizer = {};
        pipeline.model = bertModel(*vocabulary, *cased);
    } else {
        pipeline.preTokenizer = std::move(preTokenizer.steps);
        pipeline.model = std::make_unique<WordPieceModel>(settings);
    }
    return std::unique_ptr<Tokenizer>(std::make_unique<PipelineTokenizer>(std::move(pipeline)));
}

/// Settings that change what encode() yields, whatever the model is.
Status checkFrame(const JsonField& root)
{
    TRAINYARD_TRY_STATUS(root.hasOnly({"version", "truncation", "padding", "added_tokens", "normalizer",
                                       "pre_tokenizer", "post_processor", "decoder", "model"}));
    if (root.member("version").value() != "1.0")
        return root.member("version").unsupported("known is \"1.0\"");
    for (const char* const key : {"truncation", "padding"}) {
        if (!root.member(key).isNull())
            return root.member(key).unsupported("rows are cut and filled elsewhere; set it to null");
    }
    return {};
}

} // namespace

/// Hugging Face gives a token the id that the model's vocabulary has for it, else the next one behind the
/// vocabulary; it does not use those of the file. They must agree.
Result<std::vector<AddedToken>> readAddedTokens(const JsonField& field, const TokenIds& vocabulary)
{
    TRAINYARD_TRY(const std::vector<JsonField> elements, field.elements());
    std::vector<AddedToken> tokens;
    std::size_t next = vocabulary.size();
    for (const JsonField& element : elements) {
        TRAINYARD_TRY(AddedToken token, readAddedToken(element));
        if (std::ranges::find(tokens, token.content, &AddedToken::content) != tokens.end())
            return element.member("content").unsupported("another added token has the same text");
        const auto known = vocabulary.find(token.content);
        const std::size_t id = known == vocabulary.end() ? next++ : static_cast<std::size_t>(known->second);
        if (static_cast<std::size_t>(token.id) != id)
            return element.member("id").unsupported(
                fmt::format("Hugging Face tokenizers would give it the id {}", id));
        tokens.push_back(std::move(token));
    }
    return tokens;
}

Result<nlohmann::json> parseTokenizerDocument(std::string_view json)
{
    constexpr JsonLimits kLimits{.depth = 64,
                                 .values = 20'000'000}; // a vocabulary of a million with its merges
    TRAINYARD_TRY_STATUS(checkJsonLimits(json, kLimits));
    nlohmann::json document;
    try {
        document = nlohmann::json::parse(json);
    } catch (const nlohmann::json::exception& error) {
        return badInput(jsonProblem(error, json), "get the file again");
    }
    if (!document.is_object())
        return badInput("not a JSON object", "use a tokenizer.json as Hugging Face tokenizers write it");
    TRAINYARD_TRY_STATUS(checkFrame(JsonField(document, "")));
    return document;
}

Result<ModelKind> modelKindOf(const JsonField& model)
{
    const JsonField type = model.member("type");
    const bool isOld = type.isNull(); // files of before 0.10 do not name the type
    if (type.value() == "BPE" || (isOld && !model.member("merges").isNull()))
        return ModelKind::BytePairs;
    if (type.value() == "WordPiece" || (isOld && !model.member("max_input_chars_per_word").isNull()))
        return ModelKind::WordPiece;
    return type.unsupported("known are BPE and WordPiece");
}

Result<std::unique_ptr<Tokenizer>> tokenizerOf(const nlohmann::json& document, SpecialInText special)
{
    const JsonField root(document, "");
    TRAINYARD_TRY(const ModelKind kind, modelKindOf(root.member("model")));
    return kind == ModelKind::BytePairs ? bytePairTokenizer(root, special)
                                        : wordPieceTokenizer(root, special);
}

Result<std::unique_ptr<Tokenizer>> parseTokenizer(std::string_view json)
{
    TRAINYARD_TRY(const nlohmann::json document, parseTokenizerDocument(json));
    return tokenizerOf(document, SpecialInText::Found);
}

Result<std::unique_ptr<Tokenizer>> loadTokenizer(const std::filesystem::path& file)
{
    TRAINYARD_TRY(const std::string json, readFile(file));
    Result<std::unique_ptr<Tokenizer>> tokenizer = parseTokenizer(json);
    if (!tokenizer.ok())
        return tokenizer.error().in(file.string());
    return tokenizer;
}

} // namespace trainyard
