#include "tests/support/link/control.h"

#include <sstream>

#include <fmt/format.h>

namespace trainyard::link {

namespace {

std::string toJson(const LinkCounters& c)
{
    return fmt::format(R"({{"frames":{},"bytes":{},"delivered":{},"blocked":{},"lost":{},"overflowed":{},)"
                       R"("corrupted":{},"duplicated":{},"reordered":{},"refused":{}}})",
                       c.frames, c.bytes, c.delivered, c.blocked, c.lost, c.overflowed, c.corrupted,
                       c.duplicated, c.reordered, c.refused);
}

std::string set(const std::string& direction, const std::string& words, Relay& toHost, Relay& fromHost)
{
    const auto conditions = parseConditions(words);
    if (!conditions.ok())
        return "error: " + conditions.error().text();
    const bool both = direction == "both";
    if (!both && direction != "to-host" && direction != "from-host")
        return "error: not a direction: " + direction;
    if (both || direction == "to-host")
        toHost.set(*conditions);
    if (both || direction == "from-host")
        fromHost.set(*conditions);
    return "ok";
}

} // namespace

std::string obey(std::string_view line, Relay& toHost, Relay& fromHost)
{
    std::istringstream stream{std::string(line)};
    std::string verb, direction, words;
    stream >> verb;
    if (verb == "counters")
        return fmt::format(R"({{"to_host":{},"from_host":{}}})", toJson(toHost.counters()),
                           toJson(fromHost.counters()));
    if (verb != "set")
        return "error: not a command: " + verb;
    stream >> direction;
    std::getline(stream, words);
    return set(direction, words, toHost, fromHost);
}

} // namespace trainyard::link
