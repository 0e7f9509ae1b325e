#include "app/series/curve_view.h"

#include <algorithm>

namespace trainyard {

namespace {

/// Replaces what lies from `first` on.
template <typename T>
void replaceFrom(std::vector<T>& list, std::size_t first, const std::vector<T>& rest)
{
    list.resize(first);
    list.insert(list.end(), rest.begin(), rest.end());
}

} // namespace

/// The pixel of the newest row so far, when the curve has only grown.
std::size_t CurveView::firstChange(const SeriesColumn& x, const SeriesColumn& y, std::size_t pixels) const
{
    if (m_rows.size() != pixels + 1 || m_x.isEmpty() || !x.startsWith(m_x) || !y.startsWith(m_y))
        return 0;
    const auto behind = std::upper_bound(m_rows.begin(), m_rows.end(), m_x.size() - 1);
    return behind == m_rows.begin() ? 0 : std::size_t(behind - m_rows.begin()) - 1;
}

void CurveView::followPositions(const SeriesColumn& x, const SeriesColumn& y, const PixelEdges& edges,
                                bool sameEdges)
{
    const std::size_t pixels = edges.size() - 1;
    m_changedFrom = sameEdges ? firstChange(x, y, pixels) : 0;
    m_x = x;
    m_y = y;
    if (m_changedFrom == 0) {
        m_rows = pixelRows(x, edges);
    } else if (m_changedFrom < pixels) {
        const auto first = std::ptrdiff_t(m_changedFrom);
        const std::vector<qsizetype> rest = pixelRows(x, PixelEdges(edges.begin() + first, edges.end()));
        replaceFrom(m_rows, m_changedFrom + 1, {rest.begin() + 1, rest.end()}); // where it begins is known
    }
}

void CurveView::takePositions(const CurveView& other, const SeriesColumn& x, const SeriesColumn& y,
                              bool sameEdges)
{
    m_changedFrom = sameEdges ? firstChange(x, y, other.m_rows.size() - 1) : 0;
    m_x = x;
    m_y = y;
    m_rows = other.m_rows;
}

std::vector<qsizetype> CurveView::rowsFrom(std::size_t first) const
{
    return {m_rows.begin() + std::ptrdiff_t(first), m_rows.end()};
}

void CurveView::followValues()
{
    if (m_changedFrom + 1 < m_rows.size())
        replaceFrom(m_columns, m_changedFrom, pixelColumns(m_y, rowsFrom(m_changedFrom)));
}

void CurveView::followAverages(const SmoothedSeries& average)
{
    const bool goesOn = m_averages.size() + 1 == m_rows.size() && average.starts() == m_averageStarts;
    m_averageChangedFrom = goesOn ? m_changedFrom : 0;
    m_averageStarts = average.starts();
    if (m_averageChangedFrom + 1 < m_rows.size())
        replaceFrom(m_averages, m_averageChangedFrom, average.columns(rowsFrom(m_averageChangedFrom)));
}

} // namespace trainyard
