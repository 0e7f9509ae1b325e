#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include <QtGlobal>

#include "app/models/value_summary.h"

namespace trainyard {

/// Rows that one entry of a level of the pyramid sums up, from fine to coarse. A chunk is the top.
constexpr std::array<qsizetype, 2> kLevelRows{16, 256};
constexpr qsizetype kChunkRows = 4096;

/// Where the entries of one level of a chunk's pyramid lie; entry k sums up rows k * kLevelRows[level] on.
struct SummaryLevel {
    const double* least = nullptr;
    const double* most = nullptr;
    const double* last = nullptr;
    const std::uint32_t* finite = nullptr;
};

/// Up to kChunkRows values of a column and their pyramid, wherever they lie. Does not own them.
struct ChunkView {
    qsizetype rows = 0;
    const double* values = nullptr;
    std::array<SummaryLevel, kLevelRows.size()> levels;

    qsizetype entries(std::size_t level) const { return (rows + kLevelRows[level] - 1) / kLevelRows[level]; }
    /// Requires an entry of that level.
    ValueSummary entry(std::size_t level, qsizetype index) const;
    /// Of rows [from, to).
    ValueSummary summary(qsizetype from, qsizetype to) const;
    /// How many finite values of rows [from, to) are below `lower` or above `upper`.
    std::uint64_t countOutside(qsizetype from, qsizetype to, double lower, double upper) const;

private:
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
    struct Level {
        std::vector<double> least;
        std::vector<double> most;
        std::vector<double> last;
        std::vector<std::uint32_t> finite;
    };
    static void add(Level& level, std::size_t entry, double value);

    std::vector<double> m_values;
    std::array<Level, kLevelRows.size()> m_levels;
    ValueSummary m_whole;
};

} // namespace trainyard
