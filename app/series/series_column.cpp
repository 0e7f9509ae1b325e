#include "app/series/series_column.h"

#include <algorithm>
#include <cstring>

#include "engine/base/check.h"
#include "engine/base/mapped_file.h"

namespace trainyard {

SeriesColumn::SeriesColumn(std::initializer_list<double> values)
{
    for (const double value : values)
        append(value);
}

SeriesColumn::SeriesColumn(const QList<double>& values)
{
    for (const double value : values)
        append(value);
}

SeriesColumn SeriesColumn::filled(double value, qsizetype rows)
{
    SeriesColumn column;
    while (column.size() < std::min(rows, kChunkRows))
        column.append(value);
    while (column.size() + kChunkRows <= rows)
        column.append(column.m_full->front());
    while (column.size() < rows)
        column.append(value);
    return column;
}

QList<double> SeriesColumn::toList() const
{
    QList<double> list;
    list.reserve(size());
    for (qsizetype i = 0; i < chunkCount(); ++i) {
        const ChunkView view = chunk(i);
        std::copy_n(view.values, view.rows, std::back_inserter(list));
    }
    return list;
}

std::vector<SeriesChunk>& SeriesColumn::ownFull()
{
    if (!m_full)
        m_full = std::make_shared<std::vector<SeriesChunk>>();
    else if (m_full.use_count() > 1)
        m_full = std::make_shared<std::vector<SeriesChunk>>(*m_full);
    return *m_full;
}

GrowingChunk& SeriesColumn::ownTail()
{
    if (!m_tail)
        m_tail = std::make_shared<GrowingChunk>();
    else if (m_tail.use_count() > 1)
        m_tail = std::make_shared<GrowingChunk>(*m_tail);
    return *m_tail;
}

void SeriesColumn::append(double value)
{
    ownTail().append(value);
    if (m_tail->rows() < kChunkRows)
        return;
    const std::shared_ptr<GrowingChunk> full = std::exchange(m_tail, nullptr);
    append(SeriesChunk{full->view(), full->whole(), full, false});
}

void SeriesColumn::append(const SeriesChunk& chunk)
{
    TRAINYARD_CHECK(!m_tail && chunk.view.rows == kChunkRows);
    ownFull().push_back(SeriesChunk(chunk)); // a copy: it may be one of our own
}

void SeriesColumn::truncate(qsizetype rows)
{
    if (rows >= size())
        return;
    const qsizetype chunks = rows / kChunkRows;
    auto tail = std::make_shared<GrowingChunk>();
    if (rows % kChunkRows > 0) {
        const ChunkView cut = chunk(chunks);
        for (qsizetype row = 0; row < rows % kChunkRows; ++row)
            tail->append(cut.values[row]);
    }
    if (chunks < fullChunks())
        ownFull().resize(std::size_t(chunks));
    m_tail = tail->rows() > 0 ? tail : nullptr;
}

ChunkView SeriesColumn::chunk(qsizetype index) const
{
    return index < fullChunks() ? (*m_full)[std::size_t(index)].view : m_tail->view();
}

const ValueSummary& SeriesColumn::chunkSummary(qsizetype index) const
{
    return index < fullChunks() ? (*m_full)[std::size_t(index)].whole : m_tail->whole();
}

void SeriesColumn::prefetch(qsizetype index) const
{
    if (index >= fullChunks())
        return;
    const SummaryLevel& level = (*m_full)[std::size_t(index)].view.levels.back();
    constexpr qsizetype kEntries = kChunkRows / kLevelRows.back();
    for (const double* entries : {level.min, level.max, level.last}) {
        __builtin_prefetch(entries);
        __builtin_prefetch(entries + kEntries / 2);
    }
}

SeriesColumn SeriesColumn::from(qsizetype row) const
{
    if (row <= 0)
        return *this;
    SeriesColumn rest;
    for (; row < size(); ++row)
        rest.append((*this)[row]);
    return rest;
}

void SeriesColumn::releasePages(qsizetype index) const
{
    if (index >= fullChunks() || !(*m_full)[std::size_t(index)].isMapped)
        return;
    const ChunkView& view = (*m_full)[std::size_t(index)].view;
    MappedFile::releasePages(view.values, std::size_t(view.rows) * sizeof(double));
}

bool SeriesColumn::isSame(const SeriesColumn& other) const
{
    return m_full == other.m_full && m_tail == other.m_tail;
}

bool SeriesColumn::startsWith(const SeriesColumn& other) const
{
    if (isSame(other))
        return true;
    if (other.size() > size())
        return false;
    for (qsizetype i = 0; i < other.chunkCount(); ++i) {
        const ChunkView own = chunk(i);
        const ChunkView known = other.chunk(i);
        const auto bytes = std::size_t(known.rows) * sizeof(double);
        if (own.values != known.values && std::memcmp(own.values, known.values, bytes) != 0)
            return false;
    }
    return true;
}

ValueSummary SeriesColumn::summary(qsizetype from, qsizetype to) const
{
    ValueSummary sum;
    to = std::min(to, size());
    while (from < to) {
        const qsizetype index = from / kChunkRows;
        const qsizetype start = index * kChunkRows;
        const qsizetype end = std::min(start + kChunkRows, size());
        const qsizetype stop = std::min(end, to);
        sum.add(from == start && stop == end ? chunkSummary(index)
                                             : chunk(index).summary(from - start, stop - start));
        from = stop;
    }
    return sum;
}

std::uint64_t SeriesColumn::countOutside(qsizetype from, qsizetype to, double lower, double upper) const
{
    std::uint64_t count = 0;
    to = std::min(to, size());
    while (from < to) {
        const qsizetype start = from / kChunkRows * kChunkRows;
        const qsizetype stop = std::min({start + kChunkRows, size(), to});
        count += chunk(from / kChunkRows).countOutside(from - start, stop - start, lower, upper);
        from = stop;
    }
    return count;
}

qsizetype SeriesColumn::lowerBound(double value) const
{
    // Chunk by chunk first: what lies on disk is not touched for it.
    qsizetype chunks = 0;
    for (qsizetype left = chunkCount(); left > 0;) {
        const qsizetype half = left / 2;
        const bool below = chunkSummary(chunks + half).last < value;
        chunks += below ? half + 1 : 0;
        left = below ? left - half - 1 : half;
    }
    if (chunks == chunkCount())
        return size();
    const ChunkView view = chunk(chunks);
    return chunks * kChunkRows +
           (std::lower_bound(view.values, view.values + view.rows, value) - view.values);
}

qsizetype SeriesColumn::upperBound(double value) const
{
    return lowerBound(std::nextafter(value, std::numeric_limits<double>::infinity()));
}

qsizetype SeriesColumn::nearest(double value) const
{
    if (isEmpty())
        return -1;
    const qsizetype after = lowerBound(value);
    if (after == 0 || after == size())
        return after == 0 ? 0 : size() - 1;
    return value - (*this)[after - 1] <= (*this)[after] - value ? after - 1 : after;
}

bool operator==(const SeriesColumn& a, const SeriesColumn& b)
{
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin());
}

} // namespace trainyard
