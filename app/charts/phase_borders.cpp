#include "app/charts/phase_borders.h"

#include <QObject>

#include "app/runs/open_run.h"
#include "app/runs/run_phase.h"

namespace trainyard {

QList<ChartBorder> bordersOf(const OpenRun& run, ChartAxis axis)
{
    QList<ChartBorder> borders;
    for (const PhaseBorder& border : phaseBorders(run.facts(), run.series().steps(), columnOf(axis)))
        borders.append({border.position, QObject::tr("phase %1").arg(border.label)});
    return borders;
}

QList<ChartBorder> commonBorders(const QList<const OpenRun*>& runs, ChartAxis axis)
{
    QList<ChartBorder> common;
    for (const OpenRun* run : runs) {
        const QList<ChartBorder> own = bordersOf(*run, axis);
        if (!own.isEmpty() && !common.isEmpty() && own != common)
            return {};
        common = own.isEmpty() ? common : own;
    }
    return common;
}

} // namespace trainyard
