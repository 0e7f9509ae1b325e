#include "datasets/tokenizer_json/pre_tokenizer_reader.h"

#include "datasets/tokenizer_json/normalizer_reader.h"
#include "datasets/tokenizer_json/split_patterns.h"
#include "engine/base/utf8.h"

namespace trainyard {

namespace {

using Steps = std::vector<std::unique_ptr<SplitStep>>;

constexpr std::string_view kKnownPreTokenizers =
    "known are ByteLevel, Split, Digits, Metaspace, Punctuation, Whitespace, "
    "WhitespaceSplit, BertPreTokenizer and Sequence";

CodePointSet set(std::string_view property)
{
    return codePointsWith(property).value();
}

Pattern patternOf(CodePointSet set)
{
    return Pattern::compile(PatternNode::ofSet(std::move(set))).value();
}

/// \w+|[^\w\s]+ with Rust's \w.
Pattern wordsOrSigns()
{
    const CodePointSet word = set("RustWord");
    PatternNode either{.kind = PatternNode::Kind::Alternatives};
    for (const CodePointSet& part : {word, ~(word | set("Space"))})
        either.parts.push_back(PatternNode::repeated(PatternNode::ofSet(part), 1, PatternNode::kUnlimited));
    return Pattern::compile(either).value();
}

/// Gathers the steps of nested sequences.
class Reader {
public:
    Status read(const JsonField& field)
    {
        m_endsInBytes = false;
        TRAINYARD_TRY(const std::string type, field.member("type").text());
        const auto known = {std::pair{"Sequence", &Reader::sequence},
                            std::pair{"ByteLevel", &Reader::byteLevel},
                            std::pair{"Split", &Reader::splitAtPattern},
                            std::pair{"Digits", &Reader::digits},
                            std::pair{"Metaspace", &Reader::metaspace},
                            std::pair{"Punctuation", &Reader::punctuation},
                            std::pair{"Whitespace", &Reader::whitespace},
                            std::pair{"WhitespaceSplit", &Reader::whitespaceSplit},
                            std::pair{"BertPreTokenizer", &Reader::bert}};
        for (const auto& [name, reader] : known) {
            if (type == name)
                return (this->*reader)(field);
        }
        return field.member("type").unsupported(std::string(kKnownPreTokenizers));
    }

    ReadPreTokenizer finish() &&
    {
        ReadPreTokenizer out;
        out.endsInBytes = m_endsInBytes;
        out.firstPieceAskedBy = std::move(m_firstPieceAskedBy);
        if (m_endsInBytes)
            m_steps.pop_back();
        for (auto& step : m_steps)
            out.steps.add(std::move(step));
        return out;
    }

private:
    Status sequence(const JsonField& field)
    {
        TRAINYARD_TRY_STATUS(field.hasOnly({"type", "pretokenizers"}));
        TRAINYARD_TRY(const std::vector<JsonField> parts, field.member("pretokenizers").elements());
        for (const JsonField& part : parts)
            TRAINYARD_TRY_STATUS(read(part));
        return {};
    }

    Status byteLevel(const JsonField& field)
    {
        TRAINYARD_TRY_STATUS(field.hasOnly({"type", "add_prefix_space", "trim_offsets", "use_regex"}));
        TRAINYARD_TRY(const bool prefixes, field.member("add_prefix_space").flag());
        TRAINYARD_TRY(const bool splits, field.member("use_regex").flag(true));
        if (prefixes)
            m_steps.push_back(splitAfterPrefix(" "));
        if (splits)
            m_steps.push_back(
                splitAtMatches(Pattern::parse(kGpt2Expression).value(), SplitBehavior::Isolated));
        m_steps.push_back(spellBytes());
        m_endsInBytes = !m_spellsBytes;
        m_spellsBytes = true;
        return {};
    }

    Status splitAtPattern(const JsonField& field)
    {
        TRAINYARD_TRY_STATUS(field.hasOnly({"type", "pattern", "behavior", "invert"}));
        TRAINYARD_TRY(Pattern pattern, readPattern(field.member("pattern")));
        TRAINYARD_TRY(const SplitBehavior behavior, readBehavior(field.member("behavior")));
        TRAINYARD_TRY(const bool invert, field.member("invert").flag());
        m_steps.push_back(splitAtMatches(std::move(pattern), behavior, invert));
        return {};
    }

    static Result<SplitBehavior> readBehavior(const JsonField& field)
    {
        TRAINYARD_TRY(const std::string name, field.text());
        for (const auto& [known, behavior] :
             {std::pair{"Removed", SplitBehavior::Removed}, std::pair{"Isolated", SplitBehavior::Isolated},
              std::pair{"MergedWithPrevious", SplitBehavior::MergedWithPrevious},
              std::pair{"MergedWithNext", SplitBehavior::MergedWithNext},
              std::pair{"Contiguous", SplitBehavior::Contiguous}}) {
            if (name == known)
                return behavior;
        }
        return field.unsupported();
    }

    Status digits(const JsonField& field)
    {
        TRAINYARD_TRY_STATUS(field.hasOnly({"type", "individual_digits"}));
        TRAINYARD_TRY(const bool individual, field.member("individual_digits").flag());
        m_steps.push_back(splitAtMatches(patternOf(set("RustNumeric")),
                                         individual ? SplitBehavior::Isolated : SplitBehavior::Contiguous));
        return {};
    }

    Status punctuation(const JsonField& field)
    {
        TRAINYARD_TRY_STATUS(field.hasOnly({"type", "behavior"}));
        const JsonField given = field.member("behavior");
        SplitBehavior behavior = SplitBehavior::Isolated;
        if (!given.isNull()) {
            TRAINYARD_TRY(behavior, readBehavior(given));
        }
        m_steps.push_back(splitAtMatches(patternOf(set("RustPunctuation")), behavior));
        return {};
    }

    Status whitespace(const JsonField& field)
    {
        TRAINYARD_TRY_STATUS(field.hasOnly({"type"}));
        m_steps.push_back(splitAtMatches(wordsOrSigns(), SplitBehavior::Removed, true));
        return {};
    }

    Status whitespaceSplit(const JsonField& field)
    {
        TRAINYARD_TRY_STATUS(field.hasOnly({"type"}));
        m_steps.push_back(splitAtMatches(patternOf(set("Space")), SplitBehavior::Removed));
        return {};
    }

    Status bert(const JsonField& field)
    {
        TRAINYARD_TRY_STATUS(whitespaceSplit(field));
        m_steps.push_back(splitAtMatches(patternOf(set("RustPunctuation")), SplitBehavior::Isolated));
        return {};
    }

    Status metaspace(const JsonField& field)
    {
        TRAINYARD_TRY_STATUS(
            field.hasOnly({"type", "replacement", "str_rep", "add_prefix_space", "prepend_scheme", "split"}));
        TRAINYARD_TRY(const std::string sign, field.member("replacement").text());
        if (sign.empty() || decodeUtf8(sign, 0).bytes != sign.size())
            return field.member("replacement").isNo("single character");
        m_steps.push_back(replaceInPieces(' ', sign));
        TRAINYARD_TRY_STATUS(addPrefix(field, sign));
        TRAINYARD_TRY(const bool splits, field.member("split").flag(true));
        if (splits)
            m_steps.push_back(splitAtMatches(Pattern::compile(PatternNode::ofText(sign)).value(),
                                             SplitBehavior::MergedWithNext));
        return {};
    }

    /// "add_prefix_space" is of older files.
    Status addPrefix(const JsonField& field, const std::string& sign)
    {
        const JsonField given = field.member("prepend_scheme");
        std::string scheme = "always";
        if (!given.isNull()) {
            TRAINYARD_TRY(scheme, given.text());
        }
        TRAINYARD_TRY(const bool prefixes, field.member("add_prefix_space").flag(true));
        if (!prefixes && scheme != "never")
            return field.member("add_prefix_space")
                .unsupported("it contradicts prepend_scheme, whose default is always");
        if (scheme == "never")
            return {};
        if (scheme != "always" && scheme != "first")
            return given.unsupported("known are always, first and never");
        if (scheme == "first")
            m_firstPieceAskedBy = given.place();
        m_steps.push_back(splitAfterPrefix(sign, scheme == "first"));
        return {};
    }

    Steps m_steps;
    bool m_spellsBytes = false;
    bool m_endsInBytes = false;
    std::string m_firstPieceAskedBy;
};

} // namespace

Result<ReadPreTokenizer> readPreTokenizer(const JsonField& field)
{
    Reader reader;
    if (!field.isNull())
        TRAINYARD_TRY_STATUS(reader.read(field));
    return std::move(reader).finish();
}

} // namespace trainyard
