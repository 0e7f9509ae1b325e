#pragma once

#include <atomic>

#include "engine/base/result.h"

namespace trainyard {

/// Set once from any thread; long loops ask it between two pieces of work.
class CancelFlag {
public:
    void set() { m_set.store(true, std::memory_order_relaxed); }
    bool isSet() const { return m_set.load(std::memory_order_relaxed); }
    /// Cancelled when the flag is set.
    Status check() const
    {
        if (isSet())
            return cancelled("stopped before the end; nothing was published");
        return {};
    }

private:
    std::atomic<bool> m_set{false};
};

} // namespace trainyard
