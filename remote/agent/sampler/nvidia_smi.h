#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "engine/base/result.h"
#include "engine/records/record.h"

namespace trainyard::agent {

/// A part of a GPU that computes like one of its own (MIG).
struct GpuInstance {
    std::string uuid;      ///< "MIG-..."
    std::string profile;   ///< "3g.20gb": compute slices and memory
    Bytes memoryTotal = 0; ///< 0 = unknown
    Bytes memoryUsed = 0;
};

/// Facts of one GPU as nvidia-smi reports them. Uses the driver's tool instead of NVML, because the agent is
/// linked statically to start on every Linux, and a static program cannot open the driver's library.
struct GpuFacts {
    int index = 0;
    std::string name;
    std::string uuid;
    std::string driver;
    std::string compute; ///< "9.0"
    Bytes memoryTotal = 0;
    Bytes memoryUsed = 0;
    double utilisation = 0;                 ///< 0..1
    std::optional<std::uint64_t> eccErrors; ///< uncorrected since the driver started; nothing = not counted
    bool mig = false;                       ///< cut into instances
    bool exclusive = false;                 ///< compute mode other than "Default"
    std::vector<GpuInstance> instances{};   ///< as far as known
    std::string profile{};                  ///< of computeDevices(): of the instance that this is one of
};

/// The fields of --query-gpu for parseGpuFacts.
extern const char* const kGpuFactFields;
/// The same for parseGpuSample: all first, as present and as earlier drivers call them, last the few that
/// every driver knows. nvidia-smi ends at once when it does not know a field.
const std::vector<std::string>& gpuSampleFields();

/// Fields that some drivers do not know, for addGpuHealth().
extern const char* const kGpuHealthFields;

/// Parses one line of `--format=csv,noheader,nounits`; nullopt for anything else. "[N/A]" counts as 0, or as
/// unknown for optional values.
std::optional<GpuFacts> parseGpuFacts(std::string_view line);
std::optional<DeviceSample> parseGpuSample(std::string_view line);

/// Adds a line with kGpuHealthFields to its GPU.
void addGpuHealth(std::string_view line, std::vector<GpuFacts>& gpus);

/// Returns the path of nvidia-smi, in PATH or where containers, WSL and NixOS have it; empty when there is
/// none.
std::string nvidiaSmi();

/// A process that computes on a GPU. The driver counts processes of the whole machine, also in a container.
struct GpuProcess {
    std::string uuid; ///< of the GPU
    pid_t pid = 0;
    std::string name; ///< "/usr/bin/python3"; "[Not Found]" where the driver does not see it
    Bytes memory = 0; ///< of the GPU; 0 = unknown
};

/// The fields of --query-compute-apps for parseGpuProcess.
extern const char* const kGpuProcessFields;
/// Parses one line; nullopt for anything else.
std::optional<GpuProcess> parseGpuProcess(std::string_view line);
/// Returns the processes on all GPUs; empty without a driver, and where it does not answer.
std::vector<GpuProcess> queryGpuProcesses();

/// Returns all GPUs; empty without a driver. Failed when a driver is installed but does not respond.
Result<std::vector<GpuFacts>> queryGpus();

} // namespace trainyard::agent
