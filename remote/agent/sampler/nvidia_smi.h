#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/records/record.h"

namespace trainyard::agent {

/// What nvidia-smi tells about one GPU. The driver's own tool is asked instead of NVML, because the agent is
/// linked statically, so that it starts on every Linux, and such a program cannot open the driver's library.
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
};

/// The fields of --query-gpu for parseGpuFacts and parseGpuSample.
extern const char* const kGpuFactFields;
extern const char* const kGpuSampleFields;

/// Fields that not every driver knows, for addGpuHealth().
extern const char* const kGpuHealthFields;

/// One line of `--format=csv,noheader,nounits`; nothing when it is something else. "[N/A]" counts as 0,
/// and as unknown where a figure may be.
std::optional<GpuFacts> parseGpuFacts(std::string_view line);
std::optional<DeviceSample> parseGpuSample(std::string_view line);

/// Adds a line about kGpuHealthFields to the GPU that it is about.
void addGpuHealth(std::string_view line, std::vector<GpuFacts>& gpus);

/// All GPUs; empty without a driver. Failed when there is a driver that does not answer.
Result<std::vector<GpuFacts>> queryGpus();

} // namespace trainyard::agent
