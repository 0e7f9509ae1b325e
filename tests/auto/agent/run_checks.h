#pragma once

#include <csignal>
#include <string>

#include "engine/base/file.h"
#include "remote/agent/host/process_table.h"
#include "tests/auto/agent/run_fixture.h"

namespace trainyard::agent {

/// With time for a worker that shares its machine; an obedient one ends at once.
inline const nlohmann::json kStop{{"op", "stop"}, {"run", RunFixture::name()}, {"grace_ms", 60'000}};

inline bool contains(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

/// Processes below `ancestor` that have told the kernel to ignore SIGTERM (SigIgn in /proc/PID/status).
inline std::size_t ignoringTerm(pid_t ancestor)
{
    std::size_t count = 0;
    for (const ProcessId& process : descendantsOf(ancestor)) {
        const auto status = readFile("/proc/" + std::to_string(process.pid) + "/status");
        const auto at = status.ok() ? status->find("SigIgn:\t") : std::string::npos;
        if (at == std::string::npos)
            continue;
        const std::uint64_t ignored = std::stoull(status->substr(at + 8, 16), nullptr, 16);
        count += (ignored >> (SIGTERM - 1)) & 1;
    }
    return count;
}

} // namespace trainyard::agent
