#include "tests/support/link/relay.h"

#include <array>
#include <cerrno>

#include <unistd.h>

#include "tests/support/link/frame_corruption.h"

namespace trainyard::link {

namespace {

constexpr int kFramesPerTurn = 64; ///< so that the other direction gets its turn
constexpr std::size_t kMaxFrame = 65'536;
constexpr std::uint64_t kMaxWaiting = 64 * 1024 * 1024;

} // namespace

Status Relay::take(TimePoint now)
{
    std::array<std::uint8_t, kMaxFrame> buffer;
    for (int i = 0; i < kFramesPerTurn; ++i) {
        const ssize_t got = ::read(m_from, buffer.data(), buffer.size());
        if (got < 0 && (errno == EAGAIN || errno == EINTR || errno == EIO)) // EIO: the interface is down
            return {};
        if (got <= 0)
            return systemError(ErrorKind::Failed, "read frames", errno);
        judge(Frame(buffer.begin(), buffer.begin() + got), now);
    }
    return {};
}

void Relay::judge(Frame frame, TimePoint now)
{
    ++m_counters.frames;
    m_counters.bytes += frame.size();
    const Fate fate = m_impairment.decide(frame.size(), now);
    switch (fate.kind) {
    case Fate::Kind::Blocked:
        ++m_counters.blocked;
        return;
    case Fate::Kind::Lost:
        ++m_counters.lost;
        return;
    case Fate::Kind::Overflowed:
        ++m_counters.overflowed;
        return;
    case Fate::Kind::Delivered:
        break;
    }
    if (fate.corrupted && flipPayloadBit(frame, fate.bit))
        ++m_counters.corrupted;
    m_counters.reordered += fate.reordered;
    m_counters.duplicated += fate.duplicated;
    if (fate.duplicated)
        enqueue(frame, fate.departure);
    enqueue(std::move(frame), fate.departure);
}

void Relay::enqueue(Frame frame, TimePoint departure)
{
    if (m_waitingBytes + frame.size() > kMaxWaiting) {
        ++m_counters.overflowed;
        return;
    }
    m_waitingBytes += frame.size();
    m_waiting.push({departure, m_order++, std::move(frame)});
}

void Relay::give(TimePoint now)
{
    while (!m_waiting.empty() && m_waiting.top().departure <= now) {
        const Frame& frame = m_waiting.top().frame;
        const bool taken = ::write(m_to, frame.data(), frame.size()) == static_cast<ssize_t>(frame.size());
        ++(taken ? m_counters.delivered : m_counters.refused);
        m_waitingBytes -= frame.size();
        m_waiting.pop();
    }
}

TimePoint Relay::nextDeparture() const
{
    return m_waiting.empty() ? TimePoint::max() : m_waiting.top().departure;
}

} // namespace trainyard::link
