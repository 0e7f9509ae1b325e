#include "app/plan/layout_summary.h"

#include <QObject>
#include <QStringList>

#include "engine/spec/names.h"

namespace trainyard {

QString pipelineLabel(const ParallelLayout& layout)
{
    if (layout.pipeline == 1)
        return QStringLiteral("1");
    const QString chunks =
        layout.virtualStages > 1 ? QStringLiteral(" x %1").arg(layout.virtualStages) : QString();
    const auto schedule = nameOf(layout.schedule);
    return QStringLiteral("%1%2 %3").arg(
        QString::number(layout.pipeline), chunks,
        QString::fromUtf8(schedule.data(), static_cast<qsizetype>(schedule.size())));
}

QString layoutSummary(const RunSpec& spec)
{
    const ParallelLayout& layout = spec.layout;
    QStringList parts{QObject::tr("data %1").arg(layout.data)};
    if (layout.context > 1)
        parts << QObject::tr("context %1").arg(layout.context);
    if (layout.tensor > 1)
        parts << QObject::tr("tensor %1").arg(layout.tensor);
    if (layout.pipeline > 1)
        parts << QObject::tr("pipeline %1").arg(pipelineLabel(layout));
    parts << QObject::tr("micro-batch %1 x %2").arg(spec.batch.micro).arg(spec.batch.accumulation);
    return parts.join(QStringLiteral(" · "));
}

QString memoryMeasures(const MemorySpec& memory)
{
    QStringList measures;
    if (memory.zeroStage > 0)
        measures << QObject::tr("ZeRO %1").arg(memory.zeroStage);
    if (memory.recompute != RecomputeKind::None) {
        const auto kind = nameOf(memory.recompute);
        measures << QObject::tr("%1 recomputation")
                        .arg(QString::fromUtf8(kind.data(), static_cast<qsizetype>(kind.size())));
    }
    if (memory.offloadActivations)
        measures << QObject::tr("activations offloaded");
    if (memory.offloadOptimizer)
        measures << QObject::tr("optimizer offloaded");
    if (memory.offloadParameters)
        measures << QObject::tr("weights offloaded");
    return measures.join(QStringLiteral(", "));
}

} // namespace trainyard
