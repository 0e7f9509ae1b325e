#include "datasets/input/text_documents.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "datasets/input/escapes.h"
#include "datasets/input/text_lines.h"

namespace trainyard {

namespace {

using Kind = CorpusDocument::Kind;

CorpusDocument numbered(const CorpusPiece& piece, std::size_t before, Kind kind)
{
    return {piece.firstDocument + before, {}, {}, kind};
}

void appendLine(std::string& text, std::string_view line)
{
    text.append(line);
    text.push_back('\n');
}

/// Returns true if the text after a quote shows that it ends a value: the end of the tag, or name=".
bool endsValue(std::string_view after)
{
    if (after.starts_with('>'))
        return true;
    const std::size_t nameEnd = after.find_first_not_of("abcdefghijklmnopqrstuvwxyz", 1);
    return after.starts_with(' ') && nameEnd != std::string_view::npos &&
           after.substr(nameEnd).starts_with("=\"");
}

/// The value of name="value"; empty if it is not there. wikiextractor leaves quotes in titles as they are.
std::string attributeOf(std::string_view tag, std::string_view name)
{
    const std::string opening = fmt::format(" {}=\"", name);
    const std::size_t begin = tag.find(opening);
    if (begin == std::string_view::npos)
        return {};
    tag.remove_prefix(begin + opening.size());
    std::size_t end = tag.find('"');
    while (end != std::string_view::npos && !endsValue(tag.substr(end + 1)))
        end = tag.find('"', end + 1);
    return withoutEscapes(tag.substr(0, end));
}

void readTag(std::string_view tag, CorpusDocument& document)
{
    const std::string id = attributeOf(tag, "id");
    std::from_chars(id.data(), id.data() + id.size(), document.id);
    document.title = attributeOf(tag, "title");
}

bool isTag(std::string_view line)
{
    return line.starts_with("<doc ") || line.starts_with("<doc>");
}

/// A tag may be in the middle of a line if a truncated file was joined with another one.
bool holdsTag(std::string_view line)
{
    return isTag(line) || line.find("<doc id=\"") != std::string_view::npos;
}

std::string_view trimmed(std::string_view text)
{
    constexpr auto kBlanks = " \t\r\n\f\v";
    text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
    return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

} // namespace

std::vector<CorpusDocument> parseArticleLines(const CorpusPiece& piece)
{
    std::vector<CorpusDocument> documents;
    std::string_view rest = piece.bytes;
    while (const auto line = takeLine(rest)) {
        if (isBlank(*line))
            continue;
        CorpusDocument document = numbered(piece, documents.size(), Kind::Paragraphs);
        document.text = *line;
        documents.push_back(std::move(document));
    }
    return documents;
}

std::vector<CorpusDocument> parseSentenceLines(const CorpusPiece& piece)
{
    std::vector<CorpusDocument> documents;
    std::string_view rest = piece.bytes;
    bool inDocument = false;
    while (const auto line = takeLine(rest)) {
        if (!isBlank(*line)) {
            if (!inDocument)
                documents.push_back(numbered(piece, documents.size(), Kind::Sentences));
            appendLine(documents.back().text, *line);
        }
        inDocument = !isBlank(*line);
    }
    return documents;
}

Result<std::vector<CorpusDocument>> parseExtractorDocuments(const CorpusPiece& piece)
{
    std::vector<CorpusDocument> documents;
    std::string_view rest = piece.bytes;
    enum class Expects { Tag, Title, Text } expects = Expects::Tag;
    for (std::uint64_t number = piece.firstLine + 1; const auto line = takeLine(rest); ++number) {
        if (isBlank(*line))
            continue;
        if (expects == Expects::Tag) {
            if (!isTag(*line))
                return badInput(
                    fmt::format("{}: line {}: text outside <doc ...> and </doc>", piece.file, number),
                    "pass the unchanged output of wikiextractor, or use another --format");
            documents.push_back(numbered(piece, documents.size(), Kind::Paragraphs));
            readTag(*line, documents.back());
            expects = Expects::Title;
        } else if (line->starts_with("</doc>")) {
            expects = Expects::Tag;
        } else if (holdsTag(*line)) {
            return badInput(fmt::format("{}: line {}: document {} \"{}\" has no </doc> before the next one",
                                        piece.file, number, documents.back().id, documents.back().title),
                            "the file is truncated or damaged; generate it again");
        } else {
            const std::string text = withoutEscapes(*line);
            if (expects == Expects::Text || trimmed(text) != trimmed(documents.back().title))
                appendLine(documents.back().text, text);
            expects = Expects::Text;
        }
    }
    return documents;
}

} // namespace trainyard
