#include "app/monitor/run_view.h"

#include <algorithm>

#include <QDateTime>
#include <QTabWidget>
#include <QVBoxLayout>

#include "app/models/open_run.h"
#include "app/models/run_desk.h"
#include "app/models/run_hosts.h"
#include "app/models/theme.h"
#include "app/monitor/charts_tab.h"
#include "app/monitor/devices_tab.h"
#include "app/monitor/events_tab.h"
#include "app/monitor/log_tab.h"
#include "app/monitor/notes_tab.h"
#include "app/monitor/plan_tab.h"
#include "app/monitor/run_header.h"
#include "app/monitor/spec_tab.h"
#include "app/widgets/message_strip.h"

namespace trainyard {

namespace {

/// Step of the newest checkpoint that the run has told of; 0 = none yet.
std::int64_t newestCheckpoint(const RunSeries& series)
{
    std::int64_t newest = 0;
    for (const RunEvent& event : series.events()) {
        if (event.event.kind == "checkpoint-published")
            newest = std::max(newest, event.event.step);
    }
    return newest;
}

} // namespace

RunView::RunView(RunDesk& desk, const HardwareLibrary& hardware, QWidget* parent)
    : QWidget(parent)
    , m_hosts(desk.hosts())
    , m_header(new RunHeader(this))
    , m_strip(new MessageStrip(this))
    , m_tabs(new QTabWidget(this))
    , m_charts(new ChartsTab)
    , m_devices(new DevicesTab)
    , m_plan(new PlanTab(hardware))
    , m_log(new LogTab(m_hosts))
    , m_events(new EventsTab)
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
    connect(m_header, &RunHeader::resumeWanted, this, &RunView::resume);
    connect(m_header, &RunHeader::checkpointWanted, this, &RunView::checkpoint);
}

void RunView::buildTabs()
{
    m_tabs->addTab(m_charts, tr("Charts"));
    m_tabs->addTab(m_devices, tr("Devices"));
    m_tabs->addTab(m_plan, tr("Plan"));
    m_tabs->addTab(m_log, tr("Log"));
    m_tabs->addTab(m_events, tr("Events"));
    m_tabs->addTab(m_spec, tr("Specification"));
    m_tabs->addTab(m_notes, tr("Notes"));
    connect(m_tabs, &QTabWidget::currentChanged, this, &RunView::updateTab);
    connect(m_charts, &ChartsTab::saveFailed, m_strip, &MessageStrip::showError);
    connect(m_charts, &ChartsTab::saved, m_strip, [this](const QString& file) {
        m_strip->showMessage(MessageStrip::Tone::Good, tr("Saved %1.").arg(file));
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
    update();
}

void RunView::update()
{
    if (!m_run)
        return;
    m_header->show(*m_run, QDateTime::currentMSecsSinceEpoch(), m_hosts && !m_acting);
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
    else if (current == m_plan)
        m_plan->show(*m_run);
    else if (current == m_log)
        m_log->show(*m_run);
    else if (current == m_events)
        m_events->show(*m_run);
    else if (current == m_notes)
        m_notes->setRun(m_run->id());
    else
        m_spec->show(*m_run);
}

void RunView::confirmStop()
{
    m_strip->showMessage(MessageStrip::Tone::Warning, tr("Stop %1?").arg(m_run->facts().name()),
                         tr("It finishes its step and publishes a checkpoint, so it can be resumed later."));
    m_strip->addAction(
        tr("Keep it running"), [this] { m_strip->clear(); }, true);
    m_strip->addAction(tr("Stop the run"), [this] { stop(); });
}

void RunView::stop()
{
    m_hosts->stop(m_run->id(), reply(tr("stopping"), tr("The run has stopped; no process of it is left.")));
}

void RunView::resume()
{
    RunReply answer = reply(tr("resuming"), tr("The run goes on from its last checkpoint."));
    answer.done = [this, id = m_run->id(), inner = answer.done](const Status& status) {
        inner(status);
        if (status.ok())
            emit resumed(id);
    };
    m_hosts->resume(m_run->id(), answer);
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
