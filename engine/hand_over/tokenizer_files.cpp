#include "engine/hand_over/tokenizer_files.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "datasets/tokenizer/text_normalizer.h"
#include "datasets/tokenizer/vocabulary.h"
#include "datasets/tokenizer_json/row_tokenizer.h"

namespace trainyard {

namespace {

using Json = nlohmann::json;

/// By the part that it has, in Hugging Face's names: "cls_token".
struct SpecialToken {
    const char* part;
    std::int32_t id;
};

bool isDecoder(const ModelSpec& model)
{
    return model.isDecoder();
}

/// In order of their ids, as tokenizers lists them.
std::vector<SpecialToken> specialTokens(const Vocabulary& vocabulary, const ModelSpec& model)
{
    const SpecialTokens& special = vocabulary.special();
    std::vector<SpecialToken> tokens{{"pad_token", special.pad}, {"unk_token", special.unknown}};
    if (isDecoder(model))
        tokens.push_back({"eos_token", special.documentEnd});
    else
        tokens.insert(tokens.end(), {{"cls_token", special.classify},
                                     {"sep_token", special.separator},
                                     {"mask_token", special.mask}});
    std::erase_if(tokens, [](const SpecialToken& token) { return token.id == SpecialTokens::kNone; });
    std::ranges::sort(tokens, {}, &SpecialToken::id);
    return tokens;
}

Json addedToken(const std::string& piece)
{
    return {{"content", piece}, {"single_word", false}, {"lstrip", false},
            {"rstrip", false},  {"normalized", false},  {"special", true}};
}

Json addedTokens(const Vocabulary& vocabulary, const ModelSpec& model)
{
    Json list = Json::array();
    for (const SpecialToken& token : specialTokens(vocabulary, model)) {
        Json entry = addedToken(vocabulary.piece(token.id));
        entry["id"] = token.id;
        list.push_back(std::move(entry));
    }
    return list;
}

Json inTemplate(const char* kind, const std::string& id, int type)
{
    return {{kind, {{"id", id}, {"type_id", type}}}};
}

/// [CLS] A [SEP], and [CLS] A [SEP] B [SEP] with the second sentence's token type.
Json postProcessor(const Vocabulary& vocabulary)
{
    const SpecialTokens& special = vocabulary.special();
    const std::string& classify = vocabulary.piece(special.classify);
    const std::string& separator = vocabulary.piece(special.separator);
    const Json single = Json::array({inTemplate("SpecialToken", classify, 0), inTemplate("Sequence", "A", 0),
                                     inTemplate("SpecialToken", separator, 0)});
    Json pair = single;
    pair.push_back(inTemplate("Sequence", "B", 1));
    pair.push_back(inTemplate("SpecialToken", separator, 1));
    const auto entry = [](const std::string& piece, std::int32_t id) {
        return Json{{"id", piece}, {"ids", Json::array({id})}, {"tokens", Json::array({piece})}};
    };
    return {
        {"type", "TemplateProcessing"},
        {"single", single},
        {"pair", pair},
        {"special_tokens",
         {{classify, entry(classify, special.classify)}, {separator, entry(separator, special.separator)}}}};
}

Json wordPiece(const Vocabulary& vocabulary)
{
    Json ids = Json::object();
    for (std::size_t id = 0; id < vocabulary.size(); ++id)
        ids[vocabulary.pieces()[id]] = id;
    return {{"type", "WordPiece"},
            {"unk_token", vocabulary.piece(vocabulary.special().unknown)},
            {"continuing_subword_prefix", "##"},
            {"max_input_chars_per_word", TextNormalizer::kMaxWordLength},
            {"vocab", std::move(ids)}};
}

/// The format of the library tokenizers; its accents follow its case, as ours do.
Json tokenizer(const Vocabulary& vocabulary, bool cased, const ModelSpec& model)
{
    return {{"version", "1.0"},
            {"truncation", nullptr},
            {"padding", nullptr},
            {"added_tokens", addedTokens(vocabulary, model)},
            {"normalizer",
             {{"type", "BertNormalizer"},
              {"clean_text", true},
              {"handle_chinese_chars", true},
              {"strip_accents", nullptr},
              {"lowercase", !cased}}},
            {"pre_tokenizer", {{"type", "BertPreTokenizer"}}},
            {"post_processor", isDecoder(model) ? Json() : postProcessor(vocabulary)},
            {"decoder", {{"type", "WordPiece"}, {"prefix", "##"}, {"cleanup", true}}},
            {"model", wordPiece(vocabulary)}};
}

Json specialTokensMap(const Vocabulary& vocabulary, const ModelSpec& model)
{
    Json map = Json::object();
    for (const SpecialToken& token : specialTokens(vocabulary, model))
        map[token.part] = vocabulary.piece(token.id);
    return map;
}

/// Of a tokenizer.json, which says the rest itself.
Json shortConfiguration(const Vocabulary& vocabulary, const ModelSpec& model)
{
    Json config = specialTokensMap(vocabulary, model);
    config["model_max_length"] = model.maxPositions;
    config["clean_up_tokenization_spaces"] = false;
    config["model_input_names"] = {"input_ids", "attention_mask"};
    config["tokenizer_class"] = "PreTrainedTokenizerFast";
    return config;
}

Json configuration(const Vocabulary& vocabulary, bool cased, const ModelSpec& model)
{
    Json config = specialTokensMap(vocabulary, model);
    config["model_max_length"] = model.maxPositions;
    config["clean_up_tokenization_spaces"] = true;
    for (const SpecialToken& token : specialTokens(vocabulary, model))
        config["added_tokens_decoder"][std::to_string(token.id)] = addedToken(vocabulary.piece(token.id));
    if (model.family != ModelFamily::Bert) {
        // GPT-2 adds word embeddings for the token types that a tokenizer gives by default, others know none.
        config["model_input_names"] = {"input_ids", "attention_mask"};
        config["tokenizer_class"] = "PreTrainedTokenizerFast";
        return config;
    }
    config["do_lower_case"] = !cased;
    config["strip_accents"] = nullptr;
    config["tokenize_chinese_chars"] = true;
    config["tokenizer_class"] = "BertTokenizer";
    return config;
}

} // namespace

std::map<std::string, std::string> tokenizerFiles(const RowTokenizer& tokenizer, const ModelSpec& model)
{
    if (!tokenizer.isTokenizerJson())
        return tokenizerFiles(tokenizer.vocabulary, tokenizer.isCased, model);
    std::map<std::string, std::string> files = tokenizer.smallFiles;
    files[tokenizer.fileName] = tokenizer.vocabulary.text();
    files.try_emplace("tokenizer_config.json",
                      shortConfiguration(tokenizer.vocabulary, model).dump(2) + "\n");
    files.try_emplace("special_tokens_map.json",
                      specialTokensMap(tokenizer.vocabulary, model).dump(2) + "\n");
    return files;
}

std::map<std::string, std::string> tokenizerFiles(const Vocabulary& vocabulary, bool cased,
                                                  const ModelSpec& model)
{
    return {{"vocab.txt", vocabulary.text()},
            {"tokenizer.json", tokenizer(vocabulary, cased, model).dump(2) + "\n"},
            {"tokenizer_config.json", configuration(vocabulary, cased, model).dump(2) + "\n"},
            {"special_tokens_map.json", specialTokensMap(vocabulary, model).dump(2) + "\n"}};
}

} // namespace trainyard
