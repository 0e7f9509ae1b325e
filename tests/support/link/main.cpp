// trainyard-link: an Ethernet link in user space between this network namespace and that of a process, with
// delay, jitter, loss, corruption, duplication, reordering, a rate and blocks that are changed while it runs.
// Ends when its standard input does.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <string>

#include <CLI/CLI.hpp>
#include <poll.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <fmt/format.h>

#include "tests/support/link/control.h"
#include "tests/support/link/tap_device.h"

namespace {

using namespace trainyard;
using namespace trainyard::link;

struct Arguments {
    std::string interface;
    std::string hostInterface = "eth0";
    int hostPid = 0;
    std::uint64_t seed = 1;
};

/// Collects lines from standard input.
class Commands {
public:
    /// Reads once; false at the end of input.
    bool read()
    {
        std::array<char, 4096> buffer;
        const ssize_t got = ::read(STDIN_FILENO, buffer.data(), buffer.size());
        if (got <= 0)
            return false;
        m_text.append(buffer.data(), static_cast<std::size_t>(got));
        return true;
    }
    bool next(std::string& line)
    {
        const auto end = m_text.find('\n');
        if (end == std::string::npos)
            return false;
        line = m_text.substr(0, end);
        m_text.erase(0, end + 1);
        return true;
    }

private:
    std::string m_text;
};

void waitForFrames(std::array<pollfd, 3>& watched, TimePoint until)
{
    using namespace std::chrono;
    if (until == TimePoint::max()) {
        ::poll(watched.data(), watched.size(), -1);
        return;
    }
    const auto left = std::max(nanoseconds(0), nanoseconds(until - steady_clock::now()));
    const auto whole = duration_cast<seconds>(left);
    const timespec patience{whole.count(), (left - whole).count()};
    ::ppoll(watched.data(), watched.size(), &patience, nullptr);
}

Status run(const Arguments& arguments)
{
    TRAINYARD_TRY(const FileDescriptor desk, makeTap(arguments.interface, 0));
    TRAINYARD_TRY(const FileDescriptor host, makeTap(arguments.hostInterface, arguments.hostPid));
    // Two seeds, so that both directions do not lose the same frames.
    Relay toHost(desk.get(), host.get(), 2 * arguments.seed);
    Relay fromHost(host.get(), desk.get(), 2 * arguments.seed + 1);
    Commands commands;
    fmt::print("ready\n");
    for (;;) {
        std::fflush(stdout);
        std::array<pollfd, 3> watched{pollfd{STDIN_FILENO, POLLIN, 0}, pollfd{desk.get(), POLLIN, 0},
                                      pollfd{host.get(), POLLIN, 0}};
        waitForFrames(watched, std::min(toHost.nextDeparture(), fromHost.nextDeparture()));
        const TimePoint now = std::chrono::steady_clock::now();
        if (watched[1].revents != 0)
            TRAINYARD_TRY_STATUS(toHost.take(now));
        if (watched[2].revents != 0)
            TRAINYARD_TRY_STATUS(fromHost.take(now));
        toHost.give(now);
        fromHost.give(now);
        if (watched[0].revents != 0 && !commands.read())
            return {};
        for (std::string line; commands.next(line);)
            fmt::print("{}\n", obey(line, toHost, fromHost));
    }
}

} // namespace

int main(int argc, char** argv)
{
    Arguments arguments;
    CLI::App app("An impaired Ethernet link between this network namespace and another, for tests");
    app.add_option("--interface", arguments.interface, "name of the interface on this side")->required();
    app.add_option("--host-pid", arguments.hostPid, "a process of the other network namespace")->required();
    app.add_option("--host-interface", arguments.hostInterface, "name of the interface there");
    app.add_option("--seed", arguments.seed, "of every random decision");
    CLI11_PARSE(app, argc, argv);
    // Sleeps end within a microsecond of their time instead of 50.
    ::prctl(PR_SET_TIMERSLACK, 1000);
    if (const Status status = run(arguments); !status.ok()) {
        fmt::print(stderr, "trainyard-link: {}\n", status.error().text());
        return exitStatus(status.error().kind);
    }
    return 0;
}
