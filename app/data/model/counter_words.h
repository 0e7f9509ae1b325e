#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "app/base/text_table_model.h"

namespace trainyard {

/// The counters of a preparation in words: what, how many, what it means. What was found stands first, then
/// what was left out; a counter without words of its own (written by a newer engine) keeps its name.
TextTable counterTable(const std::map<std::string, std::uint64_t>& counters);

} // namespace trainyard
