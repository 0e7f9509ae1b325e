#pragma once

#include <atomic>
#include <cstdint>

#include "engine/base/result.h"

namespace trainyard {

/// Set once from any thread; long loops poll it between two pieces of work.
class CancelFlag {
public:
    /// The user cancelled the job: its work is dropped.
    void set() { m_wish.store(Wish::Drop, std::memory_order_relaxed); }
    /// The process has to end, as before a reboot: work that can be resumed is kept.
    void setForLater()
    {
        Wish none = Wish::GoOn;
        m_wish.compare_exchange_strong(none, Wish::Keep, std::memory_order_relaxed);
    }
    bool isSet() const { return m_wish.load(std::memory_order_relaxed) != Wish::GoOn; }
    bool keepsWork() const { return m_wish.load(std::memory_order_relaxed) == Wish::Keep; }
    /// Returns Cancelled if the flag is set.
    Status check() const
    {
        if (keepsWork())
            return cancelled("stopped before the end; run the same command to resume");
        if (isSet())
            return cancelled("stopped before the end; nothing was published");
        return {};
    }

private:
    enum class Wish : std::uint8_t { GoOn, Drop, Keep };
    std::atomic<Wish> m_wish{Wish::GoOn};
};

} // namespace trainyard
