#include "datasets/tokenizer_json/normalizer_reader.h"

#include "datasets/tokenizer/unicode_tables.h"
#include "datasets/tokenizer_json/byte_alphabet.h"
#include "datasets/tokenizer_json/normal_forms.h"
#include "engine/base/utf8.h"

namespace trainyard {

namespace {

constexpr std::string_view kKnownNormalizers =
    "known are NFC, NFD, NFKC, NFKD, Lowercase, Strip, StripAccents, Nmt, Replace, "
    "Prepend, ByteLevel, BertNormalizer and Sequence";

Normalizer::Step toForm(NormalForm form)
{
    return [form](std::string_view text) { return normalized(form, text); };
}

/// What sentencepiece's NMT rules remove and turn into spaces.
std::string nmtNormalized(std::string_view text)
{
    static const CodePointSet kRemoved(
        {{1, 8}, {0xB, 0xB}, {0xE, 0x1F}, {0x7F, 0x7F}, {0x8F, 0x8F}, {0x9F, 0x9F}});
    static const Pattern kSpaces = Pattern::compile(PatternNode::ofSet(CodePointSet({{0x9, 0xA},
                                                                                     {0xC, 0xD},
                                                                                     {0x1680, 0x1680},
                                                                                     {0x200B, 0x200F},
                                                                                     {0x2028, 0x2029},
                                                                                     {0x2581, 0x2581},
                                                                                     {0xFEFF, 0xFEFF},
                                                                                     {0xFFFD, 0xFFFD}})))
                                       .value();
    return replaced(kSpaces, " ", without(kRemoved, text));
}

/// The steps of the types that have no settings.
Normalizer::Step plainStep(std::string_view type)
{
    if (type == "NFC")
        return toForm(NormalForm::Nfc);
    if (type == "NFD")
        return toForm(NormalForm::Nfd);
    if (type == "NFKC")
        return toForm(NormalForm::Nfkc);
    if (type == "NFKD")
        return toForm(NormalForm::Nfkd);
    if (type == "Lowercase")
        return lowerCased;
    if (type == "StripAccents")
        return [marks = codePointsWith("CombiningMark").value()](std::string_view text) {
            return without(marks, text);
        };
    if (type == "Nmt")
        return nmtNormalized;
    if (type == "ByteLevel")
        return spelledBytes;
    return {};
}

Result<Normalizer::Step> stripStep(const JsonField& field)
{
    TRAINYARD_TRY_STATUS(field.hasOnly({"type", "strip_left", "strip_right"}));
    TRAINYARD_TRY(const bool left, field.member("strip_left").flag());
    TRAINYARD_TRY(const bool right, field.member("strip_right").flag());
    return Normalizer::Step([left, right](std::string_view text) { return stripped(left, right, text); });
}

Result<Normalizer::Step> replaceStep(const JsonField& field)
{
    TRAINYARD_TRY_STATUS(field.hasOnly({"type", "pattern", "content"}));
    TRAINYARD_TRY(Pattern pattern, readPattern(field.member("pattern")));
    TRAINYARD_TRY(std::string content, field.member("content").text());
    return Normalizer::Step([pattern = std::move(pattern), content = std::move(content)](
                                std::string_view text) { return replaced(pattern, content, text); });
}

Result<Normalizer::Step> prependStep(const JsonField& field)
{
    TRAINYARD_TRY_STATUS(field.hasOnly({"type", "prepend"}));
    TRAINYARD_TRY(std::string prefix, field.member("prepend").text());
    return Normalizer::Step([prefix = std::move(prefix)](std::string_view text) {
        return text.empty() ? std::string() : prefix + std::string(text);
    });
}

/// Each ideograph between spaces.
std::string withLoneIdeographs(const CodePointSet& ideographs, std::string_view text)
{
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const Utf8Char c = decodeUtf8(text, at);
        const bool isAlone = ideographs.contains(c.code);
        out.append(isAlone ? " " : "").append(text.substr(at, c.bytes)).append(isAlone ? " " : "");
        at += c.bytes;
    }
    return out;
}

Status addBertSteps(const JsonField& field, Normalizer& normalizer)
{
    TRAINYARD_TRY_STATUS(
        field.hasOnly({"type", "clean_text", "handle_chinese_chars", "strip_accents", "lowercase"}));
    TRAINYARD_TRY(const bool cleans, field.member("clean_text").flag());
    TRAINYARD_TRY(const bool separates, field.member("handle_chinese_chars").flag());
    TRAINYARD_TRY(const bool lowers, field.member("lowercase").flag());
    TRAINYARD_TRY(const bool strips, field.member("strip_accents").flag(lowers));
    if (cleans) {
        const auto removed = CodePointSet::parse(huggingFaceTables().removed);
        const auto blank = PatternNode::ofSet(CodePointSet::parse(huggingFaceTables().toSpace));
        normalizer.add([removed, blanks = Pattern::compile(blank).value()](std::string_view text) {
            return replaced(blanks, " ", without(removed, text));
        });
    }
    if (separates) {
        normalizer.add([ideographs = CodePointSet::parse(huggingFaceTables().ideographs)](
                           std::string_view text) { return withLoneIdeographs(ideographs, text); });
    }
    if (strips) {
        normalizer.add([marks = codePointsWith("BertMark").value()](std::string_view text) {
            return without(marks, normalized(NormalForm::Nfd, text));
        });
    }
    if (lowers)
        normalizer.add(lowerCased);
    return {};
}

Status addSteps(const JsonField& field, Normalizer& normalizer)
{
    TRAINYARD_TRY(const std::string type, field.member("type").text());
    if (type == "Sequence") {
        TRAINYARD_TRY_STATUS(field.hasOnly({"type", "normalizers"}));
        TRAINYARD_TRY(const std::vector<JsonField> parts, field.member("normalizers").elements());
        for (const JsonField& part : parts)
            TRAINYARD_TRY_STATUS(addSteps(part, normalizer));
        return {};
    }
    if (type == "BertNormalizer")
        return addBertSteps(field, normalizer);
    if (Normalizer::Step step = plainStep(type)) {
        TRAINYARD_TRY_STATUS(field.hasOnly({"type"}));
        normalizer.add(std::move(step));
        return {};
    }
    const auto read = type == "Strip"     ? stripStep
                      : type == "Replace" ? replaceStep
                      : type == "Prepend" ? prependStep
                                          : nullptr;
    if (!read)
        return field.member("type").unsupported(std::string(kKnownNormalizers));
    TRAINYARD_TRY(Normalizer::Step step, read(field));
    normalizer.add(std::move(step));
    return {};
}

} // namespace

Result<Normalizer> readNormalizer(const JsonField& field)
{
    Normalizer normalizer;
    if (!field.isNull())
        TRAINYARD_TRY_STATUS(addSteps(field, normalizer));
    return normalizer;
}

Result<Pattern> readPattern(const JsonField& field)
{
    TRAINYARD_TRY_STATUS(field.hasOnly({"String", "Regex"}));
    const JsonField literal = field.member("String"), expression = field.member("Regex");
    if (literal.isNull() == expression.isNull())
        return field.isNo("pattern");
    TRAINYARD_TRY(const std::string text, (literal.isNull() ? expression : literal).text());
    Result<Pattern> pattern =
        literal.isNull() ? Pattern::parse(text) : Pattern::compile(PatternNode::ofText(text));
    if (!pattern.ok())
        return pattern.error().in(field.place());
    return pattern;
}

} // namespace trainyard
