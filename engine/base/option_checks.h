#pragma once

#include <cmath>
#include <cstdint>
#include <string>

#include <fmt/format.h>

#include "engine/base/parsed_number.h"

namespace trainyard {

// For check() of CLI11's options: what is wrong with the text of one; empty: nothing. CLI11's own checks let
// "nan" through, and name the largest double as the end of a range that has none.

template <std::int64_t Least>
std::string wholeNumberProblem(const std::string& text)
{
    const auto number = parsedNumber<std::int64_t>(text);
    return number && *number >= Least ? std::string()
                                      : fmt::format("{} is not a whole number of at least {}", text, Least);
}

inline std::string positiveProblem(const std::string& text)
{
    const auto number = parsedNumber<double>(text);
    return number && std::isfinite(*number) && *number > 0 ? std::string()
                                                           : text + " is not a number above 0";
}

inline std::string positiveOrZeroProblem(const std::string& text)
{
    const auto number = parsedNumber<double>(text);
    return number && std::isfinite(*number) && *number >= 0 ? std::string()
                                                            : text + " is not a number of at least 0";
}

} // namespace trainyard
