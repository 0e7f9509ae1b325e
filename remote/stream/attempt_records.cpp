#include "remote/stream/attempt_records.h"

#include <algorithm>
#include <utility>

namespace trainyard {

void AttemptRecords::add(const QString& stream, const std::vector<Record>& records)
{
    std::int64_t& newest = m_newestNs.try_emplace(stream, INT64_MIN).first->second;
    for (const Record& record : records) {
        newest = std::max(newest, record.time.wallNs);
        m_attempt = std::max(m_attempt, record.attempt);
        m_waiting.push_back({newest, record});
    }
}

std::vector<Record> AttemptRecords::take()
{
    auto waiting = std::exchange(m_waiting, {});
    std::erase_if(waiting, [this](const Waiting& entry) { return entry.record.attempt < m_attempt; });
    // Stable: the streams' own order decides between equal times.
    std::stable_sort(waiting.begin(), waiting.end(),
                     [](const Waiting& a, const Waiting& b) { return a.ns < b.ns; });
    std::vector<Record> records;
    records.reserve(waiting.size());
    for (Waiting& entry : waiting)
        records.push_back(std::move(entry.record));
    return records;
}

} // namespace trainyard
