#pragma once

#include <cstddef>
#include <deque>
#include <string>

#include "engine/base/result.h"

namespace trainyard::agent {

/// Queues frames for the client. Urgent frames overtake bulk frames, so a ping is answered even while streams
/// are full; order is kept within each lane. Streams pause when the bulk lane is full, and no further
/// requests are accepted when the urgent lane is.
class Outbox {
public:
    void addUrgent(std::string frame);
    void addBulk(std::string frame);

    bool empty() const { return m_urgent.empty() && m_bulk.empty() && m_at == m_current.size(); }
    std::size_t bulkBytes() const { return m_bulkBytes; }
    std::size_t urgentBytes() const { return m_urgentBytes; }

    /// Writes as much as `fd`, which must be non-blocking, accepts. Returns false when the reader is gone.
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
