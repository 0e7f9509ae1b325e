#include "engine/spec/foreign/explanation.h"

#include <algorithm>

namespace trainyard {

namespace {

bool covers(std::string_view pattern, std::string_view field)
{
    if (pattern.ends_with('*'))
        return field.starts_with(pattern.substr(0, pattern.size() - 1));
    return field.starts_with(pattern) && (field.size() == pattern.size() || field[pattern.size()] == '.');
}

} // namespace

const Explanation* explanationOf(std::string_view field, Explanations table)
{
    const auto found = std::find_if(table.begin(), table.end(), [&](const Explanation& explanation) {
        return covers(explanation.field, field);
    });
    return found == table.end() ? nullptr : &*found;
}

} // namespace trainyard
