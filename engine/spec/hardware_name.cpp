#include "engine/spec/hardware_name.h"

#include <algorithm>

namespace trainyard {

namespace {

bool isLetterOrDigit(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

} // namespace

bool isHardwareName(std::string_view name)
{
    return !name.empty() && name.size() <= 64 && isLetterOrDigit(name.front()) &&
           std::ranges::all_of(name,
                               [](char c) { return isLetterOrDigit(c) || c == '.' || c == '_' || c == '-'; });
}

} // namespace trainyard
