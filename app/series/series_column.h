#pragma once

#include <compare>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include <QList>

#include "app/series/series_chunk.h"

namespace trainyard {

/// An append-only column of numbers with minimum, maximum and newest value of every 16, 256 and 4096 rows, so
/// that any range is summarised exactly in a few steps. A value type: copies share all full chunks and are
/// cheap, even while the original grows. A chunk may be in a mapped file. Other threads may read copies.
class SeriesColumn {
public:
    class Iterator;
    using value_type = double;
    using const_iterator = Iterator;

    SeriesColumn() = default;
    SeriesColumn(std::initializer_list<double> values);
    SeriesColumn(const QList<double>& values);
    /// `rows` times the same value, in the memory of one chunk.
    static SeriesColumn filled(double value, qsizetype rows);

    qsizetype size() const { return fullRows() + (m_tail ? m_tail->rows() : 0); }
    bool isEmpty() const { return size() == 0; }
    double operator[](qsizetype row) const;
    double first() const { return (*this)[0]; }
    double last() const { return (*this)[size() - 1]; }
    Iterator begin() const;
    Iterator end() const;
    QList<double> toList() const;

    void append(double value);
    /// Adds a full, immutable chunk. Requires that all chunks so far are full.
    void append(const SeriesChunk& chunk);
    /// Truncates to `rows` rows; copies less than one chunk.
    void truncate(qsizetype rows);

    /// The rows from `row` on as a separate column; copies them unless that is all of them.
    SeriesColumn from(qsizetype row) const;

    /// True if both share their values; may be false for equal columns.
    bool isSame(const SeriesColumn& other) const;
    /// True if the rows of `other` are the first rows of this column. Cheap between a column and an earlier
    /// copy of it.
    bool startsWith(const SeriesColumn& other) const;

    /// Of rows [from, to).
    ValueSummary summary(qsizetype from, qsizetype to) const;

    /// Number of finite values in rows [from, to) below `lower` or above `upper`.
    std::uint64_t countOutside(qsizetype from, qsizetype to, double lower, double upper) const;

    // For a column that ascends:
    qsizetype lowerBound(double value) const; ///< first row that is not below
    qsizetype upperBound(double value) const; ///< first row above
    qsizetype nearest(double value) const;    ///< -1 when empty

    /// Chunk by chunk, for what writes or searches them; the last one may be short.
    qsizetype chunkCount() const { return (size() + kChunkRows - 1) / kChunkRows; }
    ChunkView chunk(qsizetype index) const;
    const ValueSummary& chunkSummary(qsizetype index) const;
    /// Prefetches the summary of a chunk.
    void prefetch(qsizetype index) const;
    /// Releases the pages of a chunk in a mapped file; the next read loads them again.
    void releasePages(qsizetype index) const;

    friend bool operator==(const SeriesColumn& a, const SeriesColumn& b);

private:
    qsizetype fullChunks() const { return m_full ? qsizetype(m_full->size()) : 0; }
    qsizetype fullRows() const { return fullChunks() * kChunkRows; }
    std::vector<SeriesChunk>& ownFull();
    GrowingChunk& ownTail();

    std::shared_ptr<std::vector<SeriesChunk>> m_full;
    std::shared_ptr<GrowingChunk> m_tail; ///< shorter than a chunk
};

class SeriesColumn::Iterator {
public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = double;
    using difference_type = qsizetype;
    using pointer = void;
    using reference = double;

    Iterator() = default;
    Iterator(const SeriesColumn* column, qsizetype row) : m_column(column), m_row(row) {}

    double operator*() const { return (*m_column)[m_row]; }
    double operator[](qsizetype n) const { return (*m_column)[m_row + n]; }
    Iterator& operator+=(qsizetype n)
    {
        m_row += n;
        return *this;
    }
    Iterator& operator-=(qsizetype n) { return *this += -n; }
    Iterator& operator++() { return *this += 1; }
    Iterator& operator--() { return *this -= 1; }
    Iterator operator++(int) { return std::exchange(*this, *this + 1); }
    Iterator operator--(int) { return std::exchange(*this, *this - 1); }
    friend Iterator operator+(Iterator it, qsizetype n) { return it += n; }
    friend Iterator operator+(qsizetype n, Iterator it) { return it += n; }
    friend Iterator operator-(Iterator it, qsizetype n) { return it -= n; }
    friend qsizetype operator-(const Iterator& a, const Iterator& b) { return a.m_row - b.m_row; }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.m_row == b.m_row; }
    friend auto operator<=>(const Iterator& a, const Iterator& b) { return a.m_row <=> b.m_row; }

private:
    const SeriesColumn* m_column = nullptr;
    qsizetype m_row = 0;
};

inline double SeriesColumn::operator[](qsizetype row) const
{
    const qsizetype chunk = row / kChunkRows;
    return chunk < fullChunks() ? (*m_full)[std::size_t(chunk)].view.values[row % kChunkRows]
                                : (*m_tail)[row % kChunkRows];
}
inline SeriesColumn::Iterator SeriesColumn::begin() const
{
    return {this, 0};
}
inline SeriesColumn::Iterator SeriesColumn::end() const
{
    return {this, size()};
}

} // namespace trainyard
