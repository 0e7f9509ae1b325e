#include "remote/agent/host/process_table.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine/base/file.h"
#include "engine/base/parsed_number.h"

namespace trainyard::agent {

namespace {

struct StatLine {
    char state = '?';
    pid_t parent = 0;
    std::uint64_t startTime = 0;
};

/// /proc/PID/stat: the second field is the name in parentheses and may hold anything, so parse behind the
/// last ')'.
std::optional<StatLine> readStat(pid_t pid)
{
    const auto text = readFile("/proc/" + std::to_string(pid) + "/stat");
    if (!text.ok())
        return std::nullopt;
    const auto close = text->rfind(')');
    if (close == std::string::npos)
        return std::nullopt;
    std::istringstream fields(text->substr(close + 1));
    StatLine line;
    fields >> line.state >> line.parent;
    std::string skipped;
    for (int field = 5; field < 22; ++field)
        fields >> skipped;
    fields >> line.startTime;
    return fields ? std::optional<StatLine>(line) : std::nullopt;
}

bool isGone(const StatLine& line)
{
    return line.state == 'Z' || line.state == 'X';
}

std::vector<pid_t> allPids()
{
    std::vector<pid_t> pids;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
        if (const auto pid = parsedNumber<pid_t>(entry.path().filename().string()))
            pids.push_back(*pid);
    }
    return pids;
}

bool isOurs(pid_t pid)
{
    struct stat info {};
    return ::stat(("/proc/" + std::to_string(pid)).c_str(), &info) == 0 && info.st_uid == ::geteuid();
}

bool hasEntry(const std::string& environment, const std::string& entry)
{
    for (std::size_t at = 0; (at = environment.find(entry, at)) != std::string::npos; ++at) {
        const bool starts = at == 0 || environment[at - 1] == '\0';
        const std::size_t end = at + entry.size();
        if (starts && (end == environment.size() || environment[end] == '\0'))
            return true;
    }
    return false;
}

} // namespace

std::optional<ProcessId> processId(pid_t pid)
{
    const auto line = readStat(pid);
    if (!line || isGone(*line))
        return std::nullopt;
    return ProcessId{pid, line->startTime};
}

bool isAlive(const ProcessId& process)
{
    return processId(process.pid) == process;
}

bool isSuspended(pid_t pid)
{
    const auto line = readStat(pid);
    return line && (line->state == 'T' || line->state == 't');
}

pid_t parentOf(pid_t pid)
{
    const auto line = readStat(pid);
    return line ? line->parent : 0;
}

std::optional<std::string> environmentValue(const ProcessId& process, const std::string& name)
{
    const auto environment = readFile("/proc/" + std::to_string(process.pid) + "/environ");
    std::istringstream entries(environment.ok() ? *environment : std::string());
    for (std::string entry; std::getline(entries, entry, '\0');) {
        if (entry.starts_with(name) && entry.size() > name.size() && entry[name.size()] == '=')
            return entry.substr(name.size() + 1);
    }
    return std::nullopt;
}

std::vector<ProcessId> processesWithEnvironment(const std::string& entry)
{
    std::vector<ProcessId> found;
    for (const pid_t pid : allPids()) {
        const auto process = processId(pid); // before its environment: a later process of that number differs
        if (!process || pid == ::getpid() || !isOurs(pid))
            continue;
        const auto environment = readFile("/proc/" + std::to_string(pid) + "/environ");
        if (environment.ok() && hasEntry(*environment, entry))
            found.push_back(*process);
    }
    return found;
}

std::set<std::string> environmentValues(const std::string& name)
{
    std::set<std::string> values;
    for (const pid_t pid : allPids()) {
        const auto process = processId(pid);
        if (!process || pid == ::getpid() || !isOurs(pid))
            continue;
        if (auto value = environmentValue(*process, name))
            values.insert(std::move(*value));
    }
    return values;
}

std::vector<ProcessId> descendantsOf(pid_t ancestor)
{
    std::vector<std::pair<ProcessId, pid_t>> candidates;
    for (const pid_t pid : allPids()) {
        if (const auto line = readStat(pid); line && !isGone(*line))
            candidates.emplace_back(ProcessId{pid, line->startTime}, line->parent);
    }
    std::vector<ProcessId> family;
    std::vector<pid_t> open{ancestor};
    while (!open.empty()) {
        const pid_t parent = open.back();
        open.pop_back();
        for (const auto& [process, itsParent] : candidates) {
            if (itsParent == parent) {
                family.push_back(process);
                open.push_back(process.pid);
            }
        }
    }
    return family;
}

std::set<std::pair<dev_t, ino_t>> runningPrograms(pid_t except)
{
    std::set<std::pair<dev_t, ino_t>> programs;
    for (const pid_t pid : allPids()) {
        struct stat program {};
        if (pid != except && ::stat(("/proc/" + std::to_string(pid) + "/exe").c_str(), &program) == 0)
            programs.emplace(program.st_dev, program.st_ino);
    }
    return programs;
}

bool signalProcess(const ProcessId& process, int signal)
{
    // The pidfd pins the process first; only then is it compared, so the number cannot change its meaning
    // between.
    FileDescriptor handle(static_cast<int>(::syscall(SYS_pidfd_open, process.pid, 0)));
    if (!isAlive(process))
        return false;
    if (!handle.valid()) // a kernel before 5.3
        return ::kill(process.pid, signal) == 0;
    return ::syscall(SYS_pidfd_send_signal, handle.get(), signal, nullptr, 0) == 0;
}

} // namespace trainyard::agent
