#pragma once

#include <QSharedPointer>

#include <qcustomplot.h>

#include "app/series/axis.h"

namespace trainyard {

/// Ticks of a chart axis, placed and labelled as everywhere in Trainyard.
class ChartTicker : public QCPAxisTicker {
public:
    explicit ChartTicker(const TickDemand& demand);

protected:
    QVector<double> createTickVector(double step, const QCPRange& range) override;
    int getSubTickCount(double step) override;
    QString getTickLabel(double tick, const QLocale&, QChar, int) override;

private:
    TickDemand m_demand;
};

} // namespace trainyard
