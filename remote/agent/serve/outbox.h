#pragma once

#include <cstddef>
#include <deque>
#include <string>

#include "engine/base/result.h"

namespace trainyard::agent {

/// Frames on their way to the client. Urgent ones overtake bulk ones, so a ping is answered while streams are
/// full; within a lane the order is kept. How much waits in the bulk lane tells the streams when to pause,
/// and how much in the urgent one when to take no more requests.
class Outbox {
public:
    void addUrgent(std::string frame);
    void addBulk(std::string frame);

    bool empty() const { return m_urgent.empty() && m_bulk.empty() && m_at == m_current.size(); }
    std::size_t bulkBytes() const { return m_bulkBytes; }
    std::size_t urgentBytes() const { return m_urgentBytes; }

    /// Writes as much as `fd`, which must be non-blocking, takes. False when nobody reads any more.
    bool flush(int fd);

private:
    bool takeNext();

    std::deque<std::string> m_urgent;
    std::deque<std::string> m_bulk;
    std::size_t m_bulkBytes = 0;
    std::size_t m_urgentBytes = 0;
    std::string m_current; ///< the frame that is being written
    std::size_t m_at = 0;
};

} // namespace trainyard::agent
