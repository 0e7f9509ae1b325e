#include "app/plan/layout_summary.h"

#include <QCoreApplication>
#include <QStringList>

#include "engine/spec/names.h"

namespace trainyard {

namespace {

QString words(const char* text)
{
    return QCoreApplication::translate("LayoutWords", text);
}

} // namespace

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
    QStringList parts{words("data %1").arg(layout.data)};
    if (layout.context > 1)
        parts << words("context %1").arg(layout.context);
    if (layout.tensor > 1)
        parts << words("tensor %1").arg(layout.tensor);
    if (layout.pipeline > 1)
        parts << words("pipeline %1").arg(pipelineLabel(layout));
    parts << words("micro-batch %1 x %2").arg(spec.batch.micro).arg(spec.batch.accumulation);
    return parts.join(QStringLiteral(" · "));
}

QString memoryMeasures(const MemorySpec& memory)
{
    QStringList measures;
    if (memory.zeroStage > 0)
        measures << words("ZeRO %1").arg(memory.zeroStage);
    if (memory.recompute != RecomputeKind::None) {
        const auto kind = nameOf(memory.recompute);
        measures << words("%1 recomputation")
                        .arg(QString::fromUtf8(kind.data(), static_cast<qsizetype>(kind.size())));
    }
    if (memory.offloadActivations)
        measures << words("activations offloaded");
    if (memory.offloadOptimizer)
        measures << words("optimizer offloaded");
    if (memory.offloadParameters)
        measures << words("weights offloaded");
    return measures.join(QStringLiteral(", "));
}

} // namespace trainyard
