#include "engine/base/csv_cells.h"

#include <algorithm>

namespace trainyard {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kBlanks = " \t\r";

std::string_view trimmed(std::string_view text)
{
    const auto first = text.find_first_not_of(kBlanks);
    if (first == std::string_view::npos)
        return {};
    return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

/// Takes the cell in quotes that `rest` starts with, quotes included.
Result<std::string> takeQuoted(std::string_view& rest)
{
    std::string cell;
    for (std::size_t i = 1; i < rest.size(); ++i) {
        if (rest[i] != '"') {
            cell += rest[i];
        } else if (i + 1 < rest.size() && rest[i + 1] == '"') {
            cell += rest[i++];
        } else {
            rest = trimmed(rest.substr(i + 1));
            return cell;
        }
    }
    return badInput("a quote is not closed", "close it on the same line");
}

std::string takePlain(std::string_view& rest)
{
    const std::size_t end = std::min(rest.find(','), rest.size());
    const std::string cell(trimmed(rest.substr(0, end)));
    rest.remove_prefix(end);
    return cell;
}

} // namespace

std::vector<std::string_view> csvLines(std::string_view text)
{
    if (text.starts_with(kByteOrderMark))
        text.remove_prefix(kByteOrderMark.size());
    std::vector<std::string_view> lines;
    for (std::size_t start = 0; start <= text.size();) {
        const std::size_t end = std::min(text.find('\n', start), text.size());
        lines.push_back(trimmed(text.substr(start, end - start)));
        start = end + 1;
    }
    return lines;
}

Result<std::vector<std::string>> csvCells(std::string_view line)
{
    std::vector<std::string> cells;
    for (std::string_view rest = trimmed(line);; rest = trimmed(rest.substr(1))) {
        if (rest.starts_with('"')) {
            TRAINYARD_TRY(std::string cell, takeQuoted(rest));
            cells.push_back(std::move(cell));
        } else {
            cells.push_back(takePlain(rest));
        }
        if (rest.empty())
            return cells;
        if (rest.front() != ',')
            return badInput("text follows a closing quote", "put a comma between two cells");
    }
}

} // namespace trainyard
