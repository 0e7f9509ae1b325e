#include "app/plan/layout_summary.h"

#include <QObject>
#include <QStringList>

#include "app/base/display_text.h"
#include "engine/spec/names.h"

namespace trainyard {

QString pipelineLabel(const ParallelLayout& layout)
{
    if (layout.pipeline == 1)
        return QStringLiteral("1");
    const QString chunks =
        layout.virtualStages > 1 ? QStringLiteral(" x %1").arg(layout.virtualStages) : QString();
    return QStringLiteral("%1%2 %3").arg(QString::number(layout.pipeline), chunks,
                                         toQString(nameOf(layout.schedule)));
}

QString layoutSummary(const RunSpec& spec)
{
    const ParallelLayout& layout = spec.layout;
    QStringList parts{QObject::tr("data %1").arg(layout.data)};
    if (layout.expert > 1)
        parts << QObject::tr("expert %1").arg(layout.expert);
    if (layout.shard > 0)
        parts << QObject::tr("shard %1").arg(layout.shard);
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
        measures << QObject::tr("%1 recomputation").arg(toQString(nameOf(memory.recompute)));
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
