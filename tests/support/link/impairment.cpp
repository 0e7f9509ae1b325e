#include "tests/support/link/impairment.h"

#include <algorithm>

namespace trainyard::link {

namespace {

std::chrono::nanoseconds transmission(double bytes, std::uint64_t rate)
{
    return std::chrono::nanoseconds(static_cast<std::int64_t>(bytes * 1e9 / static_cast<double>(rate)));
}

} // namespace

double Impairment::draw()
{
    return static_cast<double>(m_random() >> 11) * 0x1p-53;
}

/// A token bucket as a clock: the line may be behind `now` by one burst and no more.
TimePoint Impairment::afterRate(std::size_t size, TimePoint now)
{
    if (m_conditions.rate == 0)
        return now;
    const auto burst = transmission(static_cast<double>(m_conditions.burst), m_conditions.rate);
    m_lineFree =
        std::max(m_lineFree, now - burst) + transmission(static_cast<double>(size), m_conditions.rate);
    return std::max(now, m_lineFree);
}

bool Impairment::queueIsFull(std::size_t size, TimePoint now) const
{
    if (m_conditions.rate == 0 || m_lineFree <= now)
        return false;
    const auto most = transmission(static_cast<double>(m_conditions.queue), m_conditions.rate);
    return m_lineFree - now + transmission(static_cast<double>(size), m_conditions.rate) > most;
}

Fate Impairment::decide(std::size_t size, TimePoint now)
{
    const double loss = draw(), corruption = draw(), duplication = draw(), reordering = draw(),
                 jitter = draw();
    Fate fate;
    fate.bit = m_random();
    if (m_conditions.blocked) {
        fate.kind = Fate::Kind::Blocked;
    } else if (loss < m_conditions.loss) {
        fate.kind = Fate::Kind::Lost;
    } else if (queueIsFull(size, now)) {
        fate.kind = Fate::Kind::Overflowed;
    }
    if (fate.kind != Fate::Kind::Delivered)
        return fate;
    fate.corrupted = corruption < m_conditions.corruption;
    fate.duplicated = duplication < m_conditions.duplication;
    fate.reordered = reordering < m_conditions.reordering;
    const auto spread =
        std::chrono::duration_cast<std::chrono::nanoseconds>(m_conditions.jitter * (2 * jitter - 1));
    const auto delay = std::max(std::chrono::nanoseconds(0), m_conditions.delay + spread);
    fate.departure = afterRate(size, now) + delay;
    if (fate.reordered)
        fate.departure += m_conditions.hold;
    else
        fate.departure = m_lastDeparture = std::max(fate.departure, m_lastDeparture);
    return fate;
}

} // namespace trainyard::link
