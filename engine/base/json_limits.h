#pragma once

#include <cstddef>
#include <string_view>

#include "engine/base/result.h"

namespace trainyard {

/// Limits on untrusted JSON text.
struct JsonLimits {
    std::size_t depth = 64;       ///< of objects and lists within each other
    std::size_t values = 200'000; ///< members and entries of all of them together
};

/// Checks an unparsed text in one pass and without allocating: otherwise a few bytes can nest so deep that
/// walking the result overflows the stack, or expand to many times their size in values. BadInput names the
/// limit. Does not check whether the text is JSON.
Status checkJsonLimits(std::string_view text, const JsonLimits& limits = {});

} // namespace trainyard
