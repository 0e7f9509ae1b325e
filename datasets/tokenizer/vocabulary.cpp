#include "datasets/tokenizer/vocabulary.h"

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "datasets/tokenizer/word_piece_spelling.h"
#include "engine/base/file.h"
#include "engine/base/hash.h"
#include "engine/base/utf8.h"

namespace trainyard {

namespace {

constexpr std::size_t kMaxPiece = 1000; // bytes

/// Of the Latin, Greek, Cyrillic or Armenian alphabet.
bool isCapital(char32_t c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 0xC0 && c <= 0xDE && c != 0xD7) || (c >= 0x391 && c <= 0x3A9) ||
           (c >= 0x400 && c <= 0x42F) || (c >= 0x531 && c <= 0x556);
}

bool hasCapital(std::string_view text)
{
    for (std::size_t at = 0; at < text.size();) {
        const Utf8Char c = decodeUtf8(text, at);
        if (isCapital(c.code))
            return true;
        at += c.bytes;
    }
    return false;
}

/// What editors add and no piece is: a byte order mark at the front, one empty line at the end.
std::string_view withoutAdditions(std::string_view text)
{
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (text.starts_with(kByteOrderMark))
        text.remove_prefix(kByteOrderMark.size());
    for (const std::string_view lineEnd : {"\r\n", "\n"}) {
        const std::string_view before = text.substr(0, text.size() - std::min(text.size(), lineEnd.size()));
        if (text.ends_with(lineEnd) && before.ends_with('\n'))
            return before;
    }
    return text;
}

Status checkNoRepetition(const std::vector<std::string>& pieces)
{
    std::unordered_map<std::string_view, std::size_t> lines;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        if (const auto [place, isNew] = lines.emplace(pieces[i], i + 1); !isNew)
            return badInput(fmt::format("line {} repeats \"{}\" of line {}", i + 1, pieces[i], place->second),
                            "each piece must occur once; its line number is its id");
    }
    return {};
}

} // namespace

std::map<std::string, std::int32_t> idsByRole(const SpecialTokens& special)
{
    std::map<std::string, std::int32_t> ids{{"cls", special.classify}, {"sep", special.separator},
                                            {"mask", special.mask},    {"pad", special.pad},
                                            {"unk", special.unknown},  {"end", special.documentEnd}};
    std::erase_if(ids, [](const auto& role) { return role.second == SpecialTokens::kNone; });
    return ids;
}

Result<Vocabulary> Vocabulary::load(const std::filesystem::path& file)
{
    TRAINYARD_TRY(const std::string text, readFile(file));
    Result<Vocabulary> vocabulary = parse(text);
    if (!vocabulary.ok())
        return vocabulary.error().in("vocabulary " + file.string());
    return vocabulary;
}

Result<Vocabulary> Vocabulary::parse(std::string_view text)
{
    text = withoutAdditions(text);
    Vocabulary vocabulary;
    vocabulary.m_text = text;
    vocabulary.m_sha256 = sha256Hex(text);
    for (std::size_t number = 1; !text.empty(); ++number) {
        const auto end = std::min(text.find('\n'), text.size());
        TRAINYARD_TRY_STATUS(vocabulary.addLine(text.substr(0, end), number));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    TRAINYARD_TRY_STATUS(checkNoRepetition(vocabulary.m_pieces));
    TRAINYARD_TRY_STATUS(vocabulary.findSpecial());
    vocabulary.m_spelling = std::make_shared<WordPieceSpelling>(vocabulary.m_pieces, "##");
    return vocabulary;
}

Vocabulary Vocabulary::ofTokens(std::vector<std::string> tokens, const SpecialTokens& special,
                                std::string text, std::shared_ptr<const TokenSpelling> spelling)
{
    Vocabulary vocabulary;
    vocabulary.m_pieces = std::move(tokens);
    vocabulary.m_special = special;
    vocabulary.m_text = std::move(text);
    vocabulary.m_sha256 = sha256Hex(vocabulary.m_text);
    vocabulary.m_spelling = std::move(spelling);
    return vocabulary;
}

Status Vocabulary::addLine(std::string_view line, std::size_t number)
{
    if (line.ends_with('\r'))
        line.remove_suffix(1);
    if (line.empty() || line.size() > kMaxPiece || !isUtf8(line))
        return badInput(
            fmt::format("line {} is {}", number, line.empty() ? "empty" : "not a word piece in UTF-8"),
            "use a BERT vocab.txt with one piece per line");
    m_pieces.emplace_back(line);
    return {};
}

Status Vocabulary::findSpecial()
{
    std::string missing;
    const auto find = [&](std::string_view name) {
        const auto found = std::find(m_pieces.begin(), m_pieces.end(), name);
        if (found == m_pieces.end())
            missing += (missing.empty() ? "" : ", ") + std::string(name);
        return static_cast<std::int32_t>(found - m_pieces.begin());
    };
    m_special = {find("[PAD]"), find("[UNK]"), find("[CLS]"), find("[SEP]"), find("[MASK]")};
    m_special.documentEnd = m_special.separator;
    if (!missing.empty())
        return badInput(
            "there is no line with " + missing,
            "BERT's vocabularies have [PAD], [UNK], [CLS], [SEP] and [MASK]; add the missing lines or choose "
            "another vocabulary");
    if (m_special.pad != 0)
        return badInput(fmt::format("[PAD] is on line {}", m_special.pad + 1),
                        "it must be on the first line, because rows are padded with the id 0");
    return {};
}

bool Vocabulary::isSpecial(std::int32_t id) const
{
    return id == m_special.pad || id == m_special.unknown || id == m_special.classify ||
           id == m_special.separator || id == m_special.mask || id == m_special.documentEnd;
}

bool Vocabulary::looksCased() const
{
    constexpr std::ptrdiff_t kSpecialPieces = 5; // [CLS] and the like
    return std::ranges::count_if(m_pieces, hasCapital) >
           std::max(kSpecialPieces, static_cast<std::ptrdiff_t>(size() / 100));
}

} // namespace trainyard
