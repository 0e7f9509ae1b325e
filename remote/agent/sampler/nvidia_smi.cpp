#include "remote/agent/sampler/nvidia_smi.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>
#include <unistd.h>

#include "engine/base/parsed_number.h"
#include "engine/base/process.h"
#include "remote/agent/sampler/gpu_instances.h"

namespace trainyard::agent {

const char* const kGpuFactFields =
    "index,name,uuid,driver_version,compute_cap,memory.total,memory.used,utilization.gpu";
const char* const kGpuProcessFields = "gpu_uuid,pid,used_gpu_memory,process_name";
const char* const kGpuHealthFields =
    "index,ecc.errors.uncorrected.volatile.total,mig.mode.current,compute_mode";

namespace {

constexpr std::chrono::seconds kPatience{20}; // a driver without persistence takes seconds to wake up

constexpr long kMaxIndex = 4'194'304; // the kernel's largest process number

std::vector<std::string> cells(std::string_view line)
{
    std::vector<std::string> cells;
    std::istringstream stream{std::string(line)};
    for (std::string cell; std::getline(stream, cell, ',');) {
        const auto first = cell.find_first_not_of(' ');
        const auto last = cell.find_last_not_of(" \r");
        cells.push_back(first == std::string::npos ? std::string() : cell.substr(first, last - first + 1));
    }
    return cells;
}

std::optional<int> indexIn(const std::string& cell)
{
    char* end = nullptr;
    const long value = std::strtol(cell.c_str(), &end, 10);
    if (cell.empty() || *end != '\0' || value < 0 || value > kMaxIndex)
        return std::nullopt;
    return static_cast<int>(value);
}

double numberIn(const std::string& cell)
{
    return std::strtod(cell.c_str(), nullptr); // "[N/A]" gives 0
}

/// Nothing for "[N/A]" and the like.
std::optional<double> measuredIn(const std::string& cell)
{
    char* end = nullptr;
    const double value = std::strtod(cell.c_str(), &end);
    return end != cell.c_str() && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::optional<std::uint64_t> countIn(const std::string& cell)
{
    return parsedNumber<std::uint64_t>(cell);
}

/// NVML's bits (nvmlClocksEventReasons), of which those that cost speed count.
std::optional<std::uint64_t> clockLimitsIn(const std::string& cell)
{
    constexpr std::uint64_t kPowerCap = 0x04, kHardware = 0x08, kHeat = 0x20 | 0x40, kPowerBrake = 0x80;
    const auto bits = cell.starts_with("0x") ? parsedNumber<std::uint64_t>(cell.substr(2), 16) : std::nullopt;
    if (!bits)
        return std::nullopt;
    std::uint64_t limits = 0;
    const auto add = [&](std::uint64_t mask, ClockLimit limit) {
        if ((*bits & mask) != 0)
            limits |= std::uint64_t{1} << static_cast<unsigned>(limit);
    };
    add(kPowerCap, ClockLimit::Power);
    add(kHeat, ClockLimit::Heat);
    add(kPowerBrake, ClockLimit::PowerBrake);
    if (limits == 0) // else it says the same again
        add(kHardware, ClockLimit::Hardware);
    return limits;
}

DeviceHealth healthIn(const std::vector<std::string>& cell)
{
    DeviceHealth health;
    health.correctedErrors = countIn(cell[6]);
    health.uncorrectedErrors = countIn(cell[7]);
    health.uuid = cell[8];
    health.memoryCelsius = measuredIn(cell[9]);
    health.limitWatts = measuredIn(cell[10]);
    health.clockMhz = measuredIn(cell[11]);
    health.maxClockMhz = measuredIn(cell[12]);
    health.clockLimits = clockLimitsIn(cell[13]);
    return health;
}

Bytes mebibytesIn(const std::string& cell)
{
    return static_cast<Bytes>(numberIn(cell)) * kMiB;
}

} // namespace

const std::vector<std::string>& gpuSampleFields()
{
    static const std::string load =
        "index,memory.used,memory.total,utilization.gpu,temperature.gpu,power.draw";
    static const std::string health =
        load + ",ecc.errors.corrected.volatile.total,ecc.errors.uncorrected.volatile.total,uuid,"
               "temperature.memory,enforced.power.limit,clocks.sm,clocks.max.sm,";
    static const std::vector<std::string> fields{health + "clocks_event_reasons.active",
                                                 health + "clocks_throttle_reasons.active", load};
    return fields;
}

std::optional<GpuFacts> parseGpuFacts(std::string_view line)
{
    const auto cell = cells(line);
    const auto index = cell.size() == 8 ? indexIn(cell[0]) : std::nullopt;
    if (!index)
        return std::nullopt;
    return GpuFacts{*index,
                    cell[1],
                    cell[2],
                    cell[3],
                    cell[4],
                    mebibytesIn(cell[5]),
                    mebibytesIn(cell[6]),
                    numberIn(cell[7]) / 100,
                    {}};
}

void addGpuHealth(std::string_view line, std::vector<GpuFacts>& gpus)
{
    const auto cell = cells(line);
    const auto index = cell.size() == 4 ? indexIn(cell[0]) : std::nullopt;
    if (!index)
        return;
    const auto gpu =
        std::find_if(gpus.begin(), gpus.end(), [&](const GpuFacts& g) { return g.index == *index; });
    if (gpu == gpus.end())
        return;
    if (const auto errors = indexIn(cell[1])) // "[N/A]" without ECC
        gpu->eccErrors = static_cast<std::uint64_t>(*errors);
    gpu->mig = cell[2] == "Enabled";
    gpu->exclusive = !cell[3].empty() && cell[3] != "Default" && !cell[3].starts_with('[');
}

std::optional<GpuProcess> parseGpuProcess(std::string_view line)
{
    const auto cell = cells(line);
    const auto pid = cell.size() >= 4 ? indexIn(cell[1]) : std::nullopt;
    if (!pid || *pid == 0 || cell[0].empty())
        return std::nullopt;
    GpuProcess process{cell[0], *pid, cell[3], mebibytesIn(cell[2])};
    for (std::size_t further = 4; further < cell.size(); ++further) // a comma in the program's path
        process.name += ',' + cell[further];
    return process;
}

std::optional<DeviceSample> parseGpuSample(std::string_view line)
{
    const auto cell = cells(line);
    const bool hasHealth = cell.size() == 14;
    const auto index = cell.size() == 6 || hasHealth ? indexIn(cell[0]) : std::nullopt;
    if (!index)
        return std::nullopt;
    DeviceSample sample;
    sample.device = *index;
    sample.memoryUsed = mebibytesIn(cell[1]);
    sample.memoryTotal = mebibytesIn(cell[2]);
    sample.utilisation = numberIn(cell[3]) / 100;
    sample.celsius = measuredIn(cell[4]);
    sample.watts = measuredIn(cell[5]);
    if (hasHealth)
        sample.health = healthIn(cell);
    return sample;
}

namespace {

Result<CommandOutput> query(const char* fields)
{
    return runCommand({nvidiaSmi(), std::string("--query-gpu=") + fields, "--format=csv,noheader,nounits"},
                      kPatience);
}

/// An older driver does not know the fields and fails: what it does not tell is not known.
void askForHealth(std::vector<GpuFacts>& gpus)
{
    const auto output = query(kGpuHealthFields);
    std::istringstream lines(output.ok() && output->status == 0 ? output->text : std::string());
    for (std::string line; std::getline(lines, line);)
        addGpuHealth(line, gpus);
}

} // namespace

namespace {

void askForInstances(std::vector<GpuFacts>& gpus)
{
    const auto list = runCommand({nvidiaSmi(), "-L"}, kPatience);
    if (!list.ok() || list->status != 0)
        return;
    addInstances(list->text, gpus);
    for (const GpuFacts& gpu : gpus) {
        if (gpu.instances.empty())
            continue;
        const auto details =
            runCommand({nvidiaSmi(), "-q", "-x", "-i", std::to_string(gpu.index)}, kPatience);
        if (details.ok() && details->status == 0)
            addInstanceMemory(details->text, gpus);
    }
}

} // namespace

std::string nvidiaSmi()
{
    if (std::string path = programInPath("nvidia-smi"); !path.empty())
        return path;
    for (const char* folder :
         {"/usr/bin", "/usr/lib/wsl/lib", "/usr/local/nvidia/bin", "/run/current-system/sw/bin"}) {
        if (std::string path = folder + std::string("/nvidia-smi"); ::access(path.c_str(), X_OK) == 0)
            return path;
    }
    return {};
}

Result<std::vector<GpuFacts>> queryGpus()
{
    std::vector<GpuFacts> gpus;
    if (nvidiaSmi().empty())
        return gpus;
    TRAINYARD_TRY(const CommandOutput output, query(kGpuFactFields));
    if (output.status != 0)
        return failed("nvidia-smi: " + output.text.substr(0, output.text.find('\n')),
                      "check the driver with nvidia-smi");
    std::istringstream lines(output.text);
    for (std::string line; std::getline(lines, line);) {
        if (auto gpu = parseGpuFacts(line))
            gpus.push_back(std::move(*gpu));
    }
    if (!gpus.empty())
        askForHealth(gpus);
    if (std::ranges::any_of(gpus, &GpuFacts::mig))
        askForInstances(gpus);
    return gpus;
}

std::vector<GpuProcess> queryGpuProcesses()
{
    std::vector<GpuProcess> processes;
    if (nvidiaSmi().empty())
        return processes;
    const auto output = runCommand({nvidiaSmi(), std::string("--query-compute-apps=") + kGpuProcessFields,
                                    "--format=csv,noheader,nounits"},
                                   kPatience);
    std::istringstream lines(output.ok() && output->status == 0 ? output->text : std::string());
    for (std::string line; std::getline(lines, line);) {
        if (auto process = parseGpuProcess(line))
            processes.push_back(std::move(*process));
    }
    return processes;
}

} // namespace trainyard::agent
