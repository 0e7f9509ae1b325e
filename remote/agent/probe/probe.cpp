#include "remote/agent/probe/probe.h"

#include <algorithm>
#include <regex>
#include <sys/utsname.h>
#include <unistd.h>

#include "engine/base/clock.h"
#include "engine/base/process.h"
#include "remote/agent/host/machine.h"
#include "remote/agent/probe/disk_facts.h"
#include "remote/agent/probe/libraries.h"
#include "remote/agent/probe/limit_facts.h"
#include "remote/agent/probe/system_facts.h"
#include "remote/agent/sampler/gpu_instances.h"
#include "remote/agent/sampler/host_load.h"
#include "remote/agent/sampler/nvidia_smi.h"
#include "remote/agent/usage/machine_usage.h"

namespace trainyard::agent {

namespace {

using nlohmann::json;

constexpr std::chrono::seconds kPatience{10};

/// The first group of `pattern` in what the program prints; empty when the program is missing or says
/// something else.
std::string answerOf(const std::vector<std::string>& command, const char* pattern)
{
    if (programInPath(command[0]).empty())
        return {};
    const auto output = runCommand(command, kPatience);
    std::smatch found;
    if (!output.ok() || !std::regex_search(output->text, found, std::regex(pattern)))
        return {};
    return found[1];
}

json usersOf(const GpuFacts& gpu, const std::vector<DeviceUser>& users)
{
    json list = json::array();
    for (const DeviceUser& user : users) {
        if (user.device == gpu.uuid)
            list.push_back({{"pid", user.pid},
                            {"user", user.user},
                            {"run", user.run},
                            {"program", user.program},
                            {"memory", user.memory}});
    }
    return list;
}

json occupants(const std::vector<Occupant>& occupants)
{
    json list = json::array();
    for (const Occupant& one : occupants)
        list.push_back({{"user", one.user}, {"run", one.run}, {"cores", one.cores}, {"memory", one.memory}});
    return list;
}

json deviceFacts(const GpuFacts& gpu, const std::vector<DeviceUser>& users)
{
    return {{"index", gpu.index},
            {"name", gpu.name},
            {"uuid", gpu.uuid},
            {"driver", gpu.driver},
            {"compute", gpu.compute},
            {"memory_total", gpu.memoryTotal},
            {"memory_used", gpu.memoryUsed},
            {"utilisation", gpu.utilisation},
            {"ecc_errors", gpu.eccErrors ? json(*gpu.eccErrors) : json()},
            {"mig", gpu.mig},
            {"exclusive", gpu.exclusive},
            {"processes", usersOf(gpu, users)}};
}

json devices(const std::vector<DeviceUser>& users, std::string& error)
{
    json list = json::array();
    const auto gpus = queryGpus();
    if (!gpus.ok()) {
        error = gpus.error().text();
        return list;
    }
    for (const GpuFacts& gpu : computeDevices(*gpus)) {
        list.push_back(deviceFacts(gpu, users));
        if (gpu.profile.empty())
            continue;
        const auto whole = std::ranges::find(*gpus, gpu.index, &GpuFacts::index);
        list.back()["instance"] = gpu.profile;
        list.back()["gpu_memory"] = whole->memoryTotal;
    }
    return list;
}

json mpi()
{
    const std::string path = programInPath("mpirun");
    if (path.empty())
        return nullptr;
    const std::string ipv6 = answerOf({"ompi_info", "--parsable"}, R"(options:ipv6:(\w+))");
    return {{"path", path},
            {"version", answerOf({"mpirun", "--version"}, R"(mpirun \(Open MPI\) (\S+))")},
            {"ipv6", ipv6.empty() ? json() : json(ipv6 == "yes")}};
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

} // namespace

json clockFacts()
{
    const Instant now = systemClock().now();
    return {{"mono_ns", now.monotonicNs}, {"wall_ns", now.wallNs}};
}

Result<json> probe(const std::filesystem::path& root, const json& needs)
{
    TRAINYARD_TRY(json libraries, libraryFacts(needs));
    const UsageMeter meter; // measures while the rest is asked
    utsname system{};
    ::uname(&system);
    std::string devicesError;
    json facts{{"host", hostName()},
               {"os", osName()},
               {"kernel", system.release},
               {"arch", system.machine},
               {"glibc", glibcVersion()},
               {"libraries", std::move(libraries)},
               {"boot_id", bootId()},
               {"machine_id", machineId()},
               {"network_namespace", networkNamespace()},
               {"user", userName()},
               {"uid", ::getuid()},
               {"cpu", cpuFacts()},
               {"memory", memoryFacts()},
               {"shm", sharedMemoryFacts()},
               {"disk", diskFacts(root)},
               {"home", homeFacts()},
               {"limits", limitFacts()},
               {"mpi", mpi()},
               {"slurm", slurm()},
               {"interfaces", interfaces()},
               {"logind", logindFacts()},
               {"shell", shellFacts()},
               {"selinux", selinuxMode()},
               {"selinux_domain", selinuxDomain()}};
    const MachineUsage usage = meter.read();
    facts["devices"] = devices(usage.devices, devicesError);
    facts["devices_error"] = devicesError;
    facts["occupants"] = occupants(usage.occupants);
    facts["time"] = clockFacts(); // last: the desk compares it with the moment of the reply
    return facts;
}

} // namespace trainyard::agent
