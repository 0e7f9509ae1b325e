#include "app/models/rank_table.h"

#include <algorithm>

namespace trainyard {

namespace {

bool isHigher(const RankFigures& figures, std::int64_t step, const RankSummary& than)
{
    return figures.peakTotal != than.peak.peakTotal ? figures.peakTotal > than.peak.peakTotal
                                                    : step < than.peakStep;
}

} // namespace

void RankTable::add(const StepRecord& record, std::uint32_t attempt)
{
    const std::pair key{attempt, record.step};
    const bool isNewest = key > m_newest;
    if (isNewest) {
        m_newest = key;
        m_ranks.resize(record.ranks.size()); // a resumed run may have another world size
    }
    const std::size_t known = std::min(record.ranks.size(), m_ranks.size());
    for (std::size_t rank = 0; rank < known; ++rank) {
        RankSummary& summary = m_ranks[rank];
        if (isNewest)
            summary.latest = record.ranks[rank];
        if (summary.peakStep == 0 || isHigher(record.ranks[rank], record.step, summary)) {
            summary.peak = record.ranks[rank];
            summary.peakStep = record.step;
        }
    }
}

} // namespace trainyard
