#include "app/plan/step_labels.h"

#include <QCoreApplication>
#include <QStringList>

#include "app/base/display_text.h"

namespace trainyard {

namespace {

QString words(const char* text)
{
    return QCoreApplication::translate("StepWords", text);
}

QString timeAndShare(double seconds, double all)
{
    return QStringLiteral("%1, %2").arg(displaySeconds(seconds), displayPercent(all > 0 ? seconds / all : 0));
}

} // namespace

QString causeLabel(StepCause cause)
{
    switch (cause) {
    case StepCause::Products:
        return words("matrix products");
    case StepCause::Traffic:
        return words("elementwise operations");
    case StepCause::Launches:
        return words("kernel launches");
    case StepCause::Recompute:
        return words("recomputation");
    case StepCause::Tensor:
        return words("tensor-parallel collectives");
    case StepCause::Context:
        return words("context-parallel keys and values");
    case StepCause::Gathers:
        return words("weights gathered by ZeRO");
    case StepCause::Offload:
        return words("copies to and from host memory");
    case StepCause::Transfers:
        return words("transfers between stages");
    case StepCause::Reductions:
        return words("gradient reduction");
    case StepCause::Optimizer:
        return words("weight update");
    case StepCause::MicroBatches:
        return words("fixed time per micro-batch");
    case StepCause::Stragglers:
        return words("waiting for the slowest device");
    case StepCause::Bubble:
        return words("waiting for other stages");
    }
    return {};
}

QString causeName(CommonCause cause)
{
    const auto name = nameOf(cause);
    return QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
}

QString causeDetails(CommonCause cause, const StepTime& step)
{
    const double seconds = byCommonCause(step.byCause)[static_cast<std::size_t>(cause)];
    QStringList lines{causeName(cause) + QLatin1Char(' ') + timeAndShare(seconds, step.seconds)};
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
        return words("forward");
    case PipelineActionKind::Backward:
        return words("backward");
    case PipelineActionKind::BackwardInput:
        return words("input gradients");
    case PipelineActionKind::BackwardWeight:
        return words("weight gradients");
    case PipelineActionKind::ReduceGradients:
        return words("reduction");
    case PipelineActionKind::OptimizerStep:
        return words("update");
    default:
        return words("transfer");
    }
}

QString stageLabel(const PipelineShape& shape, int rank, const PipelineAction& action)
{
    return action.chunk < 0 ? words("rank %1").arg(rank)
                            : words("stage %1").arg(shape.stageOf(rank, action.chunk));
}

QString actionDetails(const TimedAction& timed)
{
    const PipelineAction& action = timed.action;
    QString what = actionLabel(action.kind);
    if (action.microBatch >= 0)
        what += words(" of micro-batch %1").arg(action.microBatch);
    return QStringList{
        what, words("at %1 for %2").arg(displaySeconds(timed.start), displaySeconds(timed.end - timed.start))}
        .join(QStringLiteral(" · "));
}

QString pipelineSummary(const StepTimeline& timeline, const StepTime& step)
{
    const PipelineShape& shape = timeline.shape;
    QStringList parts;
    if (shape.ranks > 1)
        parts << words("%1 stages").arg(shape.stages());
    parts << (timeline.microBatches == 1
                  ? words("1 micro-batch")
                  : words("%1 micro-batches").arg(displayCount(timeline.microBatches)));
    const double bubble = step.byCause[static_cast<std::size_t>(StepCause::Bubble)];
    parts << (shape.ranks == 1 ? words("no pipeline, no bubble")
                               : words("bubble %1").arg(timeAndShare(bubble, step.seconds)));
    if (!timeline.isWhole())
        parts << words("first %1 shown").arg(displayCount(shape.microBatches));
    return parts.join(QStringLiteral(" · "));
}

} // namespace trainyard
