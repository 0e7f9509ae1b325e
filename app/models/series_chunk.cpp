#include "app/models/series_chunk.h"

namespace trainyard {

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
    ValueSummary sum;
    for (qsizetype row = from; row < to;) {
        const int level = levelWithin(row, to);
        if (level < 0) {
            sum.add(values[row]);
            ++row;
            continue;
        }
        const qsizetype covered = kLevelRows[std::size_t(level)];
        sum.add(entry(std::size_t(level), row / covered));
        row += covered;
    }
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
