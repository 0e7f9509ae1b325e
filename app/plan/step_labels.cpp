#include "app/plan/step_labels.h"

#include <array>

#include <QObject>
#include <QStringList>

#include "app/base/display_text.h"

namespace trainyard {

namespace {

// In the order of StepCause.
constexpr std::array<const char*, kStepCauses> kCauseLabels{
    QT_TR_NOOP("matrix products"),
    QT_TR_NOOP("elementwise operations"),
    QT_TR_NOOP("kernel launches"),
    QT_TR_NOOP("recomputation"),
    QT_TR_NOOP("tensor-parallel collectives"),
    QT_TR_NOOP("context-parallel keys and values"),
    QT_TR_NOOP("weights gathered by ZeRO"),
    QT_TR_NOOP("copies to and from host memory"),
    QT_TR_NOOP("transfers between stages"),
    QT_TR_NOOP("gradient reduction"),
    QT_TR_NOOP("weight update"),
    QT_TR_NOOP("fixed time per micro-batch"),
    QT_TR_NOOP("waiting for the slowest device"),
    QT_TR_NOOP("waiting for other stages"),
    QT_TR_NOOP("tokens sent to their experts and back"),
};

QString timeAndShare(double seconds, double all)
{
    return QStringLiteral("%1, %2").arg(displaySeconds(seconds), displayPercent(all > 0 ? seconds / all : 0));
}

} // namespace

QString causeLabel(StepCause cause)
{
    return QObject::tr(kCauseLabels[static_cast<std::size_t>(cause)]);
}

QString causeDetails(CommonCause cause, const StepTime& step)
{
    const double seconds = byCommonCause(step.byCause)[static_cast<std::size_t>(cause)];
    QStringList lines{toQString(nameOf(cause)) + QLatin1Char(' ') + timeAndShare(seconds, step.seconds)};
    for (std::size_t i = 0; i < kStepCauses; ++i) {
        const auto part = static_cast<StepCause>(i);
        if (commonCauseOf(part) == cause && step.byCause[i] > 0)
            lines << QStringLiteral("  %1 %2").arg(causeLabel(part),
                                                   timeAndShare(step.byCause[i], step.seconds));
    }
    return lines.join(QLatin1Char('\n'));
}

QString actionLabel(PipelineActionKind kind)
{
    switch (kind) {
    case PipelineActionKind::Forward:
        return QObject::tr("forward");
    case PipelineActionKind::Backward:
        return QObject::tr("backward");
    case PipelineActionKind::BackwardInput:
        return QObject::tr("input gradients");
    case PipelineActionKind::BackwardWeight:
        return QObject::tr("weight gradients");
    case PipelineActionKind::ReduceGradients:
        return QObject::tr("reduction");
    case PipelineActionKind::OptimizerStep:
        return QObject::tr("update");
    default:
        return QObject::tr("transfer");
    }
}

QString stageLabel(const PipelineShape& shape, int rank, const PipelineAction& action)
{
    return action.chunk < 0 ? QObject::tr("rank %1").arg(rank)
                            : QObject::tr("stage %1").arg(shape.stageOf(rank, action.chunk));
}

QString actionDetails(const TimedAction& timed)
{
    const PipelineAction& action = timed.action;
    QString what = actionLabel(action.kind);
    if (action.microBatch >= 0)
        what += QObject::tr(" of micro-batch %1").arg(action.microBatch);
    return QStringList{
        what,
        QObject::tr("at %1 for %2").arg(displaySeconds(timed.start), displaySeconds(timed.end - timed.start))}
        .join(QStringLiteral(" · "));
}

QString pipelineSummary(const StepTimeline& timeline, const StepTime& step)
{
    const PipelineShape& shape = timeline.shape;
    QStringList parts;
    if (shape.ranks > 1)
        parts << QObject::tr("%1 stages").arg(shape.stages());
    parts << (timeline.microBatches == 1
                  ? QObject::tr("1 micro-batch")
                  : QObject::tr("%1 micro-batches").arg(displayCount(timeline.microBatches)));
    const double bubble = step.byCause[static_cast<std::size_t>(StepCause::Bubble)];
    parts << (shape.ranks == 1 ? QObject::tr("no pipeline, no bubble")
                               : QObject::tr("bubble %1").arg(timeAndShare(bubble, step.seconds)));
    if (!timeline.isWhole())
        parts << QObject::tr("first %1 shown").arg(displayCount(shape.microBatches));
    return parts.join(QStringLiteral(" · "));
}

} // namespace trainyard
