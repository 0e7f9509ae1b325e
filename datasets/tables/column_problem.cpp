#include "datasets/tables/column_problem.h"

#include <algorithm>

namespace trainyard {

namespace {

std::string namesOf(const std::vector<ColumnName>& columns)
{
    constexpr std::size_t kMaxNames = 50;
    std::string names;
    for (std::size_t i = 0; i < std::min(columns.size(), kMaxNames); ++i)
        names += (i == 0 ? "" : ", ") + columns[i].name + " (" + columns[i].type + ")";
    return columns.size() > kMaxNames ? names + ", ..." : names;
}

} // namespace

Error missingColumn(const std::string& column, const std::vector<ColumnName>& columns)
{
    return badInput("there is no column \"" + column + "\"; the columns are " + namesOf(columns),
                    "name the one with the texts: --text COLUMN");
}

Error notOfTexts(const std::string& column, const std::string& type, const std::vector<ColumnName>& columns)
{
    return badInput("the column \"" + column + "\" has no texts but " + type + "; the columns are " +
                        namesOf(columns),
                    "name the one with the texts: --text COLUMN");
}

Error damagedTable(const std::string& what)
{
    return badInput("the file is damaged or truncated (" + what + ")",
                    "fetch it again and compare its checksum");
}

} // namespace trainyard
