#pragma once

#include <span>
#include <string_view>

namespace trainyard {

/// Why a known setting has no counterpart on the other side. Tables of these are static data.
struct Explanation {
    std::string_view field; ///< the setting, or the section or the start of a name that it lies under
    std::string_view reason;
    std::string_view advice;
};

using Explanations = std::span<const Explanation>;

/// The first that names the field, a section above it, or, when it ends in '*', how it starts; else null.
const Explanation* explanationOf(std::string_view field, Explanations table);

} // namespace trainyard
