#pragma once

#include <cstddef>
#include <string_view>

#include "engine/base/result.h"

namespace trainyard {

/// What a JSON text from elsewhere may ask of whoever parses it.
struct JsonLimits {
    std::size_t depth = 64;       ///< of objects and lists within each other
    std::size_t values = 200'000; ///< members and entries of all of them together
};

/// Looks at a text that is not parsed yet, in one pass and without memory: a few bytes can otherwise nest so
/// deep that walking over the result overflows the stack, or make many times their size of values. BadInput
/// names the limit. Says nothing about whether the text is JSON.
Status checkJsonLimits(std::string_view text, const JsonLimits& limits = {});

} // namespace trainyard
