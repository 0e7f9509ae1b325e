#include "app/series/summary_levels.h"

namespace trainyard {

namespace {

constexpr qsizetype kLanes = 4; ///< minima that do not wait for each other
constexpr qsizetype kMany = 3 * kLanes;

struct Extremes {
    double min;
    double max;
};

/// Of [from, to) of two rows of numbers. Many of them are taken in lanes.
Extremes extremesOf(const double* min, const double* max, qsizetype from, qsizetype to, Extremes known)
{
    if (to - from >= kMany) {
        std::array<double, kLanes> minima;
        std::array<double, kLanes> maxima;
        minima.fill(known.min);
        maxima.fill(known.max);
        for (; from + kLanes <= to; from += kLanes) {
            for (std::size_t lane = 0; lane < kLanes; ++lane) {
                minima[lane] = std::min(minima[lane], min[from + qsizetype(lane)]);
                maxima[lane] = std::max(maxima[lane], max[from + qsizetype(lane)]);
            }
        }
        known = {*std::ranges::min_element(minima), *std::ranges::max_element(maxima)};
    }
    for (; from < to; ++from)
        known = {std::min(known.min, min[from]), std::max(known.max, max[from])};
    return known;
}

void addExtremes(ValueSummary& sum, const double* min, const double* max, qsizetype from, qsizetype to)
{
    const Extremes extremes = extremesOf(min, max, from, to, {sum.min, sum.max});
    sum.min = extremes.min;
    sum.max = extremes.max;
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
    addExtremes(sum, level.min, level.max, from, to);
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
    m_min.push_back(empty.min);
    m_max.push_back(empty.max);
    m_last.push_back(empty.last);
    m_finite.push_back(0);
    m_left = m_rows;
}

} // namespace trainyard
