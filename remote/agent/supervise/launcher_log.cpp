#include "remote/agent/supervise/launcher_log.h"

#include <algorithm>
#include <csignal>
#include <cstring>
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

/// Parses OpenMPI's message about MPI_Abort, which names the rank that called it.
std::optional<RankExit> abortingRank(const std::string& log)
{
    static const std::regex pattern(
        R"(MPI_ABORT was invoked on rank (\d{1,9}) in communicator MPI_COMM_WORLD\s+with errorcode (\d{1,9}))");
    std::smatch found;
    if (!std::regex_search(log, found, pattern))
        return std::nullopt;
    return RankExit{std::stoi(found[1]), 0, std::stoi(found[2]), {}};
}

int signalNamed(const std::string& words)
{
    for (int number = 1; number < NSIG; ++number) {
        if (words.starts_with(::strsignal(number)))
            return number;
    }
    return 0;
}

/// "srun: error: node3: task 1: Exited with exit code 7", "...: tasks 4-7: Killed"
std::optional<RankExit> taskOfSrun(const std::string& log)
{
    static const std::regex pattern(
        R"(srun: error: (\S+): tasks? (\d{1,9})\S*: (Exited with exit code (\d{1,9})|[^\n]*))");
    std::smatch found;
    if (!std::regex_search(log, found, pattern))
        return std::nullopt;
    RankExit exit{std::stoi(found[2]), 0, 0, found[1]};
    if (found[4].matched)
        exit.status = std::stoi(found[4]);
    else
        exit.signal = signalNamed(found[3]);
    return exit;
}

} // namespace

std::optional<RankExit> firstRankExit(std::string_view log)
{
    const std::string text(log);
    for (const auto read : {killedRank, exitedRank, abortingRank, taskOfSrun}) {
        if (auto exit = read(text))
            return exit;
    }
    return std::nullopt;
}

std::string lostNode(std::string_view log)
{
    static const std::regex pattern(R"(Remote daemon: \[\[\d+,\d+\],\d+\] on node (\S+))");
    const std::string text(log);
    std::smatch found;
    return std::regex_search(text, found, pattern) ? found[1].str() : std::string();
}

bool daemonDidNotStart(std::string_view log)
{
    constexpr std::string_view kSentences[] = {"ORTE was unable to reliably start one or more daemons",
                                               "An ORTE daemon has unexpectedly failed after launch",
                                               "A daemon died unexpectedly"};
    return std::any_of(std::begin(kSentences), std::end(kSentences), [&](std::string_view sentence) {
        return log.find(sentence) != std::string_view::npos;
    });
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
