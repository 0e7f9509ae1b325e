#include "app/runs/rank_table.h"

#include <algorithm>

#include "engine/planner/time/common_causes.h"
#include "engine/records/told_ranks.h"

namespace trainyard {

namespace {

bool isHigher(const RankStats& figures, std::int64_t step, const RankSummary& than)
{
    return figures.peakTotal != than.peak.peakTotal ? figures.peakTotal > than.peak.peakTotal
                                                    : step < than.peakStep;
}

void follow(SecondsByPhase& usual, const SecondsByPhase& now)
{
    const bool isFirst = usual == SecondsByPhase();
    const double weight = isFirst ? 1 : 2 / (kUsualSteps + 1);
    for (std::size_t phase = 0; phase < kStepPhases; ++phase)
        usual[phase] += weight * (now[phase] - usual[phase]);
}

std::vector<float> computeOf(const StepRecord& record)
{
    std::vector<float> seconds;
    for (const RankStats& rank : record.ranks)
        seconds.push_back(
            static_cast<float>(byCommonCause(rank.seconds)[static_cast<std::size_t>(CommonCause::Compute)]));
    return seconds;
}

} // namespace

void RankTable::add(const StepRecord& record, std::uint32_t attempt)
{
    if (attempt < m_newest.first)
        return;
    if (attempt > m_newest.first) {
        m_ranks.clear();
        m_compute.clear();
    }
    // Such a step tells the ranks that were special in it: no comparison, and nothing usual.
    const bool tellsAll = !tellsSomeRanks(record.ranks);
    const std::pair key{attempt, record.step};
    const bool isNewest = key > m_newest;
    if (isNewest) {
        m_newest = key;
        m_ranks.resize(record.ranks.size());
        if (tellsAll)
            m_compute.push_back(computeOf(record));
        if (m_compute.size() > kComparedSteps)
            m_compute.pop_front();
    }
    const std::size_t known = std::min(record.ranks.size(), m_ranks.size());
    for (std::size_t rank = 0; rank < known; ++rank) {
        if (!tellsAll && !isTold(record.ranks[rank]))
            continue;
        RankSummary& summary = m_ranks[rank];
        if (isNewest)
            summary.latest = record.ranks[rank];
        if (isNewest && tellsAll)
            follow(summary.usual, record.ranks[rank].seconds);
        if (summary.peakStep == 0 || isHigher(record.ranks[rank], record.step, summary)) {
            summary.peak = record.ranks[rank];
            summary.peakStep = record.step;
        }
    }
}

} // namespace trainyard
