#include "app/monitor/model/checkpoint_choice.h"

#include <algorithm>

#include <QObject>
#include <QStringList>

#include "app/base/display_text.h"
#include "app/runs/recorded_run.h"
#include "engine/base/untrusted_text.h"
#include "engine/checkpoint/format/checkpoint_name.h"
#include "engine/spec/phases/phases.h"
#include "remote/launch/run_service.h"

namespace trainyard {

namespace {

constexpr qsizetype kMaxStepsNamed = 6;

CheckpointName nameOf(const RunCheckpoint& checkpoint)
{
    return CheckpointName::parse(checkpoint.folder.toStdString()).value_or(CheckpointName{});
}

bool wasSetAside(const RunCheckpoint& checkpoint)
{
    return nameOf(checkpoint).damaged > 0;
}

/// Shortens the reason, whose length is up to the host.
QString reasonIn(const RunCheckpoint& checkpoint)
{
    if (checkpoint.reason.isEmpty())
        return QObject::tr("the host gave no reason");
    return QString::fromStdString(shownMessage(oneLine(checkpoint.reason).toStdString()));
}

/// True for the checkpoint that a host resumes from at this step.
bool isTakenForItsStep(const RunCheckpoint& checkpoint, const QList<RunCheckpoint>& all)
{
    const CheckpointName own = nameOf(checkpoint);
    return std::ranges::none_of(all, [&](const RunCheckpoint& other) {
        return other.step == checkpoint.step && !wasSetAside(other) && nameOf(other).comesBefore(own);
    });
}

/// Lists the steps, newest first.
QString stepsIn(const QList<RunCheckpoint>& some)
{
    const auto nameOfStep = [](const RunCheckpoint& one) {
        return one.state == QLatin1String("whole")
                   ? displayCount(one.step)
                   : QObject::tr("%1 (%2)").arg(displayCount(one.step), oneLine(one.state));
    };
    if (some.size() == 1)
        return QObject::tr("step %1").arg(nameOfStep(some.first()));
    if (some.size() > kMaxStepsNamed)
        return QObject::tr("steps %1 to %2")
            .arg(displayCount(some.last().step), displayCount(some.first().step));
    QStringList steps;
    for (const RunCheckpoint& one : some)
        steps.prepend(nameOfStep(one));
    const QString last = steps.takeLast();
    return QObject::tr("steps %1 and %2").arg(steps.join(QStringLiteral(", ")), last);
}

/// Returns the checkpoints of the current branch from `step` on, without those set aside.
QList<RunCheckpoint> presentFrom(qint64 step, const QList<RunCheckpoint>& all)
{
    QList<RunCheckpoint> some;
    std::ranges::copy_if(all, std::back_inserter(some), [step](const RunCheckpoint& one) {
        return one.step >= step && nameOf(one).isPresent();
    });
    return some;
}

} // namespace

QString sentenceOf(const RunCheckpoint& checkpoint)
{
    const QString step = displayCount(checkpoint.step);
    if (checkpoint.state == QLatin1String("damaged"))
        return (wasSetAside(checkpoint) ? QObject::tr("Step %1 is damaged, and %2.") // "set aside: ..."
                                        : QObject::tr("Step %1 is damaged: %2."))
            .arg(step, reasonIn(checkpoint));
    if (checkpoint.state == QLatin1String("unreadable"))
        return QObject::tr("Step %1 cannot be read: %2.").arg(step, reasonIn(checkpoint));
    if (checkpoint.state == QLatin1String("incomplete"))
        return QObject::tr("Step %1 is incomplete: %2.").arg(step, reasonIn(checkpoint));
    if (checkpoint.state == QLatin1String("abandoned"))
        return QObject::tr(
                   "Step %1 is abandoned: %2. It is kept, but a run resumes from it only when you choose it.")
            .arg(step, reasonIn(checkpoint));
    QString text = checkpoint.verified
                       ? QObject::tr("Step %1 is complete: every byte matched its hash.").arg(step)
                       : QObject::tr("Step %1 is complete: its files are there and of the right "
                                     "size. They have not been compared "
                                     "with their hashes yet.")
                             .arg(step);
    if (checkpoint.best)
        text += QLatin1Char(' ') + QObject::tr("It is the best by held-out evaluation.");
    if (checkpoint.next)
        text += QLatin1Char(' ') + QObject::tr("The next resume uses it.");
    if (!checkpoint.reason.isEmpty())
        text += QObject::tr(" Note: %1.").arg(reasonIn(checkpoint));
    return text;
}

QString whyNotFrom(const RunCheckpoint& checkpoint, const QList<RunCheckpoint>& all)
{
    if (checkpoint.state != QLatin1String("whole") && checkpoint.state != QLatin1String("abandoned"))
        return QObject::tr("A run can be resumed only from a complete checkpoint.");
    if (!isTakenForItsStep(checkpoint, all))
        return QObject::tr("A resume uses another checkpoint of this step.");
    return {};
}

QString whyNotResumed(const RunFacts& facts, const RunStatus& status)
{
    if (facts.readOnly)
        return QObject::tr("This run is attached read-only.");
    if (!isFinal(status.state))
        return QObject::tr("The run is still active. Stop it first.");
    if (status.state != RunState::Finished)
        return {};
    return status.reason.isEmpty() ? QObject::tr("The run is finished: all of its steps are done.")
                                   : QObject::tr("The run is finished: %1.").arg(oneLine(status.reason));
}

QString abandonedBranchText(const RunCheckpoint& checkpoint, const QList<RunCheckpoint>& all)
{
    const QString kept = QObject::tr(
        "Nothing is deleted, but a run resumes from an abandoned checkpoint only when you choose it.");
    if (nameOf(checkpoint).isPresent()) {
        const QList<RunCheckpoint> later = presentFrom(checkpoint.step + 1, all);
        if (later.isEmpty())
            return {};
        return (later.size() == 1 ? QObject::tr("The later checkpoint becomes an abandoned branch: %1.")
                                  : QObject::tr("The later checkpoints become an abandoned branch: %1."))
                   .arg(stepsIn(later)) +
               QLatin1Char(' ') + kept;
    }
    const QList<RunCheckpoint> later = presentFrom(checkpoint.step, all);
    const QString branch =
        later.isEmpty()
            ? QObject::tr(
                  "Checkpoints of the current branch that do not lead to it become an abandoned branch.")
            : QObject::tr("Checkpoints of the current branch that do not lead to it, including %1, become an "
                          "abandoned branch.")
                  .arg(stepsIn(later));
    return QObject::tr("The run returns to an abandoned branch.") + QLatin1Char(' ') + branch +
           QLatin1Char(' ') + kept;
}

QString whenTheFirstIsDue(const RunFacts& facts, RunState state)
{
    if (isFinal(state))
        return QObject::tr("The run ended before it wrote one.");
    if (!facts.spec)
        return QObject::tr("A run writes one when it is stopped, and after its last step.");
    const auto last = static_cast<qint64>(facts.spec->launch.steps);
    const auto every = static_cast<qint64>(facts.spec->checkpoint.everySteps);
    const qint64 first = every > 0 ? std::min(every, last) : last;
    const EvaluationSpec evaluation = specOfPhase(*facts.spec, 0).evaluation;
    if (!evaluation.keepBest || !evaluation.isOn())
        return QObject::tr("The first is written after step %1.").arg(displayCount(first));
    if (evaluation.everySteps > 0) // the first evaluation is the best so far
        return QObject::tr("The first is written after step %1.")
            .arg(displayCount(std::min(first, static_cast<qint64>(evaluation.everySteps))));
    return QObject::tr("The first is written after the first evaluation, at the latest after step %1.")
        .arg(displayCount(first));
}

qsizetype checkpointNews(const RunSeries& series)
{
    // Starts count too, because they rename the checkpoints that they abandon or set aside.
    return std::ranges::count_if(series.events(), [](const RunEvent& event) {
        return event.event.kind.starts_with("checkpoint-") || event.event.kind == "attempt-started";
    });
}

} // namespace trainyard
