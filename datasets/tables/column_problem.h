#pragma once

#include <string>
#include <vector>

#include "engine/base/result.h"

namespace trainyard {

constexpr const char* kIdColumn = "id";
constexpr const char* kTitleColumn = "title";

/// For messages: "text (string)".
struct ColumnName {
    std::string name;
    std::string type;
};

/// `columns`: all that the table has.
Error missingColumn(const std::string& column, const std::vector<ColumnName>& columns);
Error notOfTexts(const std::string& column, const std::string& type, const std::vector<ColumnName>& columns);
Error damagedTable(const std::string& what);

} // namespace trainyard
