#include "app/monitor/run_view.h"

#include <QDateTime>
#include <QDockWidget>
#include <QDoubleValidator>
#include <QLineEdit>
#include <QLocale>
#include <QPushButton>

#include "app/alerts/alert_center.h"
#include "app/base/display_text.h"
#include "app/base/theme.h"
#include "app/monitor/charts_tab.h"
#include "app/monitor/checkpoints_tab.h"
#include "app/monitor/devices_tab.h"
#include "app/monitor/events_tab.h"
#include "app/monitor/log_tab.h"
#include "app/monitor/model/next_checkpoint.h"
#include "app/monitor/notes_tab.h"
#include "app/monitor/plan_tab.h"
#include "app/monitor/run_header.h"
#include "app/monitor/scaling_tab.h"
#include "app/monitor/spec_tab.h"
#include "app/monitor/timeline_tab.h"
#include "app/monitor/trace_saver.h"
#include "app/runs/run_hosts.h"
#include "app/runs/run_store.h"
#include "app/widgets/roles.h"
#include "app/workspace/message_bar.h"
#include "app/workspace/panel_area.h"
#include "remote/launch/run_service.h"

namespace trainyard {

namespace {

constexpr double kLowerRate = 0.5;    ///< of the rate that led into trouble
constexpr double kChartsShare = 0.55; ///< of the width of a wide window
constexpr int kFieldWidth = 320;

/// Makes a field for a learning rate: a positive number, in any notation.
QLineEdit* makeRateField(double rate)
{
    auto* field = new QLineEdit(QString::number(rate, 'g', 4));
    auto* validator = new QDoubleValidator(0, 1e6, 12, field);
    validator->setLocale(QLocale::c());
    field->setValidator(validator);
    field->setAccessibleName(RunView::tr("New learning rate"));
    field->setToolTip(RunView::tr("New peak of the schedule"));
    return field;
}

/// Adds a field of fixed width, not as wide as the strip, because its input is short.
void addShortField(MessageBar& strip, QLineEdit& field)
{
    field.setFixedWidth(kFieldWidth);
    auto* line = new QWidget;
    auto* row = rowLayout(line, -1);
    row->addWidget(&field);
    row->addStretch(1);
    strip.addField(line);
}

/// Adds these panels as tabs of `first`, which must be in the area.
void addTabs(PanelArea& area, const char* first, std::initializer_list<const char*> others)
{
    QDockWidget* before = area.panel(QLatin1String(first));
    for (const char* id : others) {
        QDockWidget* panel = area.panel(QLatin1String(id));
        area.tabifyDockWidget(before, panel);
        before = panel;
    }
}

void putInTabs(PanelArea& area)
{
    area.addDockWidget(Qt::LeftDockWidgetArea, area.panel(QStringLiteral("charts")));
    addTabs(
        area, "charts",
        {"devices", "timeline", "plan", "scaling", "log", "events", "checkpoints", "specification", "notes"});
}

/// Puts the charts on the left; on the right time and memory above events and logs.
void putSideBySide(PanelArea& area)
{
    const auto panel = [&area](const char* id) { return area.panel(QLatin1String(id)); };
    area.addDockWidget(Qt::LeftDockWidgetArea, panel("charts"));
    area.splitDockWidget(panel("charts"), panel("devices"), Qt::Horizontal);
    area.splitDockWidget(panel("devices"), panel("log"), Qt::Vertical);
    addTabs(area, "devices", {"timeline", "plan", "scaling"});
    addTabs(area, "log", {"events", "checkpoints", "specification", "notes"});
}

void arrange(PanelArea& area, PanelArea::SizeClass sizeClass)
{
    const auto panel = [&area](const char* id) { return area.panel(QLatin1String(id)); };
    const bool isWide = sizeClass == PanelArea::SizeClass::Wide;
    isWide ? putSideBySide(area) : putInTabs(area);
    for (const QString& id : area.panelIds())
        area.panel(id)->show();
    for (const char* id : {"log", "devices", "charts"})
        panel(id)->raise();
    if (!isWide)
        return;
    const int charts = int(area.width() * kChartsShare);
    area.resizeDocks({panel("charts"), panel("devices")}, {charts, area.width() - charts}, Qt::Horizontal);
    area.resizeDocks({panel("devices"), panel("log")}, {area.height() / 2, area.height() / 2}, Qt::Vertical);
}

} // namespace

RunView::RunView(RunStore& store, AlertCenter& alerts, const HardwareLibrary& hardware, QUndoStack& undo,
                 QWidget* parent)
    : QWidget(parent)
    , m_hosts(store.hosts())
    , m_alerts(alerts)
    , m_readTrace([this](const ReadTrace& read) { onTraceRead(read); })
    , m_header(new RunHeader(this))
    , m_strip(new MessageBar(this))
    , m_panels(new PanelArea(undo))
    , m_charts(new ChartsTab(undo))
    , m_devices(new DevicesTab(m_hosts, alerts))
    , m_timeline(new TimelineTab(hardware))
    , m_plan(new PlanTab(hardware))
    , m_scaling(new ScalingTab(store.history(), hardware))
    , m_log(new LogTab(m_hosts))
    , m_events(new EventsTab(alerts))
    , m_checkpoints(new CheckpointsTab(m_hosts))
    , m_notes(new NotesTab(store.edits()))
    , m_spec(new SpecTab(store))
{
    addPanels();
    connectPanels();
    auto* column = columnLayout(this);
    column->addWidget(m_header);
    column->addWidget(m_strip);
    column->addWidget(m_panels, 1);
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

void RunView::addPanels()
{
    using Scrolling = PanelArea::Scrolling;
    const auto add = [this](const char* id, const QString& title, QWidget* content, Scrolling scrolling) {
        m_panels->addPanel(QLatin1String(id), title, content, PanelArea::Heading::Bar, scrolling);
    };
    add("charts", tr("Charts"), m_charts, Scrolling::Own);
    add("devices", tr("Devices"), m_devices, Scrolling::Area);
    add("timeline", tr("Timeline"), m_timeline, Scrolling::Area);
    add("plan", tr("Plan"), m_plan, Scrolling::Area);
    add("scaling", tr("Scaling"), m_scaling, Scrolling::Area);
    add("log", tr("Log"), m_log, Scrolling::Own);
    add("events", tr("Events"), m_events, Scrolling::Area);
    add("checkpoints", tr("Checkpoints"), m_checkpoints, Scrolling::Own);
    add("specification", tr("Specification"), m_spec, Scrolling::Own);
    add("notes", tr("Notes"), m_notes, Scrolling::Own);
    m_panels->setFirstLayout(arrange);
    connect(m_panels, &PanelArea::panelShown, this, &RunView::updatePanels);
}

void RunView::connectPanels()
{
    connect(m_charts, &ChartsTab::saveFailed, m_strip, &MessageBar::showError);
    connect(m_charts, &ChartsTab::saved, m_strip, [this](const QString& file) {
        m_strip->showMessage(MessageBar::Tone::Good, tr("Saved %1.").arg(file));
    });
    connect(m_charts, &ChartsTab::cursorTimeChanged, m_log, &LogTab::goToTime);
    m_timeline->setRecordable(m_hosts != nullptr);
    connect(m_timeline, &TimelineTab::recordingWanted, this, &RunView::recordSteps);
    connect(m_timeline, &TimelineTab::rankWanted, this, &RunView::showDevice);
    connect(m_devices, &DevicesTab::logWanted, this, &RunView::showLog);
    connect(m_checkpoints, &CheckpointsTab::resumeWanted, this, &RunView::goBack);
    connect(m_checkpoints, &CheckpointsTab::trialWanted, this,
            [this](qint64 step) { emit trialWanted(m_run->id(), step); });
    connect(m_checkpoints, &CheckpointsTab::exportWanted, this,
            [this](qint64 step) { emit exportWanted(m_run->id(), step); });
    connect(m_log, &LogTab::timeChosen, this, [this](qint64 timeMs) {
        const QSignalBlocker blocker(m_charts); // the log is already at this time
        m_charts->showTime(timeMs);
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
    m_shownProblem.clear();
    m_strip->clear();
    m_charts->reset();
    m_notes->setRun(run ? run->id() : QString());
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
    reportCheckpoint();
    showProblem();
    updatePanels();
}

void RunView::refresh()
{
    m_checkpoints->refresh();
}

void RunView::updatePanels()
{
    if (!m_run)
        return;
    const auto showWhereSeen = [this](auto* content) {
        if (PanelArea::isSeen(*content))
            content->show(*m_run);
    };
    showWhereSeen(m_charts);
    showWhereSeen(m_devices);
    showWhereSeen(m_timeline);
    showWhereSeen(m_plan);
    showWhereSeen(m_scaling);
    showWhereSeen(m_log);
    showWhereSeen(m_spec);
    if (PanelArea::isSeen(*m_events))
        m_events->show(*m_run, canAct());
    if (PanelArea::isSeen(*m_checkpoints))
        m_checkpoints->show(*m_run, canAct());
}

void RunView::showEvents()
{
    m_panels->showPanel(*m_events);
}

void RunView::showLog(int rank)
{
    m_panels->showPanel(*m_log);
    m_log->show(*m_run); // a closed panel counts as visible only after its layout
    m_log->setRank(rank);
}

void RunView::showDevice(int rank)
{
    m_panels->showPanel(*m_devices);
    m_devices->show(*m_run);
    m_devices->setRank(rank);
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
        return showLog(alert.rank.value_or(0));
    case AlertAction::ShowDevices:
        return alert.rank ? showDevice(*alert.rank) : m_panels->showPanel(*m_devices);
    }
}

void RunView::confirmStop()
{
    m_strip->showMessage(
        MessageBar::Tone::Warning, tr("Stop %1?").arg(oneLine(m_run->facts().name())),
        tr("It finishes the current step and saves a checkpoint, so it can be resumed later."));
    m_strip->addAction(
        tr("Keep it running"), [this] { m_strip->clear(); }, true);
    m_strip->addAction(tr("Kill now…"), [this] { confirmKill(); });
    m_strip->addAction(tr("Stop the run"), [this] { stop(true); });
}

void RunView::confirmKill()
{
    const std::int64_t kept = newestCheckpoint(m_run->series());
    m_strip->showMessage(
        MessageBar::Tone::Bad, tr("Kill %1 now?").arg(oneLine(m_run->facts().name())),
        kept > 0 ? tr("Progress after the checkpoint of step %1 will be lost. Type its name to confirm.")
                       .arg(displayCount(kept))
                 : tr("It has no checkpoint yet: all progress will be lost. Type its name to confirm."));
    m_strip->addAction(tr("Keep it running"), [this] { m_strip->clear(); });
    demandName(*m_strip->addAction(tr("Kill now"), [this] { stop(false); }));
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
    addShortField(*m_strip, *field);
    field->setFocus();
}

/// Asks for a learning rate to resume with from the newest checkpoint. A running run is stopped without
/// writing another one, which might contain the problem.
void RunView::askForRate(const Alert& alert)
{
    const std::int64_t kept = newestCheckpoint(m_run->series());
    const bool isActive = !isFinal(m_run->series().status().state);
    QString detail =
        kept == 0 ? tr("There is no checkpoint: the run starts over.")
        : alert.step > 0 && kept >= alert.step
            ? tr("Its latest checkpoint, of step %1, was saved after the problem began at step %2.")
                  .arg(displayCount(kept), displayCount(alert.step))
            : tr("It resumes from its checkpoint of step %1, saved before the problem began.")
                  .arg(displayCount(kept));
    if (isActive)
        detail.prepend(tr("The run is killed now, without a checkpoint. "));
    m_strip->showMessage(MessageBar::Tone::Warning, tr("Resume with this peak learning rate?"), detail);
    QLineEdit* rate = makeRateField(kLowerRate * peakLearningRate(m_run->facts(), m_run->series()));
    addShortField(*m_strip, *rate);
    m_strip->addAction(
        tr("Cancel"), [this] { m_strip->clear(); }, true);
    QPushButton* go = m_strip->addAction(tr("Resume with this rate"), [this, rate, isActive] {
        const double wanted = rate->text().toDouble();
        if (isActive)
            killAndResume(wanted);
        else
            resume(wanted);
    });
    connect(rate, &QLineEdit::textChanged, go,
            [go](const QString& text) { go->setEnabled(text.toDouble() > 0); });
    if (isActive && kept == 0)
        demandName(*go);
}

void RunView::stop(bool keep)
{
    m_hosts->stop(m_run->id(), keep, reply(tr("stopping"), tr("Run stopped. No processes remain.")));
}

void RunView::resume(double learningRate)
{
    resumeWith({.learningRate = learningRate},
               learningRate > 0 ? tr("Resumed from the latest checkpoint, with a peak learning rate of %1.")
                                      .arg(displayNumber(learningRate))
                                : tr("Resumed from the latest checkpoint."));
}

void RunView::resumeFrom(qint64 step)
{
    resumeWith({.step = step}, tr("Resumed from the checkpoint of step %1.").arg(displayCount(step)));
}

void RunView::resumeWith(const ResumeChanges& changes, const QString& done)
{
    RunReply answer = reply(tr("resuming"), done);
    answer.done = [this, id = m_run->id(), inner = answer.done](const Status& status) {
        inner(status);
        if (status.ok())
            emit resumed(id);
        m_checkpoints->refresh();
    };
    m_hosts->resume(m_run->id(), changes, answer);
}

void RunView::goBack(qint64 step, const QString& abandoned)
{
    if (abandoned.isEmpty())
        return resumeFrom(step);
    m_strip->showMessage(MessageBar::Tone::Warning,
                         tr("Go back to the checkpoint of step %1?").arg(displayCount(step)), abandoned);
    m_strip->addAction(
        tr("Cancel"), [this] { m_strip->clear(); }, true);
    m_strip->addAction(tr("Resume from step %1").arg(displayCount(step)), [this, step] { resumeFrom(step); });
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
                                           tr("Requested. The checkpoint is saved after the current step.")));
}

void RunView::reportCheckpoint()
{
    const std::int64_t newest = newestCheckpoint(m_run->series());
    if (m_acting || !m_awaitedSince || newest <= *m_awaitedSince)
        return;
    m_awaitedSince.reset();
    m_strip->showMessage(MessageBar::Tone::Good, tr("Saved the checkpoint of step %1.").arg(newest));
}

/// Records in the background: other requests to the run stay possible.
void RunView::recordSteps()
{
    const QString id = m_run->id();
    auto* saver = new TraceSaver(*m_hosts, *m_run, this);
    m_timeline->setRecordable(false);
    connect(saver, &TraceSaver::progress, m_timeline, &TimelineTab::showRecording);
    connect(saver, &TraceSaver::finished, this,
            [this, id](const Result<QString>& file) { reportTrace(id, file); });
    saver->start();
}

void RunView::reportTrace(const QString& runId, const Result<QString>& file)
{
    m_timeline->setRecordable(true);
    if (!m_run || m_run->id() != runId || m_acting)
        return;
    if (!file.ok())
        return m_strip->showError(file.error());
    m_strip->showMessage(MessageBar::Tone::Good, tr("Saved %1.").arg(*file),
                         tr("Passes and collectives of every rank, for ui.perfetto.dev."));
    m_strip->addAction(tr("View trace"), [this, path = *file] { openTrace(path); });
}

void RunView::openTrace(const QString& file)
{
    m_readTrace.start([file](const auto&) { return ReadTrace{file, readRecordedTrace(file)}; });
}

void RunView::onTraceRead(const ReadTrace& read)
{
    if (!m_run || m_acting)
        return;
    if (!read.trace.ok())
        return m_strip->showError(read.trace.error());
    m_strip->clear();
    m_panels->showPanel(*m_timeline);
    m_timeline->show(*m_run);
    m_timeline->showTrace(read.file, *read.trace);
}

void RunView::showProblem()
{
    if (m_acting || m_run->problem() == m_shownProblem)
        return;
    m_shownProblem = m_run->problem();
    if (!m_shownProblem.isEmpty())
        m_strip->showMessage(MessageBar::Tone::Warning, m_shownProblem);
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
                    m_strip->showMessage(MessageBar::Tone::Good, done);
                else
                    m_strip->showError(status.error());
                m_strip->setClosable(true);
                update();
            }};
}

} // namespace trainyard
