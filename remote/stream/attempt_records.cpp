#include "remote/stream/attempt_records.h"

#include <algorithm>
#include <utility>

namespace trainyard {

void AttemptRecords::add(const std::vector<Record>& records)
{
    for (const Record& record : records) {
        m_attempt = std::max(m_attempt, record.attempt);
        m_waiting.push_back(record);
    }
}

std::vector<Record> AttemptRecords::take()
{
    auto records = std::exchange(m_waiting, {});
    std::erase_if(records, [this](const Record& record) { return record.attempt < m_attempt; });
    // Stable: the streams' own order decides between equal times.
    std::stable_sort(records.begin(), records.end(),
                     [](const Record& a, const Record& b) { return a.time.wallNs < b.time.wallNs; });
    return records;
}

} // namespace trainyard
