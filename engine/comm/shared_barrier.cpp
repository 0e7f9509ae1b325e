#include "engine/comm/shared_barrier.h"

#include <climits>
#include <ctime>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace trainyard {

namespace {

using Clock = std::chrono::steady_clock;

// Not the private kind: the ranks are processes.
void sleepWhile(std::atomic<std::uint32_t>& word, std::uint32_t value, std::chrono::nanoseconds longest)
{
    const timespec timeout{longest.count() / 1'000'000'000, longest.count() % 1'000'000'000};
    ::syscall(SYS_futex, &word, FUTEX_WAIT, value, &timeout, nullptr, 0);
}

void wakeSleepers(std::atomic<std::uint32_t>& word)
{
    ::syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

} // namespace

SharedBarrier::SharedBarrier(std::vector<BarrierPlace*> places, int rank, Patience patience)
    : m_places(std::move(places))
    , m_mine(*m_places.at(static_cast<std::size_t>(rank)))
    , m_patience(std::move(patience))
{
}

// Whoever goes to sleep counts itself first and looks again, whoever arrives does so first and then looks for
// sleepers: one of the two sees the other (both sequentially consistent).
void SharedBarrier::arriveAndWait()
{
    m_mine.arrivals.store(++m_round);
    if (m_mine.sleepers.load() > 0)
        wakeSleepers(m_mine.arrivals);
    for (BarrierPlace* place : m_places)
        waitFor(*place);
}

void SharedBarrier::waitFor(BarrierPlace& place) const
{
    // A rank may be one round ahead, never behind for longer than this call.
    const auto hasArrived = [&] { return place.arrivals.load(std::memory_order_acquire) - m_round <= 1; };
    if (hasArrived())
        return;
    const auto start = Clock::now();
    while (Clock::now() - start < m_patience.spin) {
        for (int look = 0; look < 64; ++look) {
            if (hasArrived())
                return;
            __builtin_ia32_pause();
        }
    }
    place.sleepers.fetch_add(1);
    for (;;) {
        const std::uint32_t seen = place.arrivals.load();
        if (seen - m_round <= 1)
            break;
        sleepWhile(place.arrivals, seen, m_patience.meanwhile());
    }
    place.sleepers.fetch_sub(1);
}

} // namespace trainyard
