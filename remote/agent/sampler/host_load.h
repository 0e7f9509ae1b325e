#pragma once

#include <cstdint>
#include <filesystem>

#include "engine/base/units.h"
#include "engine/records/record.h"

namespace trainyard::agent {

struct HostMemory {
    Bytes total = 0;
    Bytes available = 0; ///< as the kernel estimates it for a new program
};
HostMemory hostMemory();

/// Returns the time that all processors together have worked since boot, in clock ticks.
std::uint64_t busyTicks();

/// The host as "device" -1: memory, share of busy processors since the last call, free disk.
class HostLoad {
public:
    DeviceSample sample(const std::filesystem::path& folder);

private:
    std::uint64_t m_busy = 0; ///< clock ticks of all processors together, at the last call
    std::uint64_t m_total = 0;
};

} // namespace trainyard::agent
