#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include <QString>

#include "engine/records/record.h"

namespace trainyard {

/// For views that show a run as a sequence of events: merges the records of several streams, which arrive one
/// stream after the other, in order of time, and drops those of attempts before the newest one.
class AttemptRecords {
public:
    /// `attempt`: earlier ones are old news from the start.
    explicit AttemptRecords(std::uint32_t attempt) : m_attempt(attempt) {}

    /// Adds records of one stream, whose order is kept whatever the host's wall clock does.
    void add(const QString& stream, const std::vector<Record>& records);
    /// Returns the records added since the last call, oldest first.
    std::vector<Record> take();
    /// The newest attempt so far.
    std::uint32_t attempt() const { return m_attempt; }
    std::size_t waiting() const { return m_waiting.size(); }

private:
    struct Waiting {
        std::int64_t ns = 0; ///< wall clock, never earlier than the record before it in its stream
        Record record;
    };
    std::uint32_t m_attempt;
    std::vector<Waiting> m_waiting;
    std::map<QString, std::int64_t> m_newestNs; ///< of each stream
};

} // namespace trainyard
