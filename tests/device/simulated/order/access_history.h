#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "tests/device/simulated/order/vector_clock.h"

namespace trainyard {

/// A piece of work: the `time`-th of a stream.
struct WorkStamp {
    std::size_t stream = 0;
    std::uint64_t time = 0;
    const char* name = ""; ///< of the kernel or copy; lives as long as the process

    bool isBehind(const VectorClock& clock) const { return time <= clock.of(stream); }
};

/// Memory from `begin` up to `end`, as addresses.
struct MemoryRange {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
};

/// Who last wrote and who has since read each part of some memory, so that work that is not ordered behind
/// what it depends on is found. Not thread-safe.
class AccessHistory {
public:
    struct Conflict {
        WorkStamp earlier;
        bool wasWrite = false;
    };

    /// `work`, whose stream has `clock` behind it, reads the range. What it is not ordered behind, if
    /// anything; then nothing is noted.
    std::optional<Conflict> read(MemoryRange range, const WorkStamp& work, const VectorClock& clock);
    /// The same for work that writes.
    std::optional<Conflict> write(MemoryRange range, const WorkStamp& work, const VectorClock& clock);
    void forget(MemoryRange range);

private:
    struct Part {
        std::uintptr_t end = 0;
        std::optional<WorkStamp> write;
        std::vector<WorkStamp> reads; // since, the last of each stream
    };
    using Parts = std::map<std::uintptr_t, Part>; // by their begin; they do not overlap

    void cutAt(std::uintptr_t address);
    /// The first part behind `begin`, with no part across either end of the range.
    Parts::iterator cutOut(MemoryRange range);

    Parts m_parts;
};

} // namespace trainyard
