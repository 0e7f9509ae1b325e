#pragma once

#include <algorithm>
#include <cctype>
#include <string_view>

namespace trainyard::agent {

/// True for a host name or address that ssh cannot take for an option or a command.
inline bool isHostName(std::string_view host)
{
    return !host.empty() && host.size() <= 255 && host[0] != '-' &&
           std::all_of(host.begin(), host.end(), [](unsigned char c) {
               return std::isalnum(c) != 0 || c == '.' || c == '-' || c == '_' || c == ':';
           });
}

} // namespace trainyard::agent
