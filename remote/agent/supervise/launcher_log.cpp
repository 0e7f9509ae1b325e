#include "remote/agent/supervise/launcher_log.h"

#include <regex>

namespace trainyard::agent {

namespace {

std::optional<RankExit> killedRank(const std::string& log)
{
    static const std::regex pattern(
        R"(process rank (\d{1,9}) with PID \d+ on node (\S+) exited on signal (\d{1,9}))");
    std::smatch found;
    if (!std::regex_search(log, found, pattern))
        return std::nullopt;
    return RankExit{std::stoi(found[1]), std::stoi(found[3]), 0, found[2]};
}

std::optional<RankExit> exitedRank(const std::string& log)
{
    static const std::regex pattern(R"(Process name: \[\[\d+,\d+\],(\d{1,9})\]\s+Exit code:\s+(\d{1,9}))");
    std::smatch found;
    if (!std::regex_search(log, found, pattern))
        return std::nullopt;
    return RankExit{std::stoi(found[1]), 0, std::stoi(found[2]), {}};
}

} // namespace

std::optional<RankExit> firstRankExit(std::string_view log)
{
    const std::string text(log);
    auto killed = killedRank(text);
    return killed ? killed : exitedRank(text);
}

std::string lastErrorLine(std::string_view log)
{
    constexpr std::string_view kStart = "error: ";
    for (auto at = log.rfind(kStart); at != std::string_view::npos; at = log.rfind(kStart, at - 1)) {
        if (at == 0 || log[at - 1] == '\n') {
            const std::string_view line = log.substr(at + kStart.size());
            return std::string(line.substr(0, line.find('\n')));
        }
    }
    return {};
}

} // namespace trainyard::agent
