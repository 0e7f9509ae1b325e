#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <sys/types.h>

#include "engine/base/file.h"
#include "engine/records/record.h"

namespace trainyard::agent {

/// What `nvidia-smi nvlink` tells of all links of one GPU, since its driver was loaded.
struct LinkCounters {
    Bytes sent = 0;
    Bytes received = 0;
    std::uint64_t errors = 0; ///< replays, recoveries and CRC errors

    bool operator==(const LinkCounters&) const = default;
};

/// Parses the output of `nvidia-smi nvlink --getthroughput d` or `--errorcounters`, by index of the GPU; GPUs
/// without links are left out.
std::map<int, LinkCounters> parseLinkCounters(std::string_view text);

/// Asks for the counters of NVLink at intervals, with one nvidia-smi at a time for which nobody waits. Where
/// there are no links it asks once. One thread.
class NvlinkFeed {
public:
    explicit NvlinkFeed(std::chrono::milliseconds interval = std::chrono::seconds(10));
    ~NvlinkFeed();
    NvlinkFeed(const NvlinkFeed&) = delete;
    NvlinkFeed& operator=(const NvlinkFeed&) = delete;

    /// Takes what has come and asks again when it is time.
    void look();
    /// Adds the newest values to the sample of a GPU.
    void addTo(DeviceSample& sample) const;

private:
    enum class Question { Traffic, Errors };

    void ask();
    void finish();
    void takeTraffic(const std::map<int, LinkCounters>& counters);

    std::chrono::milliseconds m_interval;
    std::string m_program; ///< empty = there is nothing to ask
    Question m_question = Question::Traffic;
    FileDescriptor m_output;
    pid_t m_process = 0;
    std::string m_text;
    std::chrono::steady_clock::time_point m_next;
    std::chrono::steady_clock::time_point m_measured; ///< of m_traffic
    std::map<int, LinkCounters> m_traffic;
    std::map<int, DeviceHealth> m_newest; ///< by index of the GPU
};

} // namespace trainyard::agent
