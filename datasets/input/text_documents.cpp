#include "datasets/input/text_documents.h"

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

/// The value of name="value"; empty when it is not there.
std::string attributeOf(std::string_view tag, std::string_view name)
{
    const std::string opening = fmt::format(" {}=\"", name);
    const std::size_t begin = tag.find(opening);
    if (begin == std::string_view::npos)
        return {};
    tag.remove_prefix(begin + opening.size());
    return withoutEscapes(tag.substr(0, tag.find('"')));
}

void readTag(std::string_view tag, CorpusDocument& document)
{
    const std::string id = attributeOf(tag, "id");
    std::from_chars(id.data(), id.data() + id.size(), document.id);
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
        if (expects == Expects::Tag && !isBlank(*line)) {
            if (!line->starts_with("<doc"))
                return badInput(
                    fmt::format("{}: line {}: text outside of <doc ...> and </doc>", piece.file, number),
                    "give the output of wikiextractor as it is, or name another --format");
            documents.push_back(numbered(piece, documents.size(), Kind::Paragraphs));
            readTag(*line, documents.back());
            expects = Expects::Title;
        } else if (line->starts_with("</doc>")) {
            expects = Expects::Tag;
        } else if (expects == Expects::Title) {
            documents.back().title = withoutEscapes(*line);
            expects = Expects::Text;
        } else if (expects == Expects::Text && !isBlank(*line)) {
            appendLine(documents.back().text, withoutEscapes(*line));
        }
    }
    return documents;
}

} // namespace trainyard
