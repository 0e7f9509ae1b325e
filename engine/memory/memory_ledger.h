#pragma once

#include <mutex>

#include "engine/records/record.h"

namespace trainyard {

struct MemorySnapshot {
    MemoryByCategory bytes{};
    Bytes total = 0; ///< sum of bytes
};

/// Sums allocated bytes per category and keeps the categories at the largest sum. Any thread.
class MemoryLedger {
public:
    void allocated(MemoryCategory category, Bytes bytes);
    void freed(MemoryCategory category, Bytes bytes);

    MemorySnapshot current() const;
    /// Since the last resetPeak().
    MemorySnapshot peak() const;
    void resetPeak();

private:
    Bytes& of(MemoryCategory category) { return m_current.bytes[static_cast<std::size_t>(category)]; }

    mutable std::mutex m_mutex;
    MemorySnapshot m_current;
    MemorySnapshot m_peak;
};

} // namespace trainyard
