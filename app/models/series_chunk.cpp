#include "app/models/series_chunk.h"

namespace trainyard {

namespace {

void addValues(ValueSummary& sum, const double* values, qsizetype from, qsizetype to)
{
    for (qsizetype row = from; row < to; ++row)
        sum.add(values[row]);
}

/// Entries [from, to) of a level, faster than one by one: a frame of a hundred curves adds up a million of
/// them.
void addEntries(ValueSummary& sum, const ChunkView& chunk, std::size_t level, qsizetype from, qsizetype to)
{
    if (from >= to)
        return;
    const SummaryLevel& at = chunk.levels[level];
    std::uint64_t finite = 0;
    for (qsizetype i = from; i < to; ++i) {
        sum.least = std::min(sum.least, at.least[i]);
        sum.most = std::max(sum.most, at.most[i]);
        finite += at.finite[i];
    }
    qsizetype newest = to - 1;
    while (newest > from && at.finite[newest] == 0)
        --newest;
    if (at.finite[newest] > 0)
        sum.last = at.last[newest];
    const qsizetype covered = std::min(to * kLevelRows[level], chunk.rows) - from * kLevelRows[level];
    sum.finite += finite;
    sum.notFinite += std::uint64_t(covered) - finite;
}

} // namespace

ValueSummary ChunkView::entry(std::size_t level, qsizetype index) const
{
    const SummaryLevel& at = levels[level];
    const qsizetype covered = std::min(kLevelRows[level], rows - index * kLevelRows[level]);
    const std::uint64_t finite = at.finite[index];
    return {at.least[index], at.most[index], at.last[index], finite, std::uint64_t(covered) - finite};
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
        addValues(sum, values, from, to);
        return sum;
    }
    addValues(sum, values, from, fineFrom * kFine);
    const qsizetype coarseFrom = (fineFrom + kPerCoarse - 1) / kPerCoarse;
    const qsizetype coarseTo = toEnd ? entries(1) : fineTo / kPerCoarse;
    if (coarseFrom >= coarseTo) {
        addEntries(sum, *this, 0, fineFrom, fineTo);
    } else {
        addEntries(sum, *this, 0, fineFrom, coarseFrom * kPerCoarse);
        addEntries(sum, *this, 1, coarseFrom, coarseTo);
        addEntries(sum, *this, 0, std::min(coarseTo * kPerCoarse, fineTo), fineTo);
    }
    addValues(sum, values, std::min(fineTo * kFine, to), to);
    return sum;
}

std::uint64_t ChunkView::countOutside(qsizetype from, qsizetype to, double lower, double upper) const
{
    std::uint64_t count = 0;
    for (qsizetype row = from; row < to;) {
        int level = levelWithin(row, to);
        for (; level >= 0; --level) { // down to where the stretch is all inside or all outside
            const ValueSummary sum = entry(std::size_t(level), row / kLevelRows[std::size_t(level)]);
            const bool inside = sum.least >= lower && sum.most <= upper;
            const bool outside = sum.most < lower || sum.least > upper;
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
    const std::size_t row = m_values.size();
    m_values.push_back(value);
    for (std::size_t level = 0; level < kLevelRows.size(); ++level)
        add(m_levels[level], row / std::size_t(kLevelRows[level]), value);
    m_whole.add(value);
}

void GrowingChunk::add(Level& level, std::size_t entry, double value)
{
    if (entry == level.finite.size()) {
        const ValueSummary empty;
        level.least.push_back(empty.least);
        level.most.push_back(empty.most);
        level.last.push_back(empty.last);
        level.finite.push_back(0);
    }
    if (!std::isfinite(value))
        return;
    level.least[entry] = std::min(level.least[entry], value);
    level.most[entry] = std::max(level.most[entry], value);
    level.last[entry] = value;
    ++level.finite[entry];
}

ChunkView GrowingChunk::view() const
{
    ChunkView view{rows(), m_values.data(), {}};
    for (std::size_t i = 0; i < kLevelRows.size(); ++i) {
        const Level& level = m_levels[i];
        view.levels[i] = {level.least.data(), level.most.data(), level.last.data(), level.finite.data()};
    }
    return view;
}

} // namespace trainyard
