#pragma once

#include <cstdint>
#include <vector>

#include "engine/records/record.h"

namespace trainyard {

/// For views that tell a run as a story: brings the records of several streams, which arrive one stream after
/// the other, into the order of their time, and leaves out what attempts before the newest one wrote.
class AttemptRecords {
public:
    /// `attempt`: earlier ones are old news from the start.
    explicit AttemptRecords(std::uint32_t attempt) : m_attempt(attempt) {}

    void add(const std::vector<Record>& records);
    /// What was added since the last call, oldest first.
    std::vector<Record> take();
    /// The newest attempt so far.
    std::uint32_t attempt() const { return m_attempt; }

private:
    std::uint32_t m_attempt;
    std::vector<Record> m_waiting;
};

} // namespace trainyard
