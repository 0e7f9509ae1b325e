#pragma once

#include <chrono>
#include <string>
#include <vector>

#include <sys/types.h>

#include "engine/base/file.h"
#include "engine/records/record.h"

namespace trainyard::agent {

/// One nvidia-smi that prints a line per GPU in every interval, for as long as this object lives: starting
/// one per sample would cost more than the sample. Without a driver it never gives anything. One thread.
class GpuFeed {
public:
    explicit GpuFeed(std::chrono::milliseconds interval);
    ~GpuFeed();
    GpuFeed(const GpuFeed&) = delete;
    GpuFeed& operator=(const GpuFeed&) = delete;

    /// What has arrived since the last call; does not wait.
    std::vector<DeviceSample> take();

private:
    FileDescriptor m_output;
    pid_t m_process = 0;
    std::string m_pending;
};

} // namespace trainyard::agent
