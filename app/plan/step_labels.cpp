#include "app/plan/step_labels.h"

#include <QObject>
#include <QStringList>

#include "app/base/display_text.h"

namespace trainyard {

namespace {

QString timeAndShare(double seconds, double all)
{
    return QStringLiteral("%1, %2").arg(displaySeconds(seconds), displayPercent(all > 0 ? seconds / all : 0));
}

} // namespace

QString causeLabel(StepCause cause)
{
    switch (cause) {
    case StepCause::Products:
        return QObject::tr("matrix products");
    case StepCause::Traffic:
        return QObject::tr("elementwise operations");
    case StepCause::Launches:
        return QObject::tr("kernel launches");
    case StepCause::Recompute:
        return QObject::tr("recomputation");
    case StepCause::Tensor:
        return QObject::tr("tensor-parallel collectives");
    case StepCause::Context:
        return QObject::tr("context-parallel keys and values");
    case StepCause::Gathers:
        return QObject::tr("weights gathered by ZeRO");
    case StepCause::Offload:
        return QObject::tr("copies to and from host memory");
    case StepCause::Transfers:
        return QObject::tr("transfers between stages");
    case StepCause::Reductions:
        return QObject::tr("gradient reduction");
    case StepCause::Optimizer:
        return QObject::tr("weight update");
    case StepCause::MicroBatches:
        return QObject::tr("fixed time per micro-batch");
    case StepCause::Stragglers:
        return QObject::tr("waiting for the slowest device");
    case StepCause::Bubble:
        return QObject::tr("waiting for other stages");
    }
    return {};
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
