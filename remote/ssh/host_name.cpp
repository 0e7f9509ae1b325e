#include "remote/ssh/host_name.h"

#include <cctype>

#include <fmt/format.h>

namespace trainyard::ssh {

namespace {

constexpr std::size_t kLongestName = 253; // RFC 1035 section 2.3.4, as text

std::string shown(unsigned char c)
{
    return std::isprint(c) ? fmt::format("'{}'", static_cast<char>(c)) : fmt::format("byte 0x{:02x}", c);
}

Status checkPart(std::string_view part, std::string_view what, std::string_view extra)
{
    const std::string hint = "use the name as your ssh configuration has it, or user@host";
    if (part.empty())
        return badInput(fmt::format("the {} is empty", what), hint);
    if (part.size() > kLongestName)
        return badInput(fmt::format("the {} has {} characters; at most {} are possible", what, part.size(),
                                    kLongestName));
    if (part.front() == '-')
        return badInput(fmt::format("the {} starts with '-'", what), hint);
    for (const char c : part) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x80 && (std::isalnum(byte) || extra.find(c) != std::string_view::npos))
            continue;
        return badInput(fmt::format("the {} contains {}", what, shown(byte)), hint);
    }
    return {};
}

} // namespace

Result<HostName> parseHostName(std::string_view text)
{
    HostName name;
    const auto at = text.find('@');
    if (at != std::string_view::npos) {
        TRAINYARD_TRY_STATUS(checkPart(text.substr(0, at), "user name", "._-"));
        name.user = text.substr(0, at);
        text.remove_prefix(at + 1);
    }
    TRAINYARD_TRY_STATUS(checkPart(text, "host name", ".-_:"));
    name.host = text;
    return name;
}

} // namespace trainyard::ssh
