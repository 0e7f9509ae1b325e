#include "app/monitor/run_view.h"

#include <QDateTime>
#include <QDoubleValidator>
#include <QLineEdit>
#include <QLocale>
#include <QPushButton>
#include <QTabWidget>
#include <QVBoxLayout>

#include "app/models/alert_center.h"
#include "app/models/display_text.h"
#include "app/models/open_run.h"
#include "app/models/run_desk.h"
#include "app/models/run_hosts.h"
#include "app/models/run_outlook.h"
#include "app/models/theme.h"
#include "app/monitor/charts_tab.h"
#include "app/monitor/devices_tab.h"
#include "app/monitor/events_tab.h"
#include "app/monitor/log_tab.h"
#include "app/monitor/notes_tab.h"
#include "app/monitor/plan_tab.h"
#include "app/monitor/run_header.h"
#include "app/monitor/scaling_tab.h"
#include "app/monitor/spec_tab.h"
#include "app/monitor/timeline_tab.h"
#include "app/widgets/message_strip.h"

namespace trainyard {

namespace {

constexpr double kLowerRate = 0.5; ///< of the rate that led into trouble

/// A learning rate to be typed: any positive number, in any of its spellings.
QLineEdit* makeRateField(double rate)
{
    auto* field = new QLineEdit(QString::number(rate, 'g', 4));
    auto* validator = new QDoubleValidator(0, 1e6, 12, field);
    validator->setLocale(QLocale::c());
    field->setValidator(validator);
    field->setAccessibleName(RunView::tr("Learning rate from now on"));
    field->setToolTip(RunView::tr("The peak of the schedule from now on"));
    return field;
}

} // namespace

RunView::RunView(RunDesk& desk, AlertCenter& alerts, const HardwareLibrary& hardware, QWidget* parent)
    : QWidget(parent)
    , m_hosts(desk.hosts())
    , m_alerts(alerts)
    , m_header(new RunHeader(this))
    , m_strip(new MessageStrip(this))
    , m_tabs(new QTabWidget(this))
    , m_charts(new ChartsTab)
    , m_devices(new DevicesTab(m_hosts, alerts))
    , m_timeline(new TimelineTab(hardware))
    , m_plan(new PlanTab(hardware))
    , m_scaling(new ScalingTab(desk.library(), hardware))
    , m_log(new LogTab(m_hosts))
    , m_events(new EventsTab(alerts))
    , m_notes(new NotesTab(desk.edits()))
    , m_spec(new SpecTab(desk))
{
    buildTabs();
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(metrics::kGap);
    column->addWidget(m_header);
    column->addWidget(m_strip);
    column->addWidget(m_tabs, 1);
    connect(m_header, &RunHeader::stopWanted, this, &RunView::confirmStop);
    connect(m_header, &RunHeader::resumeWanted, this, [this] { resume(0); });
    connect(m_header, &RunHeader::alertsWanted, this, &RunView::showEvents);
    connect(m_events, &EventsTab::wanted, this, &RunView::act);
    connect(&alerts, &AlertCenter::changed, this, [this](const QString& runId) {
        if (m_run && m_run->id() == runId)
            update();
    });
    connect(m_header, &RunHeader::checkpointWanted, this, &RunView::checkpoint);
}

void RunView::buildTabs()
{
    m_tabs->addTab(m_charts, tr("Charts"));
    m_tabs->addTab(m_devices, tr("Devices"));
    m_tabs->addTab(m_timeline, tr("Timeline"));
    m_tabs->addTab(m_plan, tr("Plan"));
    m_tabs->addTab(m_scaling, tr("Scaling"));
    m_tabs->addTab(m_log, tr("Log"));
    m_tabs->addTab(m_events, tr("Events"));
    m_tabs->addTab(m_spec, tr("Specification"));
    m_tabs->addTab(m_notes, tr("Notes"));
    connect(m_tabs, &QTabWidget::currentChanged, this, &RunView::updateTab);
    connect(m_charts, &ChartsTab::saveFailed, m_strip, &MessageStrip::showError);
    connect(m_charts, &ChartsTab::saved, m_strip, [this](const QString& file) {
        m_strip->showMessage(MessageStrip::Tone::Good, tr("Saved %1.").arg(file));
    });
    connect(m_charts, &ChartsTab::cursorTimeChanged, m_log, &LogTab::goToTime);
    connect(m_timeline, &TimelineTab::rankWanted, this, [this](int rank) {
        m_tabs->setCurrentWidget(m_devices);
        m_devices->setRank(rank);
    });
    connect(m_devices, &DevicesTab::logWanted, this, [this](int rank) {
        m_log->setRank(rank);
        m_tabs->setCurrentWidget(m_log);
    });
}

void RunView::setRun(OpenRun* run)
{
    if (run == m_run)
        return;
    if (m_run)
        m_run->disconnect(this);
    m_run = run;
    m_acting = false;
    m_awaitedSince.reset();
    m_strip->clear();
    m_charts->reset();
    if (!run)
        return;
    connect(run, &OpenRun::changed, this, &RunView::update);
    connect(run, &OpenRun::linkChanged, this, &RunView::update);
    m_alerts.watch(run->id());
    update();
}

void RunView::update()
{
    if (!m_run)
        return;
    m_header->show(*m_run, QDateTime::currentMSecsSinceEpoch(), canAct());
    m_header->showAlerts(m_alerts.alertsOf(m_run->id()));
    tellOfCheckpoint();
    updateTab();
}

void RunView::updateTab()
{
    if (!m_run)
        return;
    const QWidget* current = m_tabs->currentWidget();
    if (current == m_charts)
        m_charts->show(*m_run);
    else if (current == m_devices)
        m_devices->show(*m_run);
    else if (current == m_timeline)
        m_timeline->show(*m_run);
    else if (current == m_plan)
        m_plan->show(*m_run);
    else if (current == m_scaling)
        m_scaling->show(*m_run);
    else if (current == m_log)
        m_log->show(*m_run);
    else if (current == m_events)
        m_events->show(*m_run, canAct());
    else if (current == m_notes)
        m_notes->setRun(m_run->id());
    else
        m_spec->show(*m_run);
}

void RunView::showEvents()
{
    m_tabs->setCurrentWidget(m_events);
}

void RunView::act(AlertAction action, const Alert& alert)
{
    switch (action) {
    case AlertAction::Checkpoint:
        return checkpoint();
    case AlertAction::Stop:
        return confirmStop();
    case AlertAction::LowerRate:
        return askForRate(alert);
    case AlertAction::ShowLog:
        m_log->setRank(alert.rank.value_or(0));
        return m_tabs->setCurrentWidget(m_log);
    case AlertAction::ShowDevices:
        m_tabs->setCurrentWidget(m_devices);
        if (alert.rank)
            m_devices->setRank(*alert.rank);
        return;
    }
}

void RunView::confirmStop()
{
    m_strip->showMessage(MessageStrip::Tone::Warning, tr("Stop %1?").arg(oneLine(m_run->facts().name())),
                         tr("It finishes its step and publishes a checkpoint, so it can be resumed later."));
    m_strip->addAction(
        tr("Keep it running"), [this] { m_strip->clear(); }, true);
    m_strip->addAction(tr("End it at once…"), [this] { confirmKill(); });
    m_strip->addAction(tr("Stop the run"), [this] { stop(true); });
}

void RunView::confirmKill()
{
    const std::int64_t kept = newestCheckpoint(m_run->series());
    m_strip->showMessage(
        MessageStrip::Tone::Bad, tr("End %1 at once?").arg(oneLine(m_run->facts().name())),
        kept > 0 ? tr("What it did after its checkpoint of step %1 is lost. Type its name to go on.")
                       .arg(displayCount(kept))
                 : tr("It has no checkpoint yet: everything that it did is lost. Type its name to go on."));
    m_strip->addAction(tr("Keep it running"), [this] { m_strip->clear(); });
    demandName(*m_strip->addAction(tr("End it at once"), [this] { stop(false); }));
}

void RunView::demandName(QPushButton& button)
{
    auto* field = new QLineEdit;
    field->setAccessibleName(tr("Name of the run"));
    field->setPlaceholderText(m_run->facts().name());
    button.setEnabled(false);
    connect(
        field, &QLineEdit::textChanged, &button,
        [&button, name = m_run->facts().name()](const QString& text) { button.setEnabled(text == name); });
    m_strip->addField(field);
    field->setFocus();
}

/// From a checkpoint that was published before the trouble, if there is one: a run that is at work is ended
/// without another.
void RunView::askForRate(const Alert& alert)
{
    const std::int64_t kept = newestCheckpoint(m_run->series());
    const bool isAtWork = !isFinal(m_run->series().status().state);
    QString detail =
        kept == 0 ? tr("There is no checkpoint: the run begins anew.")
        : alert.step > 0 && kept >= alert.step
            ? tr("Its newest checkpoint, of step %1, is from after the trouble began at step %2.")
                  .arg(displayCount(kept), displayCount(alert.step))
            : tr("It goes on from its checkpoint of step %1, from before the trouble.")
                  .arg(displayCount(kept));
    if (isAtWork)
        detail.prepend(tr("The run is ended at once, without a checkpoint. "));
    m_strip->showMessage(MessageStrip::Tone::Warning, tr("Go on with this learning rate at its peak?"),
                         detail);
    QLineEdit* rate = makeRateField(kLowerRate * peakLearningRate(m_run->facts(), m_run->series()));
    m_strip->addField(rate);
    m_strip->addAction(
        tr("Leave it as it is"), [this] { m_strip->clear(); }, true);
    QPushButton* go = m_strip->addAction(tr("Go on"), [this, rate, isAtWork] {
        const double wanted = rate->text().toDouble();
        if (isAtWork)
            killAndResume(wanted);
        else
            resume(wanted);
    });
    connect(rate, &QLineEdit::textChanged, go,
            [go](const QString& text) { go->setEnabled(text.toDouble() > 0); });
    if (isAtWork && kept == 0)
        demandName(*go);
}

void RunView::stop(bool keep)
{
    m_hosts->stop(m_run->id(), keep,
                  reply(tr("stopping"), tr("The run has stopped; no process of it is left.")));
}

void RunView::resume(double learningRate)
{
    RunReply answer =
        reply(tr("resuming"), learningRate > 0 ? tr("The run goes on from its last checkpoint, with a peak "
                                                    "learning rate of %1.")
                                                     .arg(displayNumber(learningRate))
                                               : tr("The run goes on from its last checkpoint."));
    answer.done = [this, id = m_run->id(), inner = answer.done](const Status& status) {
        inner(status);
        if (status.ok())
            emit resumed(id);
    };
    m_hosts->resume(m_run->id(), learningRate, answer);
}

void RunView::killAndResume(double learningRate)
{
    RunReply answer = reply(tr("ending the attempt"), {});
    answer.done = [this, id = m_run->id(), learningRate, inner = answer.done](const Status& status) {
        inner(status);
        if (status.ok() && m_run && m_run->id() == id)
            resume(learningRate);
    };
    m_hosts->stop(m_run->id(), false, answer);
}

void RunView::checkpoint()
{
    m_awaitedSince = newestCheckpoint(m_run->series());
    m_hosts->checkpoint(m_run->id(), reply(tr("asking for a checkpoint"),
                                           tr("Asked. The checkpoint is published after the present step.")));
}

void RunView::tellOfCheckpoint()
{
    const std::int64_t newest = newestCheckpoint(m_run->series());
    if (m_acting || !m_awaitedSince || newest <= *m_awaitedSince)
        return;
    m_awaitedSince.reset();
    m_strip->showMessage(MessageStrip::Tone::Good, tr("Checkpoint of step %1 is published.").arg(newest));
}

/// Reports in the strip while this run is still the one in view.
RunReply RunView::reply(const QString& doing, const QString& done)
{
    m_acting = true;
    m_strip->showProgress(doing, -1);
    m_strip->setClosable(false);
    update();
    const QString id = m_run->id();
    const auto isShown = [this, id] { return m_run && m_run->id() == id; };
    return {this,
            [this, isShown](const QString& text, double fraction) {
                if (isShown())
                    m_strip->showProgress(text, fraction);
            },
            [this, isShown, done](const Status& status) {
                if (!isShown())
                    return;
                m_acting = false;
                if (status.ok())
                    m_strip->showMessage(MessageStrip::Tone::Good, done);
                else
                    m_strip->showError(status.error());
                m_strip->setClosable(true);
                update();
            }};
}

} // namespace trainyard
