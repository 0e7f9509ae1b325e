#include "app/models/series_chunk.h"

namespace trainyard {

ValueSummary ChunkView::entry(std::size_t level, qsizetype index) const
{
    const SummaryLevel& at = levels[level];
    const qsizetype covered = std::min(kLevelRows[level], rows - index * kLevelRows[level]);
    const std::uint64_t finite = at.finite[index];
    return {at.least[index], at.most[index], at.last[index], finite, std::uint64_t(covered) - finite};
}

ValueSummary ChunkView::summary(qsizetype from, qsizetype to) const
{
    constexpr qsizetype kFine = kLevelRows[0];
    constexpr qsizetype kCoarse = kLevelRows[1];
    ValueSummary sum;
    qsizetype row = from;
    while (row < to) {
        if (row % kCoarse == 0 && std::min(row + kCoarse, rows) <= to) {
            sum.add(entry(1, row / kCoarse));
            row += kCoarse;
        } else if (row % kFine == 0 && std::min(row + kFine, rows) <= to) {
            sum.add(entry(0, row / kFine));
            row += kFine;
        } else {
            sum.add(values[row]);
            ++row;
        }
    }
    return sum;
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
