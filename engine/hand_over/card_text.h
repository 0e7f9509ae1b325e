#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// The Markdown of model cards.
namespace trainyard::card {

/// Of a table, without its head; every row has a cell per column.
using Rows = std::vector<std::vector<std::string>>;

/// "10,456".
std::string grouped(std::uint64_t value);
std::string grouped(std::int64_t value); ///< 0 for a negative one
/// "1 row", "10,456 rows".
std::string groupedCount(std::int64_t count, std::string_view noun);

/// Names come from other people's files: nothing in them may become markup.
std::string plain(std::string_view text);

std::string table(const std::vector<std::string>& head, const Rows& rows);

} // namespace trainyard::card
