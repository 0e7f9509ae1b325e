#include "app/series/summary_levels.h"

namespace trainyard {

namespace {

constexpr qsizetype kLanes = 4; ///< minima that do not wait for each other
constexpr qsizetype kMany = 3 * kLanes;

struct Extremes {
    double least;
    double most;
};

/// Of [from, to) of two rows of numbers. Many of them are taken in lanes.
Extremes extremesOf(const double* least, const double* most, qsizetype from, qsizetype to, Extremes known)
{
    if (to - from >= kMany) {
        std::array<double, kLanes> leasts;
        std::array<double, kLanes> mosts;
        leasts.fill(known.least);
        mosts.fill(known.most);
        for (; from + kLanes <= to; from += kLanes) {
            for (std::size_t lane = 0; lane < kLanes; ++lane) {
                leasts[lane] = std::min(leasts[lane], least[from + qsizetype(lane)]);
                mosts[lane] = std::max(mosts[lane], most[from + qsizetype(lane)]);
            }
        }
        known = {*std::ranges::min_element(leasts), *std::ranges::max_element(mosts)};
    }
    for (; from < to; ++from)
        known = {std::min(known.least, least[from]), std::max(known.most, most[from])};
    return known;
}

void addExtremes(ValueSummary& sum, const double* least, const double* most, qsizetype from, qsizetype to)
{
    const Extremes extremes = extremesOf(least, most, from, to, {sum.least, sum.most});
    sum.least = extremes.least;
    sum.most = extremes.most;
}

} // namespace

void addFiniteValues(ValueSummary& sum, const double* values, qsizetype from, qsizetype to)
{
    if (from >= to)
        return;
    addExtremes(sum, values, values, from, to);
    sum.last = values[to - 1];
    sum.finite += std::uint64_t(to - from);
}

void addEntries(ValueSummary& sum, const SummaryLevel& level, qsizetype from, qsizetype to, qsizetype rows,
                bool allFinite)
{
    if (from >= to)
        return;
    addExtremes(sum, level.least, level.most, from, to);
    if (allFinite) {
        sum.last = level.last[to - 1];
        sum.finite += std::uint64_t(rows);
        return;
    }
    std::uint64_t finite = 0;
    for (qsizetype i = from; i < to; ++i) {
        finite += level.finite[i];
        if (level.finite[i] > 0)
            sum.last = level.last[i];
    }
    sum.finite += finite;
    sum.notFinite += std::uint64_t(rows) - finite;
}

void GrowingLevel::beginEntry()
{
    const ValueSummary empty;
    m_least.push_back(empty.least);
    m_most.push_back(empty.most);
    m_last.push_back(empty.last);
    m_finite.push_back(0);
    m_left = m_rows;
}

} // namespace trainyard
