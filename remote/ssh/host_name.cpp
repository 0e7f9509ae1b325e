#include "remote/ssh/host_name.h"

#include <cctype>

#include <fmt/format.h>

#include "engine/base/parsed_number.h"

namespace trainyard::ssh {

namespace {

constexpr std::size_t kMaxNameLength = 253; // RFC 1035 section 2.3.4, as text

std::string shown(unsigned char c)
{
    return std::isprint(c) ? fmt::format("'{}'", static_cast<char>(c)) : fmt::format("byte 0x{:02x}", c);
}

Status checkPart(std::string_view part, std::string_view what, std::string_view extra)
{
    const std::string hint = "use the name from your ssh configuration, or user@host";
    if (part.empty())
        return badInput(fmt::format("the {} is empty", what), hint);
    if (part.size() > kMaxNameLength)
        return badInput(fmt::format("the {} has {} characters; at most {} are allowed", what, part.size(),
                                    kMaxNameLength));
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

/// `host`, `host:port`, `[host]:port` or an IPv6 address, whose colons are no port's.
Status readHostAndPort(std::string_view text, HostName& name)
{
    std::string_view host = text, rest;
    const auto bracket = text.find(']');
    const auto colon = text.find(':');
    if (text.starts_with('[') && bracket != std::string_view::npos) {
        host = text.substr(1, bracket - 1);
        rest = text.substr(bracket + 1);
    } else if (colon != std::string_view::npos && text.find(':', colon + 1) == std::string_view::npos) {
        host = text.substr(0, colon);
        rest = text.substr(colon);
    }
    TRAINYARD_TRY_STATUS(checkPart(host, "host name", ".-_:"));
    name.host = host;
    if (rest.empty())
        return {};
    if (rest.front() != ':')
        return badInput("only a ':' and a port may follow the ']' of the host name");
    TRAINYARD_TRY(name.port, parsePort(rest.substr(1)));
    return {};
}

} // namespace

Result<int> parsePort(std::string_view text)
{
    const auto port = parsedNumber<int>(text);
    if (!port || *port < 1 || *port > 65535)
        return badInput("the port is not a number between 1 and 65535");
    return *port;
}

Result<HostName> parseHostName(std::string_view text)
{
    HostName name;
    if (text.starts_with("ssh://"))
        text.remove_prefix(6);
    const auto at = text.find('@');
    if (at != std::string_view::npos) {
        TRAINYARD_TRY_STATUS(checkPart(text.substr(0, at), "user name", "._-"));
        name.user = text.substr(0, at);
        text.remove_prefix(at + 1);
    }
    TRAINYARD_TRY_STATUS(readHostAndPort(text, name));
    return name;
}

} // namespace trainyard::ssh
