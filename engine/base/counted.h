#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace trainyard {

/// The noun as it follows a number: "row" for 1, else "rows". `noun` is singular and regular: "batch" becomes
/// "batches", "entry" becomes "entries".
std::string nounFor(std::uint64_t count, std::string_view noun);

/// "1 row", "2 rows", "0 rows".
std::string counted(std::uint64_t count, std::string_view noun);

} // namespace trainyard
