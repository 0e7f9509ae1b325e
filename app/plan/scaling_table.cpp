#include "app/plan/scaling_table.h"

#include <cmath>
#include <map>

namespace trainyard {

std::optional<double> ScalingRow::costToTarget() const
{
    if (!toTarget || price.perHour <= 0)
        return std::nullopt;
    return price.costOf(toTarget->seconds);
}

QList<ScalingRow> scalingTable(const QList<ScalingPoint>& points)
{
    std::map<int, ScalingRow> bySize;
    for (const ScalingPoint& point : points) {
        if (point.worldSize < 1 || !std::isfinite(point.sequencesPerSecond) || point.sequencesPerSecond <= 0)
            continue;
        ScalingRow& row = bySize[point.worldSize];
        ++row.runs;
        if (point.sequencesPerSecond <= row.sequencesPerSecond)
            continue;
        row.worldSize = point.worldSize;
        row.globalBatch = point.globalBatch;
        row.runId = point.runId;
        row.sequencesPerSecond = point.sequencesPerSecond;
        row.toTarget = point.toTarget;
        row.price = point.price;
    }
    if (bySize.size() < 2)
        return {};

    const ScalingRow base = bySize.begin()->second;
    QList<ScalingRow> rows;
    for (auto& [size, row] : bySize) {
        row.speedup = row.sequencesPerSecond / base.sequencesPerSecond;
        row.efficiency = row.speedup * base.worldSize / size;
        rows.append(row);
    }
    return rows;
}

} // namespace trainyard
