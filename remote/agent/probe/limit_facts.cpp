#include "remote/agent/probe/limit_facts.h"

#include <filesystem>
#include <optional>
#include <sstream>
#include <string>
#include <sys/resource.h>
#include <vector>

#include "engine/base/file.h"

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

/// The folders of our control group that may limit tasks, version 1 ("9:pids:/a/b") and 2 ("0::/a/b").
std::vector<fs::path> controlGroups()
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
        } else if (controllers.find("pids") != std::string::npos) {
            folders.push_back(fs::path("/sys/fs/cgroup/pids") / path);
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

/// The tightest limit of a group and those above it.
void addTasks(json& facts)
{
    facts["tasks"] = -1;
    facts["tasks_used"] = 0;
    std::int64_t least = INT64_MAX;
    for (fs::path folder : controlGroups()) {
        for (; folder.string().size() > std::string_view("/sys/fs/cgroup").size();
             folder = folder.parent_path()) {
            const auto limit = numberIn(folder / "pids.max");
            const auto used = numberIn(folder / "pids.current").value_or(0);
            if (!limit || *limit - used >= least)
                continue;
            least = *limit - used;
            facts["tasks"] = *limit;
            facts["tasks_used"] = used;
        }
    }
}

} // namespace

json limitFacts()
{
    json facts{{"nofile", softLimit(RLIMIT_NOFILE)},
               {"nofile_hard", hardLimit(RLIMIT_NOFILE)},
               {"memlock", softLimit(RLIMIT_MEMLOCK)},
               {"memlock_hard", hardLimit(RLIMIT_MEMLOCK)},
               {"processes", softLimit(RLIMIT_NPROC)}};
    addTasks(facts);
    return facts;
}

} // namespace trainyard::agent
