#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

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
/// The same of the given processors, from the text of /proc/stat; nullopt when it lacks one of them.
std::optional<std::uint64_t> busyTicksOf(std::string_view stat, const std::vector<int>& processors);

/// The host as "device" -1: memory, share of busy processors since the last call, free disk.
class HostLoad {
public:
    DeviceSample sample(const std::filesystem::path& folder);

private:
    std::uint64_t m_busy = 0; ///< clock ticks of all processors together, at the last call
    std::uint64_t m_total = 0;
};

} // namespace trainyard::agent
