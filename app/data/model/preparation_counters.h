#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "app/base/text_table_model.h"

namespace trainyard {

/// Returns the counters of a preparation as a table: category, count, meaning. Kept items come first, then
/// filtered ones; a counter unknown to this version (written by a newer engine) is shown by its own name.
TextTable counterTable(const std::map<std::string, std::uint64_t>& counters);

} // namespace trainyard
