#include "remote/agent/serve/outbox.h"

#include <cerrno>
#include <unistd.h>

namespace trainyard::agent {

void Outbox::addUrgent(std::string frame)
{
    m_urgentBytes += frame.size();
    m_urgent.push_back(std::move(frame));
}

void Outbox::addBulk(std::string frame)
{
    m_bulkBytes += frame.size();
    m_bulk.push_back(std::move(frame));
}

bool Outbox::takeNext()
{
    // Between frames only: once a frame has begun, nothing can overtake the rest of it.
    std::deque<std::string>& lane = m_urgent.empty() ? m_bulk : m_urgent;
    if (lane.empty())
        return false;
    m_current = std::move(lane.front());
    m_at = 0;
    lane.pop_front();
    (&lane == &m_bulk ? m_bulkBytes : m_urgentBytes) -= m_current.size();
    return true;
}

bool Outbox::flush(int fd)
{
    while (m_at < m_current.size() || takeNext()) {
        const ssize_t put = ::write(fd, m_current.data() + m_at, m_current.size() - m_at);
        if (put >= 0)
            m_at += static_cast<std::size_t>(put);
        else if (errno == EAGAIN)
            return true;
        else if (errno != EINTR)
            return false;
    }
    return true;
}

} // namespace trainyard::agent
