#include "app/monitor/runs_page.h"
#include "app/widgets/roles.h"

#include <QAction>
#include <QDateTime>
#include <QFileDialog>
#include <QMenu>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>

#include "app/base/display_text.h"
#include "app/monitor/alert_notifier.h"
#include "app/monitor/model_exporter.h"
#include "app/monitor/run_actions.h"
#include "app/monitor/run_importer.h"
#include "app/monitor/run_list_pane.h"
#include "app/monitor/run_view.h"
#include "app/runs/run_hosts.h"
#include "app/runs/run_store.h"
#include "app/workspace/empty_state.h"
#include "app/workspace/message_bar.h"
#include "app/workspace/page_frame.h"
#include "app/workspace/panel_area.h"

namespace trainyard {

namespace {

constexpr int kClockMs = 1000;
constexpr int kListWidth = 300;

/// Returns e.g. "200 steps, the loss went from 8.93 to 6.12".
QString lossText(const RunSeries& series)
{
    const SeriesColumn& losses = series.steps().column(StepColumn::Loss);
    const QString steps = displayCounted(qint64(losses.size()), "step");
    if (losses.isEmpty())
        return steps;
    return RunsPage::tr("%1, the loss went from %2 to %3")
        .arg(steps, displayLoss(losses.first()), displayLoss(series.steps().last(StepColumn::Loss)));
}

} // namespace

RunsPage::RunsPage(RunStore& store, AlertCenter& alerts, const HardwareLibrary& hardware, QWidget* parent)
    : Page(tr("Runs"), QStringLiteral("runs"), parent)
    , m_store(store)
    , m_frame(new PageFrame(tr("Runs")))
    , m_pages(new QStackedWidget)
    , m_right(new QStackedWidget)
    , m_list(new RunListPane(store.list()))
    , m_view(new RunView(store, alerts, hardware, workspace()))
    , m_actions(new RunActions(store, *m_frame->messageBar(), *this))
    , m_importer(new RunImporter(store, *m_frame->messageBar(), *this))
    , m_openTrace(new QAction(tr("Open a recorded trace…"), this))
{
    store.edits().useStack(workspace());
    auto* none = new EmptyState(QStringLiteral("runs"), tr("No runs yet"),
                                tr("Watch training live: loss, throughput, memory of every rank, logs and "
                                   "events. Runs continue when this window is closed."),
                                tr("Design a run"));
    connect(none, &EmptyState::actionRequested, this, &RunsPage::designRequested);
    m_pages->addWidget(none);
    m_pages->addWidget(buildSplit());
    m_frame->content()->addWidget(m_pages, 1);
    m_frame->addAction(m_view->panels().makeMenuButton());
    addActions(m_view->panels().commands());
    addWorkspaceActions(tr("Undo"), QKeySequence::Undo, tr("Redo"), QKeySequence(Qt::CTRL | Qt::Key_Y));
    auto* column = columnLayout(this, -1);
    column->addWidget(m_frame);

    connectActions();
    auto* notifier = new AlertNotifier(alerts, *this, this);
    connect(notifier, &AlertNotifier::clicked, this, &RunsPage::alertClicked);
    connect(m_list, &RunListPane::currentRunChanged, this, &RunsPage::onCurrentRun);
    connect(m_view, &RunView::resumed, &store, &RunStore::followAgain);
    connect(&store, &RunStore::runChanged, this, &RunsPage::onRunChanged);
    connect(&store, &RunStore::problem, this, [this](const QString& text) {
        m_frame->messageBar()->showMessage(MessageBar::Tone::Bad, tr("The history cannot be written"), text);
    });
    for (auto signal : {&QAbstractItemModel::rowsInserted, &QAbstractItemModel::rowsRemoved})
        connect(&store.list(), signal, this, &RunsPage::showPage);
    auto* find = new QAction(tr("Find a run"), this);
    find->setShortcut(QKeySequence::Find);
    find->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    connect(find, &QAction::triggered, m_list, &RunListPane::focusSearch);
    addAction(find);
    connect(m_openTrace, &QAction::triggered, this, &RunsPage::chooseTrace);
    addAction(m_openTrace);
    connect(&m_clock, &QTimer::timeout, this, [this] {
        if (isVisible())
            m_view->update();
    });
    m_clock.start(kClockMs);
    showPage();
}

void RunsPage::connectActions()
{
    auto* exporter = new ModelExporter(m_store, *m_frame->messageBar(), *this);
    connect(m_list, &RunListPane::menuWanted, m_actions, &RunActions::showMenu);
    connect(m_list, &RunListPane::importWanted, m_importer, &RunImporter::showMenu);
    connect(m_importer, &RunImporter::imported, this, &RunsPage::showRun);
    connect(m_actions, &RunActions::copyWanted, this, &RunsPage::copyRequested);
    connect(m_actions, &RunActions::relaunchWanted, this, &RunsPage::launchRequested);
    connect(m_actions, &RunActions::comparisonWanted, this, &RunsPage::comparisonRequested);
    connect(m_actions, &RunActions::reportWanted, this, &RunsPage::reportRequested);
    connect(m_actions, &RunActions::trialWanted, this,
            [this](const QString& runId) { emit trialRequested(runId, std::nullopt); });
    connect(m_actions, &RunActions::modelExportWanted, exporter,
            [exporter](const QString& runId) { exporter->begin(runId, std::nullopt); });
    connect(m_view, &RunView::exportWanted, exporter,
            [exporter](const QString& runId, qint64 step) { exporter->begin(runId, step); });
    connect(m_view, &RunView::trialWanted, this, &RunsPage::trialRequested);
}

QWidget* RunsPage::buildSplit()
{
    m_right->addWidget(new EmptyState(QStringLiteral("runs"), tr("Choose a run"),
                                      tr("Its curves, devices, logs and events appear here."), {}));
    m_right->addWidget(m_view);
    auto* split = new QSplitter(Qt::Horizontal);
    split->setChildrenCollapsible(false);
    split->addWidget(m_list);
    split->addWidget(m_right);
    split->setHandleWidth(2 * metrics::kGap);
    split->setStretchFactor(0, 0);
    split->setStretchFactor(1, 1);
    split->setSizes({kListWidth, 3 * kListWidth});
    m_list->setMinimumWidth(280);
    return split;
}

PanelArea* RunsPage::panels() const
{
    return &m_view->panels();
}

QList<KeyHint> RunsPage::keyHints() const
{
    return QList<KeyHint>{{tr("Space"), tr("Pause or resume the live charts")},
                          {tr("Arrows"), tr("Move between devices, and between parts of the timeline")}} +
           chartKeyHints();
}

void RunsPage::fillMenu(QMenu& menu)
{
    m_importer->fillMenu(*menu.addMenu(tr("Import runs")));
    const auto run = m_store.history().find(m_list->currentRun());
    if (run)
        m_actions->fillMenu(*menu.addMenu(oneLine(run->name)), run->id);
}

void RunsPage::activate()
{
    refresh();
    m_list->focusList();
    updateStatusText();
}

void RunsPage::refresh()
{
    m_store.scan();
    if (m_list->currentRun().isEmpty() && m_store.list().rowCount() > 0)
        showRun(m_store.history().runs().first().id);
    m_view->refresh();
}

void RunsPage::showRun(const QString& runId)
{
    if (!m_store.history().find(runId))
        m_store.scan();
    m_list->select(runId);
}

void RunsPage::showAlerts(const QString& runId)
{
    showRun(runId);
    m_view->showEvents();
}

void RunsPage::offerNextSteps(const QString& runId)
{
    const Result<OpenRun*> opened = m_store.open(runId);
    if (!opened.ok())
        return m_frame->messageBar()->showError(opened.error());
    const OpenRun& run = **opened;
    MessageBar& messages = *m_frame->messageBar();
    messages.showMessage(MessageBar::Tone::Good, tr("The demo has finished: %1.").arg(lossText(run.series())),
                         tr("%1 is a normal run; its curves, log and checkpoints are kept. What next?")
                             .arg(oneLine(run.facts().name())));
    messages.addAction(tr("Compare with others"), [this, runId] { emit comparisonRequested(runId); });
    messages.addAction(tr("Make a report"), [this, runId] { emit reportRequested(runId); });
    if (!run.facts().spec)
        return;
    messages.addAction(tr("Run again"), [this, spec = *run.facts().spec] { emit launchRequested(spec); });
    QPushButton* design = messages.addAction(tr("Edit in Design"),
                                             [this, spec = *run.facts().spec] { emit copyRequested(spec); });
    design->setToolTip(tr("Opens a copy to change its layout, model or data set"));
}

void RunsPage::onCurrentRun(const QString& runId)
{
    m_frame->messageBar()->clear();
    if (runId.isEmpty()) {
        m_view->setRun(nullptr);
        m_right->setCurrentIndex(0);
        return;
    }
    const Result<OpenRun*> run = m_store.open(runId);
    if (!run.ok()) {
        m_view->setRun(nullptr);
        m_right->setCurrentIndex(0);
        updateStatusText();
        m_frame->messageBar()->showError(run.error());
        m_frame->messageBar()->addAction(tr("Remove from list"), [this, runId] { removeFromList(runId); });
        return;
    }
    m_view->setRun(*run);
    m_right->setCurrentIndex(1);
    updateStatusText();
}

void RunsPage::chooseTrace()
{
    if (!m_view->run())
        return m_frame->messageBar()->showMessage(
            MessageBar::Tone::Info, tr("Choose a run first: the trace is shown in its Timeline."));
    const QString file = QFileDialog::getOpenFileName(
        this, tr("Recorded trace"), m_view->run()->facts().folder + QStringLiteral("/traces"),
        tr("Traces (*.json);;All files (*)"));
    if (!file.isEmpty())
        m_view->openTrace(file);
}

void RunsPage::removeFromList(const QString& runId)
{
    const Status removed = m_store.history().remove(runId);
    if (removed.ok())
        m_frame->messageBar()->clear();
    else
        m_frame->messageBar()->showError(removed.error());
}

void RunsPage::onRunChanged(const QString& runId)
{
    if (m_view->run() && m_view->run()->id() == runId)
        updateStatusText();
}

void RunsPage::showPage()
{
    m_pages->setCurrentIndex(m_store.list().rowCount() > 0 ? 1 : 0);
}

void RunsPage::updateStatusText()
{
    const OpenRun* run = m_view->run();
    if (!run) {
        emit statusTextChanged({});
        return;
    }
    const RunDisplayState state = run->displayState(QDateTime::currentMSecsSinceEpoch());
    emit statusTextChanged(
        tr("%1  ·  %2  ·  %3 records")
            .arg(textOf(state), oneLine(run->id()), displayCount(qint64(run->series().recordCount()))));
}

} // namespace trainyard
