#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "datasets/input/document_id.h"
#include "datasets/input/text_documents.h"
#include "datasets/input/text_lines.h"
#include "engine/base/parsed_number.h"

namespace trainyard {

namespace {

using Json = nlohmann::json;

std::uint64_t idOf(const Json& object, std::uint64_t number)
{
    const auto id = object.find("id");
    if (id == object.end())
        return number;
    if (id->is_number_unsigned())
        return id->get<std::uint64_t>();
    if (!id->is_string())
        return number;
    return idOfText(id->get_ref<const std::string&>());
}

/// Returns the value of the escape \\uXXXX at the front; nullopt if there is none.
std::optional<unsigned> escapedUnit(std::string_view text)
{
    if (text.size() < 6 || !text.starts_with("\\u"))
        return std::nullopt;
    return parsedNumber<unsigned>(text.substr(2, 4), 16);
}

bool isHigh(std::optional<unsigned> unit)
{
    return unit && *unit >= 0xD800 && *unit < 0xDC00;
}
bool isLow(std::optional<unsigned> unit)
{
    return unit && *unit >= 0xDC00 && *unit < 0xE000;
}

/// Parses the object of a line; discarded() if it is not one.
Json parseObject(std::string_view line)
{
    Json object = Json::parse(line, nullptr, false);
    if (object.is_discarded())
        object = Json::parse(withoutLoneSurrogates(line), nullptr, false);
    return object;
}

/// Returns nullopt if the object has no text.
Result<std::optional<CorpusDocument>> parseLine(std::string_view line, const std::string& column,
                                                std::uint64_t number)
{
    const Json object = parseObject(line);
    if (!object.is_object())
        return badInput("this is not a JSON object", "each line must hold one complete object");
    std::optional<CorpusDocument> document;
    const auto text = object.find(column);
    if (text == object.end() || text->is_null())
        return document;
    if (!text->is_string())
        return badInput(fmt::format("\"{}\" is not a string", column),
                        "each object must store its text under this key, or under the one of --text");
    if (isBlank(text->get_ref<const std::string&>()))
        return document;
    document.emplace();
    document->id = idOf(object, number);
    document->text = text->get<std::string>();
    document->kind = CorpusDocument::Kind::Paragraphs;
    if (const auto title = object.find("title"); title != object.end() && title->is_string())
        document->title = title->get<std::string>();
    return document;
}

} // namespace

std::string withoutLoneSurrogates(std::string_view line)
{
    std::string repaired;
    while (!line.empty()) {
        const std::size_t backslash = std::min(line.find('\\'), line.size());
        repaired.append(line.substr(0, backslash));
        line.remove_prefix(backslash);
        const auto unit = escapedUnit(line);
        std::size_t size = unit ? 6 : 2;
        if (isHigh(unit) && isLow(escapedUnit(line.substr(6))))
            size = 12;
        const bool lone = size == 6 && (isHigh(unit) || isLow(unit));
        repaired.append(lone ? std::string_view("\\uFFFD") : line.substr(0, size));
        line.remove_prefix(std::min(size, line.size()));
    }
    return repaired;
}

Result<std::vector<CorpusDocument>> parseJsonLines(const CorpusPiece& piece, SkipCounters& counters)
{
    std::vector<CorpusDocument> documents;
    std::string_view rest = piece.bytes;
    std::uint64_t passed = 0;
    for (std::uint64_t number = piece.firstLine + 1; const auto line = takeLine(rest); ++number) {
        if (isBlank(*line))
            continue;
        auto document = parseLine(*line, piece.column, piece.firstDocument + passed++);
        if (!document.ok())
            return document.error().in(fmt::format("{}: line {}", piece.file, number));
        if (document.value())
            documents.push_back(std::move(*document.value()));
        else
            ++counters["documents_without_text"];
    }
    return documents;
}

} // namespace trainyard
