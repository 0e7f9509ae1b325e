#include "remote/agent/probe/probe.h"

#include <regex>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "engine/base/clock.h"
#include "remote/agent/host/machine.h"
#include "remote/agent/host/process.h"
#include "remote/agent/probe/system_facts.h"
#include "remote/agent/sampler/host_load.h"
#include "remote/agent/sampler/nvidia_smi.h"

namespace trainyard::agent {

namespace {

using nlohmann::json;

constexpr std::chrono::seconds kPatience{10};

/// The first group of `pattern` in what the program prints; empty when the program is missing or says
/// something else.
std::string answerOf(const std::vector<std::string>& command, const char* pattern)
{
    if (findProgram(command[0]).empty())
        return {};
    const auto output = runCommand(command, kPatience);
    std::smatch found;
    if (!output.ok() || !std::regex_search(output->text, found, std::regex(pattern)))
        return {};
    return found[1];
}

json devices(std::string& error)
{
    json list = json::array();
    const auto gpus = queryGpus();
    if (!gpus.ok()) {
        error = gpus.error().text();
        return list;
    }
    for (const GpuFacts& gpu : *gpus) {
        list.push_back({{"index", gpu.index},
                        {"name", gpu.name},
                        {"uuid", gpu.uuid},
                        {"driver", gpu.driver},
                        {"compute", gpu.compute},
                        {"memory_total", gpu.memoryTotal},
                        {"memory_used", gpu.memoryUsed},
                        {"utilisation", gpu.utilisation}});
    }
    return list;
}

json mpi()
{
    const std::string path = findProgram("mpirun");
    if (path.empty())
        return nullptr;
    return {{"path", path}, {"version", answerOf({"mpirun", "--version"}, R"(mpirun \(Open MPI\) (\S+))")}};
}

json slurm()
{
    const std::string version = answerOf({"sinfo", "--version"}, R"(slurm\S* (\S+))");
    return version.empty() ? json() : json{{"version", version}};
}

json memoryFacts()
{
    const HostMemory memory = hostMemory();
    return {{"total", memory.total}, {"available", memory.available}};
}

json sharedMemory()
{
    const auto space = diskSpace("/dev/shm");
    return {{"total", space.ok() ? space->total : 0}, {"free", space.ok() ? space->free : 0}};
}

/// The disk below the first folder that exists on the way up from `root`: before the first deployment there
/// is none.
json diskFacts(std::filesystem::path root)
{
    std::error_code ignored;
    while (!std::filesystem::exists(root, ignored) && root.has_relative_path())
        root = root.parent_path();
    const auto space = diskSpace(root);
    json facts{{"path", root.string()},
               {"filesystem", fileSystemOf(root)},
               {"writable", ::access(root.c_str(), W_OK) == 0}};
    if (space.ok()) {
        facts["total"] = space->total;
        facts["free"] = space->free;
        facts["inodes_free"] = space->inodesFree;
        facts["noexec"] = space->noexec;
    }
    return facts;
}

json limitOf(rlim_t value)
{
    return value == RLIM_INFINITY ? json(-1) : json(value);
}

json limits()
{
    rlimit files{};
    rlimit memlock{};
    ::getrlimit(RLIMIT_NOFILE, &files);
    ::getrlimit(RLIMIT_MEMLOCK, &memlock);
    return {{"nofile", limitOf(files.rlim_cur)},
            {"nofile_hard", limitOf(files.rlim_max)},
            {"memlock", limitOf(memlock.rlim_cur)}};
}

} // namespace

json clockFacts()
{
    const Instant now = systemClock().now();
    return {{"mono_ns", now.monotonicNs}, {"wall_ns", now.wallNs}};
}

json probe(const std::filesystem::path& root)
{
    utsname system{};
    ::uname(&system);
    std::string devicesError;
    json facts{{"host", hostName()},
               {"os", osName()},
               {"kernel", system.release},
               {"arch", system.machine},
               {"glibc", answerOf({"getconf", "GNU_LIBC_VERSION"}, R"(glibc (\S+))")},
               {"boot_id", bootId()},
               {"user", userName()},
               {"uid", ::getuid()},
               {"cpu", cpuFacts()},
               {"memory", memoryFacts()},
               {"shm", sharedMemory()},
               {"disk", diskFacts(root)},
               {"limits", limits()},
               {"devices", devices(devicesError)},
               {"mpi", mpi()},
               {"slurm", slurm()},
               {"interfaces", interfaces()},
               {"logind", logindFacts()}};
    facts["devices_error"] = devicesError;
    facts["time"] = clockFacts(); // last: the desk compares it with the moment of the reply
    return facts;
}

} // namespace trainyard::agent
