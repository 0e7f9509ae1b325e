#include "engine/base/json_problem.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace trainyard {

namespace {

using Json = nlohmann::json;

// Of exceptions of the library.
constexpr int kListIsShort = 401;
constexpr int kKeyIsMissing = 403;
constexpr int kNumberIsBeyondBounds = 406;

/// "line 3, column 7". `byte` counts from 1, as parsers of JSON do; one behind the text when it ends too
/// early.
std::string placeOfByte(std::string_view text, std::size_t byte)
{
    const std::string_view before = text.substr(0, std::min(text.size(), std::max<std::size_t>(byte, 1) - 1));
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const std::size_t lineStart = before.rfind('\n') + 1; // npos + 1 = 0
    return fmt::format("line {}, column {}", line, before.size() - lineStart + 1);
}

/// Without "[json.exception.type_error.302] ".
std::string_view withoutName(std::string_view what)
{
    const std::size_t end = what.find("] ");
    return what.starts_with('[') && end != std::string_view::npos ? what.substr(end + 2) : what;
}

/// What stands between the first and the last single quote.
std::string_view quoted(std::string_view text)
{
    const std::size_t first = text.find('\''), last = text.rfind('\'');
    return first < last ? text.substr(first + 1, last - first - 1) : std::string_view();
}

std::string valueProblem(const Json::exception& problem)
{
    const std::string_view text = withoutName(problem.what());
    switch (problem.id) {
    case kListIsShort:
        return "a list is too short";
    case kKeyIsMissing:
        return fmt::format("\"{}\" is missing", quoted(text));
    case kNumberIsBeyondBounds:
        return "a number is out of range";
    default:
        return text.starts_with("type must be") ? "a value " + std::string(text.substr(text.find("must")))
                                                : "a value has an unexpected type";
    }
}

} // namespace

std::string jsonProblem(const std::exception& problem, std::string_view text)
{
    if (const auto* syntax = dynamic_cast<const Json::parse_error*>(&problem))
        return text.empty() ? "not valid JSON" : "not valid JSON at " + placeOfByte(text, syntax->byte);
    if (const auto* value = dynamic_cast<const Json::exception*>(&problem))
        return valueProblem(*value);
    return problem.what();
}

} // namespace trainyard
