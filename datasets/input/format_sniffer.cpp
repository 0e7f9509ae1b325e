#include "datasets/input/format_sniffer.h"

#include <algorithm>
#include <cctype>
#include <string>

#include "datasets/input/text_lines.h"

namespace trainyard {

namespace {

std::string lowered(std::string_view text)
{
    std::string lower(text);
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
    return lower;
}

bool isHtml(std::string_view head)
{
    const std::string lower = lowered(head.substr(0, 512));
    return lower.starts_with("<!doctype html") || lower.starts_with("<html") ||
           (lower.starts_with("<!--") && lower.find("<html") != std::string::npos);
}

/// "614:12:Anarchism": place of a stream, page, title.
bool isMultistreamIndex(std::string_view head)
{
    const std::string_view line = takeLine(head).value_or("");
    const std::size_t first = line.find_first_not_of("0123456789");
    if (first == 0 || first == std::string_view::npos || line[first] != ':')
        return false;
    const std::size_t second = line.find_first_not_of("0123456789", first + 1);
    return second != std::string_view::npos && second > first + 1 && line[second] == ':';
}

} // namespace

Result<CorpusFormat> sniffFormat(std::string_view head)
{
    head.remove_prefix(std::min(head.find_first_not_of(" \t\r\n"), head.size()));
    if (isHtml(head))
        return badInput("this is an HTML page, not a corpus",
                        "the server sent an error or a listing; fetch the file itself");
    if (head.starts_with("<doc ") || head.starts_with("<doc>"))
        return CorpusFormat::WikiExtractor;
    if (head.starts_with('<'))
        return CorpusFormat::MediaWiki;
    if (head.starts_with('{'))
        return CorpusFormat::JsonLines;
    if (head.starts_with("[") && head.find_first_of("{\"", 1) == head.find_first_not_of(" \t\r\n", 1))
        return badInput("this is a single JSON array, not one object per line",
                        "rewrite it: jq -c '.[]' FILE");
    if (isMultistreamIndex(head))
        return badInput("this is the index of a multistream dump", "leave it out; only the dump is needed");
    return badInput("cannot recognize the format from the first bytes",
                    "use --format articles for one document per line, or --format sentences for one sentence "
                    "per line with an empty line after every document");
}

} // namespace trainyard
