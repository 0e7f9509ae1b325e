#include "remote/agent/probe/limit_facts.h"

#include <filesystem>
#include <optional>
#include <sstream>
#include <string>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

#include "engine/base/file.h"
#include "remote/agent/usage/process_load.h"

namespace trainyard::agent {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

json softLimit(int resource)
{
    rlimit limit{};
    ::getrlimit(static_cast<__rlimit_resource>(resource), &limit);
    return limit.rlim_cur == RLIM_INFINITY ? json(-1) : json(limit.rlim_cur);
}

json hardLimit(int resource)
{
    rlimit limit{};
    ::getrlimit(static_cast<__rlimit_resource>(resource), &limit);
    return limit.rlim_max == RLIM_INFINITY ? json(-1) : json(limit.rlim_max);
}

/// The folders of our control group of this controller, version 1 ("9:pids:/a/b") and 2 ("0::/a/b").
std::vector<fs::path> controlGroups(const std::string& controller)
{
    std::vector<fs::path> folders;
    const auto text = readFile("/proc/self/cgroup");
    std::istringstream lines(text.ok() ? *text : std::string());
    for (std::string line; std::getline(lines, line);) {
        const auto first = line.find(':');
        const auto second = line.find(':', first + 1);
        if (second == std::string::npos || line.size() < second + 2)
            continue;
        const std::string controllers = line.substr(first + 1, second - first - 1);
        const std::string path = line.substr(second + 2); // without the leading '/'
        if (controllers.empty()) {
            folders.push_back(fs::path("/sys/fs/cgroup") / path);
            folders.push_back(fs::path("/sys/fs/cgroup/unified") / path);
        } else if (controllers.find(controller) != std::string::npos) {
            folders.push_back(fs::path("/sys/fs/cgroup") / controller / path);
        }
    }
    return folders;
}

/// Nothing for "max" and for a file that is not there.
std::optional<std::int64_t> numberIn(const fs::path& file)
{
    const auto text = readFile(file);
    std::int64_t number = 0;
    std::istringstream stream(text.ok() ? *text : std::string());
    return stream >> number ? std::optional(number) : std::nullopt;
}

constexpr std::int64_t kNoLimit = std::int64_t{1} << 60; ///< version 1 writes a number near 2^63 for "none"

/// A limit and how much of it is in use.
struct Allowance {
    std::int64_t limit = -1; ///< -1 = unlimited
    std::int64_t used = 0;
};

/// The tightest one of a group and those above it. `limit`, `used`: names of its files.
Allowance tightest(const std::string& controller, const char* limit, const char* used)
{
    Allowance tight;
    for (fs::path folder : controlGroups(controller)) {
        for (; folder.string().size() > std::string_view("/sys/fs/cgroup").size();
             folder = folder.parent_path()) {
            const auto most = numberIn(folder / limit);
            const auto now = numberIn(folder / used).value_or(0);
            if (most && *most < kNoLimit && (tight.limit < 0 || *most - now < tight.limit - tight.used))
                tight = {*most, now};
        }
    }
    return tight;
}

void addGroups(json& facts)
{
    const Allowance tasks = tightest("pids", "pids.max", "pids.current");
    facts["tasks"] = tasks.limit;
    facts["tasks_used"] = tasks.used;
    Allowance memory = tightest("memory", "memory.max", "memory.current");
    if (memory.limit < 0)
        memory = tightest("memory", "memory.limit_in_bytes", "memory.usage_in_bytes");
    facts["memory"] = memory.limit;
    facts["memory_used"] = memory.used;
}

/// The kernel does not hold root to it.
json processLimit(json (*limit)(int))
{
    return ::geteuid() == 0 ? json(-1) : limit(RLIMIT_NPROC);
}

/// Threads of our user, which RLIMIT_NPROC counts.
std::int64_t threadsOfUser()
{
    std::int64_t threads = 0;
    for (const ProcessLoad& process : processLoads())
        threads += process.owner == ::getuid() ? process.threads : 0;
    return threads;
}

} // namespace

json limitFacts()
{
    json facts{{"nofile", softLimit(RLIMIT_NOFILE)},        {"nofile_hard", hardLimit(RLIMIT_NOFILE)},
               {"memlock", softLimit(RLIMIT_MEMLOCK)},      {"memlock_hard", hardLimit(RLIMIT_MEMLOCK)},
               {"address_space", softLimit(RLIMIT_AS)},     {"processes", processLimit(softLimit)},
               {"processes_hard", processLimit(hardLimit)}, {"processes_used", threadsOfUser()}};
    addGroups(facts);
    return facts;
}

} // namespace trainyard::agent
