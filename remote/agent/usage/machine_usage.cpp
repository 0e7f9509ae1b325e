#include "remote/agent/usage/machine_usage.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <sstream>
#include <thread>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/base/file.h"
#include "remote/agent/host/machine.h"
#include "remote/agent/runs/run_folder.h"
#include "remote/agent/sampler/host_load.h"

namespace trainyard::agent {

namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kMeasurement{250};
// As the preflight judges them: a driver, a display or a monitor takes less.
constexpr double kBusyMemory = 0.1; ///< share of a GPU's memory
constexpr double kBusyTime = 0.2;
constexpr double kNoticedCores = 0.1;
constexpr Bytes kNoticedMemory = 256 * kMiB;
constexpr uid_t kFirstPerson = 1000; ///< accounts below are the system's, but root's may be a person's
constexpr const char* kInitialPidNamespace = "pid:[4026531836]"; ///< PROC_PID_INIT_INO of the kernel

std::string runOf(const ProcessLoad& process)
{
    if (process.owner != ::geteuid())
        return {};
    return environmentValue(process.id, RunFolder::kRunVariable).value_or(std::string());
}

std::string baseName(const std::string& path)
{
    return path.substr(path.rfind('/') + 1);
}

/// In a container nvidia-smi may tell numbers of the machine's processes, which are others here: the name
/// has to agree.
bool isProcessOf(const GpuProcess& gpu, const ProcessLoad& process)
{
    std::error_code ignored;
    static const bool ours =
        std::filesystem::read_symlink("/proc/self/ns/pid", ignored) == kInitialPidNamespace;
    if (process.id.pid != gpu.pid)
        return false;
    const auto command = readFile("/proc/" + std::to_string(gpu.pid) + "/cmdline");
    const std::string first = command.ok() ? command->substr(0, command->find('\0')) : std::string();
    const std::string name = baseName(gpu.name);
    return ours || process.name == name.substr(0, 15) || baseName(first) == name;
}

/// The users whose processes a person looks for; daemons of the system count only when they are noticed.
struct Key {
    uid_t user;
    std::string run;
    auto operator<=>(const Key&) const = default;
};

bool isNoticed(const Key& key, const Occupant& occupant)
{
    const bool person = key.user == 0 || key.user >= kFirstPerson;
    return occupant.cores >= kNoticedCores || (person && occupant.memory >= kNoticedMemory);
}

std::vector<Occupant> sorted(const std::map<Key, Occupant>& all)
{
    std::vector<Occupant> list;
    for (const auto& [key, occupant] : all) {
        if (!isNoticed(key, occupant))
            continue;
        list.push_back(occupant);
        list.back().user = userNameOf(key.user);
        list.back().run = key.run;
    }
    std::ranges::stable_sort(list, std::greater{}, &Occupant::cores);
    return list;
}

double ticksPerSecond()
{
    return static_cast<double>(::sysconf(_SC_CLK_TCK));
}

std::optional<std::uint64_t> busyTicksHere()
{
    const auto stat = readFile("/proc/stat");
    const std::vector<int> processors = usableProcessors();
    return stat.ok() && !processors.empty() ? busyTicksOf(*stat, processors) : std::nullopt;
}

bool hidesOthersHere()
{
    const auto mounts = readFile("/proc/self/mounts");
    return mounts.ok() && hidesOthers(*mounts);
}

} // namespace

UsageMeter::UsageMeter() : m_start(SteadyClock::now()), m_busy(busyTicks()), m_busyHere(busyTicksHere())
{
    for (const ProcessLoad& process : processLoads())
        m_ticks[process.id] = process.ticks;
}

MachineUsage UsageMeter::read(const std::string& exceptRun) const
{
    std::this_thread::sleep_until(m_start + kMeasurement);
    const std::vector<ProcessLoad> loads = processLoads();
    const double ticks =
        std::chrono::duration<double>(SteadyClock::now() - m_start).count() * ticksPerSecond();
    std::map<Key, Occupant> occupants;
    double seen = 0; // cores of all processes that /proc shows
    double own = 0;
    for (const ProcessLoad& process : loads) {
        const auto before = m_ticks.find(process.id);
        const std::uint64_t used = process.ticks - (before == m_ticks.end() ? 0 : before->second);
        const double cores = static_cast<double>(used) / ticks;
        seen += cores;
        const std::string run = runOf(process);
        if (process.id.pid == ::getpid() || process.id.pid == ::getppid() ||
            (!run.empty() && run == exceptRun)) {
            own += cores;
            continue;
        }
        Occupant& occupant = occupants[{process.owner, run}];
        occupant.cores += cores;
        occupant.memory += process.resident;
    }
    MachineUsage usage{deviceUsers(loads, exceptRun), sorted(occupants)};
    const double hidden = static_cast<double>(busyTicks() - m_busy) / ticks - seen;
    if (hidesOthersHere() && hidden >= kNoticedCores)
        usage.occupants.push_back({"others", {}, hidden, 0});
    const auto busyHere = busyTicksHere();
    const double others =
        busyHere && m_busyHere ? static_cast<double>(*busyHere - *m_busyHere) / ticks : seen + hidden;
    usage.busyCores = std::max(0.0, others - own);
    return usage;
}

namespace {

/// Adds the devices that our own runs have taken and do not use yet: ranks that start need seconds until the
/// driver knows them.
void addClaims(const std::vector<ProcessLoad>& loads, const std::string& exceptRun,
               std::vector<DeviceUser>& users)
{
    for (const ProcessLoad& process : loads) {
        const std::string run = runOf(process);
        if (run.empty() || run == exceptRun)
            continue;
        std::istringstream devices(
            environmentValue(process.id, RunFolder::kDevicesVariable).value_or(std::string()));
        for (std::string device; std::getline(devices, device, ',');) {
            const bool known = std::ranges::any_of(
                users, [&](const DeviceUser& user) { return user.device == device && user.run == run; });
            if (!known)
                users.push_back({device, process.id.pid, userNameOf(process.owner), run, process.name, 0});
        }
    }
}

} // namespace

std::vector<DeviceUser> deviceUsers(const std::vector<ProcessLoad>& loads, const std::string& exceptRun)
{
    std::vector<DeviceUser> users;
    for (const GpuProcess& gpu : queryGpuProcesses()) {
        DeviceUser user{gpu.uuid, gpu.pid, {}, {}, baseName(gpu.name), gpu.memory};
        const auto process =
            std::ranges::find_if(loads, [&](const ProcessLoad& load) { return isProcessOf(gpu, load); });
        if (process != loads.end()) {
            user.user = userNameOf(process->owner);
            user.run = runOf(*process);
        }
        if (user.run.empty() || user.run != exceptRun)
            users.push_back(std::move(user));
    }
    addClaims(loads, exceptRun, users);
    return users;
}

std::string textOf(const DeviceUser& user)
{
    const std::string memory = user.memory > 0 ? formatBytes(user.memory) : std::string();
    if (!user.run.empty())
        return fmt::format("your run {}{}", user.run, memory.empty() ? "" : fmt::format(" ({})", memory));
    return fmt::format("{} ({}{})", user.user.empty() ? fmt::format("process {}", user.pid) : user.user,
                       user.program, memory.empty() ? "" : ", " + memory);
}

std::string userOf(const GpuFacts& gpu, const std::vector<DeviceUser>& users)
{
    std::vector<std::string> names;
    for (const DeviceUser& user : users) {
        if (user.device == gpu.uuid)
            names.push_back(textOf(user));
    }
    if (!names.empty())
        return fmt::format("{}", fmt::join(names, " and "));
    const bool full =
        static_cast<double>(gpu.memoryUsed) > kBusyMemory * static_cast<double>(gpu.memoryTotal);
    if (!full && gpu.utilisation <= kBusyTime)
        return {};
    return fmt::format("processes that are not visible here ({}, {:.0f} % busy)", formatBytes(gpu.memoryUsed),
                       gpu.utilisation * 100);
}

std::string textOf(const Occupant& occupant)
{
    const std::string who = occupant.run.empty() ? occupant.user : "your run " + occupant.run;
    return fmt::format("{} uses {:.1f} cores", who, occupant.cores);
}

} // namespace trainyard::agent
