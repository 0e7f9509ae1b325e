#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include <QtGlobal>

#include "app/series/summary_levels.h"

namespace trainyard {

constexpr qsizetype kChunkRows = 4096;

/// Up to kChunkRows values of a column and their pyramid, wherever they lie. Does not own them.
struct ChunkView {
    qsizetype rows = 0;
    const double* values = nullptr;
    std::array<SummaryLevel, kLevelRows.size()> levels;
    bool isFinite = false; ///< each value is known to be finite

    qsizetype entries(std::size_t level) const { return (rows + kLevelRows[level] - 1) / kLevelRows[level]; }
    /// Requires an entry of that level.
    ValueSummary entry(std::size_t level, qsizetype index) const;
    /// Of rows [from, to).
    ValueSummary summary(qsizetype from, qsizetype to) const;
    /// Number of finite values in rows [from, to) below `lower` or above `upper`.
    std::uint64_t countOutside(qsizetype from, qsizetype to, double lower, double upper) const;

private:
    void addValues(ValueSummary& sum, qsizetype from, qsizetype to) const;
    /// Entries [from, to) of a level.
    void add(ValueSummary& sum, std::size_t level, qsizetype from, qsizetype to) const;
    /// The coarsest level with an entry that begins at `from` and ends by `to`; -1 = only single rows do.
    int levelWithin(qsizetype from, qsizetype to) const;
};

/// A full chunk, which never changes, and what keeps it alive: memory or a mapped file.
struct SeriesChunk {
    ChunkView view;
    ValueSummary whole;
    std::shared_ptr<const void> owner;
    bool isMapped = false; ///< lies in a mapped file
};

/// A chunk that still grows.
class GrowingChunk {
public:
    void append(double value);
    ChunkView view() const;
    const ValueSummary& whole() const { return m_whole; }
    qsizetype rows() const { return qsizetype(m_values.size()); }
    double operator[](qsizetype row) const { return m_values[std::size_t(row)]; }

private:
    std::vector<double> m_values;
    std::array<GrowingLevel, kLevelRows.size()> m_levels{GrowingLevel(kLevelRows[0]),
                                                         GrowingLevel(kLevelRows[1])};
    ValueSummary m_whole;
};

} // namespace trainyard
