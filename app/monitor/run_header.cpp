#include "app/monitor/run_header.h"

#include <QLabel>
#include <QProgressBar>
#include <QPushButton>

#include "app/base/display_text.h"
#include "app/monitor/model/next_checkpoint.h"
#include "app/runs/open_run.h"
#include "app/runs/run_database.h"
#include "app/runs/run_phase.h"
#include "app/widgets/elided_label.h"
#include "app/widgets/roles.h"
#include "app/widgets/state_chip.h"

namespace trainyard {

namespace {

constexpr int kProgressSteps = 1000;
constexpr qint64 kFreshMs = 5000;

QString whereText(const OpenRun& run)
{
    const RunEntry entry = [&] {
        RunEntry e;
        updateEntry(e, run.facts(), run.series());
        return e;
    }();
    QStringList parts;
    if (entry.worldSize > 0)
        parts.append(displayCounted(entry.worldSize, "rank"));
    if (!entry.hosts.isEmpty())
        parts.append(QObject::tr("on %1").arg(oneLine(entry.hosts.join(QStringLiteral(", ")))));
    if (run.facts().spec && !run.facts().spec->model.preset.empty())
        parts.append(QString::fromStdString(run.facts().spec->model.preset));
    if (entry.attempt > 1)
        parts.append(QObject::tr("attempt %1").arg(entry.attempt));
    if (run.facts().readOnly)
        parts.append(QObject::tr("attached read-only"));
    return parts.join(QStringLiteral("  ·  "));
}

} // namespace

RunHeader::RunHeader(QWidget* parent)
    : QFrame(parent)
    , m_name(new ElidedLabel("title", Qt::ElideMiddle, this))
    , m_where(new ElidedLabel("muted", Qt::ElideMiddle, this))
    , m_phase(new ElidedLabel(nullptr, Qt::ElideRight, this))
    , m_metrics(new ElidedLabel(nullptr, Qt::ElideRight, this))
    , m_reason(makeParagraph({}, "error", this))
    , m_state(new StateChip(tr("Run"), this))
    , m_alerts(makeButton({}, "alert", this))
    , m_link(new StateChip(tr("Link"), this))
    , m_progress(new QProgressBar(this))
    , m_times(new ElidedLabel("small", Qt::ElideRight, this))
    , m_checkpoint(makeButton(tr("Checkpoint now"), nullptr, this))
    , m_resume(makeButton(tr("Resume"), "primary", this))
    , m_stop(makeButton(tr("Stop…"), "danger", this))
{
    m_progress->setRange(0, kProgressSteps);
    m_progress->setTextVisible(false);
    m_progress->setAccessibleName(tr("Progress"));
    m_times->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Preferred);
    m_checkpoint->setToolTip(tr("Saves a checkpoint after the current step; training continues"));
    m_resume->setToolTip(tr("Resumes from the latest checkpoint"));
    m_stop->setToolTip(tr("Finishes the step, saves a checkpoint and ends all processes of the run"));

    auto* first = rowLayout();
    first->addWidget(m_name, 1);
    first->addWidget(m_alerts);
    first->addWidget(m_link);
    first->addWidget(m_state);
    auto* texts = columnLayout(nullptr, 2);
    texts->addWidget(m_where);
    texts->addWidget(m_phase);
    texts->addWidget(m_metrics);
    auto* second = rowLayout();
    second->addLayout(texts, 1);
    for (QPushButton* button : {m_checkpoint, m_resume, m_stop})
        second->addWidget(button);
    auto* third = rowLayout(nullptr, metrics::kPanelPadding);
    third->addWidget(m_progress, 1);
    third->addWidget(m_times);
    auto* column = columnLayout(this, metrics::kHalf);
    column->addLayout(first);
    column->addLayout(second);
    column->addLayout(third);
    column->addWidget(m_reason);

    m_alerts->setAccessibleName(tr("Alerts"));
    m_alerts->hide();
    connect(m_alerts, &QPushButton::clicked, this, &RunHeader::alertsWanted);
    connect(m_stop, &QPushButton::clicked, this, &RunHeader::stopWanted);
    connect(m_resume, &QPushButton::clicked, this, &RunHeader::resumeWanted);
    connect(m_checkpoint, &QPushButton::clicked, this, &RunHeader::checkpointWanted);
}

void RunHeader::show(const OpenRun& run, qint64 nowMs, bool canAct)
{
    const RunDisplayState shown = run.displayState(nowMs);
    m_name->setFullText(oneLine(run.facts().name()));
    m_where->setFullText(whereText(run));
    // A lost link has a separate chip; this one shows the state in which the run was last seen.
    const RunDisplayState own =
        shown == RunDisplayState::LinkLost ? displayStateOf(run.series().status().state) : shown;
    m_state->setState(toneOf(own), shapeOf(own).at(0), wordOf(own));
    showLink(run, nowMs);
    showMetrics(run);
    showTimes(run);

    const RunState state = run.series().status().state;
    const bool over = isFinal(state);
    const bool mayAct = !run.facts().readOnly;
    m_checkpoint->setVisible(mayAct && !over && state != RunState::Stopping);
    m_stop->setVisible(mayAct && !over);
    m_resume->setVisible(mayAct && over && state != RunState::Finished);
    for (QPushButton* button : {m_checkpoint, m_stop, m_resume})
        button->setEnabled(canAct);

    const QString reason = oneLine(run.series().status().reason);
    m_reason->setText(reason);
    m_reason->setVisible(!reason.isEmpty());
    setStyleProperty(m_reason, "role", state == RunState::Failed ? "error" : "muted");
}

void RunHeader::showAlerts(const QList<RaisedAlert>& alerts)
{
    m_alerts->setVisible(!alerts.isEmpty());
    if (alerts.isEmpty())
        return;
    const Alert& first = alerts.first().alert;
    const QString title = titleOf(first.kind);
    const QString words = alerts.size() == 1 ? title : tr("%1 and %2 more").arg(title).arg(alerts.size() - 1);
    m_alerts->setText(QString(shapeOf(first)) + QLatin1Char(' ') + words);
    m_alerts->setAccessibleName(tr("Alerts: %1").arg(words));
    m_alerts->setToolTip(toolTipOf(first.text));
    setStyleProperty(m_alerts, "tone", first.severity == Severity::Error ? "bad" : "warning");
}

void RunHeader::showMetrics(const OpenRun& run)
{
    RunEntry entry;
    updateEntry(entry, run.facts(), run.series());
    QStringList parts;
    if (entry.steps > 0)
        parts.append(
            tr("step %1 of %2 (%3)")
                .arg(displayCount(entry.step), displayCount(entry.steps), displayPercent(run.progress())));
    if (!run.series().steps().isEmpty()) {
        parts.append(tr("loss %1").arg(displayLoss(entry.loss)));
        if (!run.series().evaluations().isEmpty())
            parts.append(tr("held-out %1 (lowest %2)")
                             .arg(displayLoss(run.series().evaluations().last(EvaluationColumn::Loss)),
                                  displayLoss(entry.bestHeldOutLoss)));
        parts.append(tr("%1 seq/s").arg(displayNumber(entry.sequencesPerSecond)));
    }
    m_metrics->setFullText(parts.join(QStringLiteral("  ·  ")));
    const QString phase = phaseText(run.facts(), run.series());
    m_phase->setFullText(phase);
    m_phase->setVisible(!phase.isEmpty());
    m_progress->setValue(int(run.progress() * kProgressSteps));
}

void RunHeader::showTimes(const OpenRun& run)
{
    QStringList parts;
    if (!run.series().steps().isEmpty())
        parts.append(
            tr("%1 trained").arg(displaySeconds(run.series().steps().last(StepColumn::TrainingSeconds))));
    const double left = run.secondsLeft();
    if (left > 0)
        parts.append(tr("about %1 left").arg(displaySeconds(left)));
    if (const auto next = nextCheckpoint(run.facts(), run.series()))
        parts.append(tr("next checkpoint in about %1").arg(displaySeconds(next->seconds)));
    m_times->setFullText(parts.join(QStringLiteral("  ·  ")));
}

void RunHeader::showLink(const OpenRun& run, qint64 nowMs)
{
    const bool over = isFinal(run.series().status().state);
    const qint64 behind = run.behindMs(nowMs);
    switch (run.link()) {
    case RunLink::Recorded:
        return m_link->clear();
    case RunLink::Live:
        if (over)
            return m_link->clear();
        return m_link->setState(Tone::Good, u'●',
                                behind > kFreshMs ? tr("live, no data for %1 s").arg(behind / 1000)
                                                  : tr("live"));
    case RunLink::CatchingUp:
        return m_link->setState(Tone::Warning, u'◔',
                                over || behind <= kFreshMs
                                    ? tr("catching up")
                                    : tr("%1 behind").arg(displaySeconds(double(behind / 1000))));
    case RunLink::Lost:
        if (over)
            return m_link->clear();
        return m_link->setState(Tone::Warning, u'◌',
                                run.series().status().state == RunState::Running
                                    ? tr("link lost, still running")
                                    : tr("link lost"),
                                tr("last seen %1").arg(displayAge(nowMs - behind, nowMs)));
    }
}

} // namespace trainyard
