#include "engine/base/json_limits.h"

#include <fmt/format.h>

namespace trainyard {

namespace {

/// Behind the string that begins at text[at].
std::size_t endOfString(std::string_view text, std::size_t at)
{
    for (++at; at < text.size(); ++at) {
        if (text[at] == '\\')
            ++at;
        else if (text[at] == '"')
            return at + 1;
    }
    return text.size();
}

} // namespace

Status checkJsonLimits(std::string_view text, const JsonLimits& limits)
{
    std::size_t depth = 0, values = 0;
    for (std::size_t at = 0; at < text.size();) {
        const char c = text[at];
        if (c == '"') {
            at = endOfString(text, at);
            continue;
        }
        if (c == '{' || c == '[')
            ++depth;
        else if ((c == '}' || c == ']') && depth > 0)
            --depth;
        if (c == '{' || c == '[' || c == ',')
            ++values;
        if (depth > limits.depth)
            return badInput(fmt::format("the JSON nests deeper than {} levels", limits.depth));
        if (values > limits.values)
            return badInput(fmt::format("the JSON has more than {} values", limits.values));
        ++at;
    }
    return {};
}

} // namespace trainyard
