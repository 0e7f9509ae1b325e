#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <QtGlobal>

namespace trainyard {

/// Exact summary of a range of values.
struct ValueSummary {
    double min = std::numeric_limits<double>::infinity(); ///< of the finite values, as are `max` and `last`
    double max = -std::numeric_limits<double>::infinity();
    double last = std::numeric_limits<double>::quiet_NaN();
    std::uint64_t finite = 0;
    std::uint64_t notFinite = 0; ///< NaN and infinities

    std::uint64_t count() const { return finite + notFinite; }

    void add(double value)
    {
        if (!std::isfinite(value)) {
            ++notFinite;
            return;
        }
        min = std::min(min, value);
        max = std::max(max, value);
        last = value;
        ++finite;
    }

    /// `later`: the range that follows this one.
    void add(const ValueSummary& later)
    {
        min = std::min(min, later.min);
        max = std::max(max, later.max);
        if (later.finite > 0)
            last = later.last;
        finite += later.finite;
        notFinite += later.notFinite;
    }
};

/// Rows that one entry of a level of the pyramid sums up, from fine to coarse. A chunk is the top.
constexpr std::array<qsizetype, 2> kLevelRows{16, 256};

/// Where the entries of one level lie, entry k of which sums up rows k * kLevelRows[level] on.
struct SummaryLevel {
    const double* min = nullptr;
    const double* max = nullptr;
    const double* last = nullptr;
    const std::uint32_t* finite = nullptr;
};

/// Adds entries [from, to) of a level to `sum`; `allFinite`: each of the `rows` rows that they stand for is
/// finite. A frame of a hundred curves adds up a million of them.
void addEntries(ValueSummary& sum, const SummaryLevel& level, qsizetype from, qsizetype to, qsizetype rows,
                bool allFinite);
/// The same of single values, all of them finite.
void addFiniteValues(ValueSummary& sum, const double* values, qsizetype from, qsizetype to);

/// A level that grows with the values it summarises.
class GrowingLevel {
public:
    explicit GrowingLevel(qsizetype rows) : m_rows(rows) {}

    /// The value of the next row. In the header: an average of a million points appends two million.
    void append(double value)
    {
        if (m_left == 0)
            beginEntry();
        --m_left;
        if (!std::isfinite(value))
            return;
        m_min.back() = std::min(m_min.back(), value);
        m_max.back() = std::max(m_max.back(), value);
        m_last.back() = value;
        ++m_finite.back();
    }
    void clear() { *this = GrowingLevel(m_rows); }
    qsizetype entries() const { return qsizetype(m_finite.size()); }
    SummaryLevel view() const { return {m_min.data(), m_max.data(), m_last.data(), m_finite.data()}; }

private:
    void beginEntry();

    qsizetype m_rows;     ///< of an entry
    qsizetype m_left = 0; ///< of the newest entry, that are still to come
    std::vector<double> m_min;
    std::vector<double> m_max;
    std::vector<double> m_last;
    std::vector<std::uint32_t> m_finite;
};

} // namespace trainyard
