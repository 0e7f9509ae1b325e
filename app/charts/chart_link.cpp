#include "app/charts/chart_link.h"

namespace trainyard {

void ChartLink::setCursor(std::optional<double> x)
{
    if (x == m_cursor)
        return;
    m_cursor = x;
    emit cursorChanged();
}

void ChartLink::setZoom(std::optional<ChartSpan> span)
{
    if (span == m_zoom)
        return;
    m_zoom = span;
    emit zoomChanged();
}

} // namespace trainyard
