#include "datasets/tokenizer_json/model_reader.h"

#include <limits>

#include <fmt/format.h>

namespace trainyard {

namespace {

/// Null and "" mean that there is none.
Result<std::string> optionalText(const JsonField& field)
{
    if (field.isNull())
        return std::string();
    return field.text();
}

/// Either ["a", "b"] or, as older files have it, "a b".
Result<std::pair<std::string, std::string>> readMerge(const JsonField& field)
{
    const nlohmann::json& value = field.value();
    if (value.is_array() && value.size() == 2 && value[0].is_string() && value[1].is_string())
        return std::pair(value[0].get<std::string>(), value[1].get<std::string>());
    if (value.is_string()) {
        const auto& both = value.get_ref<const std::string&>();
        const auto blank = both.find(' ');
        if (blank != both.npos && both.find(' ', blank + 1) == both.npos)
            return std::pair(both.substr(0, blank), both.substr(blank + 1));
    }
    return field.isNo("pair of tokens");
}

Status readMerges(const JsonField& field, BytePairSettings& settings)
{
    if (field.isNull())
        return field.isNo("list");
    TRAINYARD_TRY(const std::vector<JsonField> merges, field.elements());
    settings.merges.reserve(merges.size());
    for (const JsonField& merge : merges) {
        if (merge.value().is_string() && merge.value().get_ref<const std::string&>().starts_with("#version"))
            continue;
        TRAINYARD_TRY(auto pair, readMerge(merge));
        settings.merges.push_back(std::move(pair));
    }
    return {};
}

} // namespace

Result<TokenIds> readVocabulary(const JsonField& field)
{
    if (!field.value().is_object())
        return field.isNo("table of tokens and their ids");
    TokenIds ids;
    ids.reserve(field.value().size());
    for (const auto& [token, id] : field.value().items()) {
        if (!id.is_number_unsigned() || id.get<std::uint64_t>() > std::numeric_limits<std::int32_t>::max())
            return JsonField(id, fmt::format("{}[\"{}\"]", field.place(), token)).isNo("valid id");
        ids.emplace(token, id.get<std::int32_t>());
    }
    return ids;
}

Result<BytePairSettings> readBytePairModel(const JsonField& field)
{
    TRAINYARD_TRY_STATUS(
        field.hasOnly({"type", "dropout", "unk_token", "continuing_subword_prefix", "end_of_word_suffix",
                       "fuse_unk", "byte_fallback", "ignore_merges", "vocab", "merges"}));
    const JsonField dropout = field.member("dropout");
    if (!dropout.isNull() && dropout.value() != 0)
        return dropout.unsupported("with it the ids are drawn by chance; set it to null");
    BytePairSettings settings;
    if (const JsonField unknown = field.member("unk_token"); !unknown.isNull()) {
        TRAINYARD_TRY(settings.unknown, unknown.text());
    }
    TRAINYARD_TRY(settings.continuingPrefix, optionalText(field.member("continuing_subword_prefix")));
    TRAINYARD_TRY(settings.endSuffix, optionalText(field.member("end_of_word_suffix")));
    TRAINYARD_TRY(settings.fusesUnknown, field.member("fuse_unk").flag(false));
    TRAINYARD_TRY(settings.fallsBackToBytes, field.member("byte_fallback").flag(false));
    TRAINYARD_TRY(settings.ignoresMerges, field.member("ignore_merges").flag(false));
    TRAINYARD_TRY(settings.vocabulary, readVocabulary(field.member("vocab")));
    TRAINYARD_TRY_STATUS(readMerges(field.member("merges"), settings));
    return settings;
}

Result<WordPieceSettings> readWordPieceModel(const JsonField& field)
{
    TRAINYARD_TRY_STATUS(field.hasOnly(
        {"type", "unk_token", "continuing_subword_prefix", "max_input_chars_per_word", "vocab"}));
    WordPieceSettings settings;
    TRAINYARD_TRY(settings.unknown, field.member("unk_token").text());
    TRAINYARD_TRY(settings.prefix, field.member("continuing_subword_prefix").text());
    TRAINYARD_TRY(const std::int64_t longest, field.member("max_input_chars_per_word").number());
    if (longest < 0)
        return field.member("max_input_chars_per_word").isNo("valid length");
    settings.longest = static_cast<std::size_t>(longest);
    TRAINYARD_TRY(settings.vocabulary, readVocabulary(field.member("vocab")));
    if (!settings.vocabulary.contains(settings.unknown))
        return field.member("unk_token").unsupported("it must be in model.vocab");
    return settings;
}

} // namespace trainyard
