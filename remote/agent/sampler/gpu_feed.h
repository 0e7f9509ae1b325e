#pragma once

#include <chrono>
#include <string>
#include <vector>

#include <sys/types.h>

#include "engine/base/file.h"
#include "engine/records/record.h"

namespace trainyard::agent {

/// Runs one nvidia-smi that prints a line per GPU in every interval for the lifetime of this object: starting
/// one per sample would cost more than the sample. Of an older driver, which ends it because of a field that
/// it does not know, it asks for fewer. Yields no samples without a driver. One thread.
class GpuFeed {
public:
    explicit GpuFeed(std::chrono::milliseconds interval);
    ~GpuFeed();
    GpuFeed(const GpuFeed&) = delete;
    GpuFeed& operator=(const GpuFeed&) = delete;

    /// Returns the samples that arrived since the last call, without waiting.
    std::vector<DeviceSample> take();

private:
    void start();
    bool readMore();

    std::chrono::milliseconds m_interval;
    std::size_t m_fields = 0; ///< which of gpuSampleFields()
    bool m_anyCame = false;   ///< samples
    FileDescriptor m_output;
    pid_t m_process = 0;
    std::string m_pending;
};

} // namespace trainyard::agent
