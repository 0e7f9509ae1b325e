#include "app/charts/chart_ticker.h"

namespace trainyard {

ChartTicker::ChartTicker(const TickDemand& demand) : m_demand(demand) {}

QVector<double> ChartTicker::createTickVector(double, const QCPRange& range)
{
    return axisTicks(range.lower, range.upper, m_demand);
}

int ChartTicker::getSubTickCount(double)
{
    return 0;
}

QString ChartTicker::getTickLabel(double tick, const QLocale&, QChar, int)
{
    return tickText(tick, m_demand.quantity);
}

} // namespace trainyard
