#include "app/series/series_chunk.h"

namespace trainyard {

void ChunkView::addValues(ValueSummary& sum, qsizetype from, qsizetype to) const
{
    if (isFinite)
        return addFiniteValues(sum, values, from, to);
    for (qsizetype row = from; row < to; ++row)
        sum.add(values[row]);
}

void ChunkView::add(ValueSummary& sum, std::size_t level, qsizetype from, qsizetype to) const
{
    const qsizetype covered = std::min(to * kLevelRows[level], rows) - from * kLevelRows[level];
    addEntries(sum, levels[level], from, to, covered, isFinite);
}

ValueSummary ChunkView::entry(std::size_t level, qsizetype index) const
{
    const SummaryLevel& at = levels[level];
    const qsizetype covered = std::min(kLevelRows[level], rows - index * kLevelRows[level]);
    const std::uint64_t finite = at.finite[index];
    return {at.min[index], at.max[index], at.last[index], finite, std::uint64_t(covered) - finite};
}

int ChunkView::levelWithin(qsizetype from, qsizetype to) const
{
    for (int level = int(kLevelRows.size()) - 1; level >= 0; --level) {
        const qsizetype covered = kLevelRows[std::size_t(level)];
        if (from % covered == 0 && std::min(from + covered, rows) <= to)
            return level;
    }
    return -1;
}

ValueSummary ChunkView::summary(qsizetype from, qsizetype to) const
{
    constexpr qsizetype kFine = kLevelRows[0];
    constexpr qsizetype kPerCoarse = kLevelRows[1] / kFine;
    const bool toEnd = to == rows;
    const qsizetype fineFrom = (from + kFine - 1) / kFine;
    const qsizetype fineTo = toEnd ? entries(0) : to / kFine;
    ValueSummary sum;
    if (fineFrom >= fineTo) {
        addValues(sum, from, to);
        return sum;
    }
    addValues(sum, from, fineFrom * kFine);
    const qsizetype coarseFrom = (fineFrom + kPerCoarse - 1) / kPerCoarse;
    const qsizetype coarseTo = toEnd ? entries(1) : fineTo / kPerCoarse;
    if (coarseFrom >= coarseTo) {
        add(sum, 0, fineFrom, fineTo);
    } else {
        add(sum, 0, fineFrom, coarseFrom * kPerCoarse);
        add(sum, 1, coarseFrom, coarseTo);
        add(sum, 0, std::min(coarseTo * kPerCoarse, fineTo), fineTo);
    }
    addValues(sum, std::min(fineTo * kFine, to), to);
    return sum;
}

std::uint64_t ChunkView::countOutside(qsizetype from, qsizetype to, double lower, double upper) const
{
    std::uint64_t count = 0;
    for (qsizetype row = from; row < to;) {
        int level = levelWithin(row, to);
        for (; level >= 0; --level) { // down to where the stretch is all inside or all outside
            const ValueSummary sum = entry(std::size_t(level), row / kLevelRows[std::size_t(level)]);
            const bool inside = sum.min >= lower && sum.max <= upper;
            const bool outside = sum.max < lower || sum.min > upper;
            if (!inside && !outside)
                continue;
            count += inside ? 0 : sum.finite;
            break;
        }
        if (level < 0)
            count += std::isfinite(values[row]) && (values[row] < lower || values[row] > upper);
        row += level < 0 ? 1 : kLevelRows[std::size_t(level)];
    }
    return count;
}

void GrowingChunk::append(double value)
{
    m_values.push_back(value);
    for (GrowingLevel& level : m_levels)
        level.append(value);
    m_whole.add(value);
}

ChunkView GrowingChunk::view() const
{
    return {rows(), m_values.data(), {m_levels[0].view(), m_levels[1].view()}, m_whole.notFinite == 0};
}

} // namespace trainyard
