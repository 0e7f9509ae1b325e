#include "remote/agent/links/reach.h"

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>

#include "engine/base/process.h"
#include "remote/agent/host/ssh_command.h"
#include "remote/agent/links/host_name.h"

namespace trainyard::agent {

namespace {

constexpr std::size_t kMaxAtOnce = 16;
constexpr std::string_view kMark = "trainyard-reached";
// Constant, so that no login shell can make something else of it.
constexpr const char* kCommand = "exec /bin/sh -c 'echo trainyard-reached `command -v orted`'";

/// ssh explains itself in its last line.
std::string lastLine(std::string text)
{
    text.erase(text.find_last_not_of(" \t\r\n") + 1);
    return text.substr(text.rfind('\n') + 1);
}

Reach reach(const std::string& host, std::chrono::milliseconds patience, const std::string& knownHosts)
{
    Reach result{host, {}, {}, 0};
    const auto seconds =
        std::max<std::int64_t>(1, std::chrono::floor<std::chrono::seconds>(patience).count());
    std::vector<std::string> command = sshCommand({"ConnectTimeout=" + std::to_string(seconds), knownHosts});
    command.insert(command.end(), {"--", host, kCommand});
    const auto output = runCommand(command, patience + std::chrono::seconds(1));
    if (!output.ok()) {
        result.error = output.error().message;
        return result;
    }
    const auto mark = output->text.find(kMark);
    if (output->status != 0 || mark == std::string::npos) {
        result.error = lastLine(output->text);
        if (result.error.empty())
            result.error = "ssh ended with status " + std::to_string(output->status);
        return result;
    }
    result.noise = mark;
    const std::string rest = output->text.substr(mark + kMark.size());
    const std::string line = rest.substr(0, rest.find_first_of("\r\n"));
    result.orted = line.substr(std::min(line.size(), line.find_first_not_of(' ')));
    return result;
}

} // namespace

Result<std::vector<Reach>> reachAll(const std::vector<std::string>& hosts, std::chrono::milliseconds patience,
                                    const std::string& knownHosts)
{
    for (const std::string& host : hosts) {
        if (!isHostName(host))
            return badInput("hosts: \"" + host.substr(0, 100) + "\" is not a host name or address");
    }
    std::vector<Reach> results(hosts.size());
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
        for (std::size_t at = next++; at < hosts.size(); at = next++)
            results[at] = reach(hosts[at], patience, knownHosts);
    };
    std::vector<std::thread> threads;
    try {
        for (std::size_t i = 0; i < std::min(kMaxAtOnce, hosts.size()); ++i)
            threads.emplace_back(work);
    } catch (const std::system_error&) {
        work(); // no more threads are allowed here: this one does what is left
    }
    for (std::thread& thread : threads)
        thread.join();
    return results;
}

} // namespace trainyard::agent
