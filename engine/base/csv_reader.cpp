#include "engine/base/csv_reader.h"

namespace trainyard {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kBlanks = " \t";

/// The number of line ends: \n, \r\n or \r.
std::size_t lineEnds(std::string_view text)
{
    std::size_t count = 0;
    for (std::size_t i = 0; i < text.size(); ++i)
        count += text[i] == '\n' || (text[i] == '\r' && text.substr(i + 1, 1) != "\n");
    return count;
}

void trim(std::string& cell)
{
    cell.erase(cell.find_last_not_of(kBlanks) + 1);
    cell.erase(0, cell.find_first_not_of(kBlanks));
}

} // namespace

CsvReader::CsvReader(std::string_view text, char delimiter) : m_rest(text), m_delimiter(delimiter)
{
    if (m_rest.starts_with(kByteOrderMark))
        m_rest.remove_prefix(kByteOrderMark.size());
    m_row = m_rest;
}

Result<bool> CsvReader::next(std::vector<std::string>& cells)
{
    while (!m_rest.empty()) {
        m_line += lineEnds(m_row.substr(0, m_row.size() - m_rest.size()));
        m_row = m_rest;
        TRAINYARD_TRY_STATUS(readRow(cells));
        if (cells.size() > 1 || !cells.front().empty())
            return true;
    }
    return false;
}

bool CsvReader::take(char character)
{
    const bool there = m_rest.starts_with(character);
    m_rest.remove_prefix(there);
    return there;
}

Status CsvReader::readRow(std::vector<std::string>& cells)
{
    cells.clear();
    do {
        if (cells.size() == kMaxColumns)
            return problemAt(m_rest, "there are too many columns", "at most 10000 are read");
        cells.emplace_back();
        TRAINYARD_TRY_STATUS(readCell(cells.back()));
        trim(cells.back());
    } while (take(m_delimiter));
    take('\r');
    take('\n');
    return {};
}

Status CsvReader::readCell(std::string& cell)
{
    while (take(' ')) {
    }
    const std::string_view opening = m_rest;
    const bool isQuoted = m_rest.starts_with('"');
    if (isQuoted) {
        TRAINYARD_TRY_STATUS(readQuoted(cell));
    }
    const char ends[] = {m_delimiter, '\n', '\r'};
    const std::string_view plain = m_rest.substr(0, m_rest.find_first_of({ends, sizeof ends}));
    if (isQuoted && plain.find_first_not_of(kBlanks) != std::string_view::npos)
        return problemAt(opening, "text follows the closing quotation mark of a cell",
                         "double quotation marks inside the text (\"\"), or remove them");
    cell += plain;
    m_rest.remove_prefix(plain.size());
    return {};
}

Status CsvReader::readQuoted(std::string& cell)
{
    const std::string_view opening = m_rest;
    while (take('"')) {
        const std::size_t end = m_rest.find('"');
        if (end == std::string_view::npos)
            return problemAt(opening, "a quotation mark is never closed", "close it, or remove it");
        cell += m_rest.substr(0, end);
        m_rest.remove_prefix(end + 1);
        if (m_rest.starts_with('"')) // doubled: one of the text
            cell += '"';
    }
    return {};
}

Error CsvReader::problemAt(std::string_view place, const std::string& what, const char* fix) const
{
    const std::size_t line = m_line + lineEnds(m_row.substr(0, m_row.size() - place.size()));
    return badInput("line " + std::to_string(line) + ": " + what, fix);
}

} // namespace trainyard
