#include "engine/memory/memory_ledger.h"

namespace trainyard {

void MemoryLedger::allocated(MemoryCategory category, Bytes bytes)
{
    const std::lock_guard lock(m_mutex);
    of(category) += bytes;
    m_current.total += bytes;
    if (m_current.total > m_peak.total)
        m_peak = m_current;
}

void MemoryLedger::freed(MemoryCategory category, Bytes bytes)
{
    const std::lock_guard lock(m_mutex);
    TRAINYARD_CHECK(of(category) >= bytes);
    of(category) -= bytes;
    m_current.total -= bytes;
}

MemorySnapshot MemoryLedger::current() const
{
    const std::lock_guard lock(m_mutex);
    return m_current;
}

MemorySnapshot MemoryLedger::peak() const
{
    const std::lock_guard lock(m_mutex);
    return m_peak;
}

void MemoryLedger::resetPeak()
{
    const std::lock_guard lock(m_mutex);
    m_peak = m_current;
}

} // namespace trainyard
