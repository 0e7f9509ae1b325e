#include "app/monitor/devices_tab.h"

#include <algorithm>
#include <tuple>

#include <QHBoxLayout>
#include <QStackedWidget>

#include "app/alerts/alert_center.h"
#include "app/base/display_text.h"
#include "app/charts/chart_legend.h"
#include "app/monitor/device_board.h"
#include "app/monitor/expert_map.h"
#include "app/monitor/model/flight_recorder_text.h"
#include "app/plan/plan_comparison.h"
#include "app/runs/open_run.h"
#include "app/runs/run_hosts.h"
#include "app/runs/run_phase.h"
#include "app/widgets/roles.h"
#include "app/widgets/segmented_control.h"
#include "app/workspace/empty_state.h"

namespace trainyard {

namespace {

constexpr qsizetype kMaxHostLines = 3;

QWidget* legendRow(const QString& title, const QList<LegendEntry>& entries)
{
    auto* row = new QWidget;
    auto* layout = rowLayout(row);
    auto* name = makeLabel(title, "muted", row);
    name->setFixedWidth(110);
    auto* legend = new ChartLegend(row);
    legend->setEntries(entries);
    layout->addWidget(name, 0, Qt::AlignTop);
    layout->addWidget(legend, 1);
    return row;
}

QString hostOf(const OpenRun& run, const NodeDevice& device)
{
    return oneLine(run.facts().allHosts().value(device.node(), device.stream));
}

QString hostLine(const QString& name, const DeviceSample& sample)
{
    QString line =
        QObject::tr("%1: host memory %2 of %3, CPU %4, disk free %5")
            .arg(name, displayBytes(double(sample.memoryUsed)), displayBytes(double(sample.memoryTotal)),
                 displayPercent(sample.utilisation), displayBytes(double(sample.diskFree)));
    if (sample.celsius)
        line += QObject::tr(", %1\u00a0°C").arg(displayNumber(*sample.celsius));
    return line;
}

/// Returns one line per host; of many hosts, only the one with the fullest memory and the one with the least
/// free disk.
QString hostLines(const OpenRun& run)
{
    std::vector<NodeDevice> hosts = run.series().devices();
    std::erase_if(hosts, [](const NodeDevice& device) { return device.sample.device >= 0; });
    QStringList lines;
    if (qsizetype(hosts.size()) <= kMaxHostLines) {
        for (const NodeDevice& host : hosts)
            lines << hostLine(hostOf(run, host), host.sample);
        return lines.join(QLatin1Char('\n'));
    }
    const auto fullest = std::ranges::max_element(hosts, {}, [](const NodeDevice& host) {
        return double(host.sample.memoryUsed) / std::max(1.0, double(host.sample.memoryTotal));
    });
    const auto poorest =
        std::ranges::min_element(hosts, {}, [](const NodeDevice& host) { return host.sample.diskFree; });
    return QObject::tr("%1 hosts. Fullest memory: %2, %3 of %4. Least free disk: %5, %6")
        .arg(hosts.size())
        .arg(hostOf(run, *fullest), displayBytes(double(fullest->sample.memoryUsed)),
             displayBytes(double(fullest->sample.memoryTotal)), hostOf(run, *poorest),
             displayBytes(double(poorest->sample.diskFree)));
}

/// Joins the values so that lines break only after a separator.
QString inOneLine(QStringList values)
{
    for (QString& value : values)
        value.replace(QLatin1Char(' '), QChar::Nbsp);
    return values.join(QStringLiteral("\u00a0\u00a0· "));
}

/// What is said above the board: the hosts, and why ranks compute on processors where nobody asked for that.
QString headLines(const OpenRun& run)
{
    const QString why = oneLine(QString::fromStdString(run.series().rankDevices().whyProcessor));
    QStringList lines{hostLines(run)};
    if (!why.isEmpty())
        lines << QObject::tr("Running on the CPU: %1").arg(why);
    lines.removeAll(QString());
    return lines.join(QLatin1Char('\n'));
}

QString rankLines(const DeviceStats& device)
{
    const RankSummary& rank = device.time;
    QStringList memory;
    for (std::size_t i = 0; i < kMemoryCategories; ++i)
        memory.append(toQString(nameOf(MemoryCategory(i))) + QLatin1Char(' ') +
                      displayBytes(double(rank.peak.peakMemory[i])));
    QStringList time;
    for (std::size_t i = 0; i < kStepPhases; ++i) {
        if (rank.latest.seconds[i] > 0)
            time.append(toQString(nameOf(StepPhase(i))) + QLatin1Char(' ') +
                        displaySeconds(rank.latest.seconds[i]));
    }
    const QString lines =
        QObject::tr("Peak memory in step %1: %2; resident set size %3\n%4\nLatest step: %5")
            .arg(displayCount(rank.peakStep), displayBytes(double(rank.peak.peakTotal)),
                 displayBytes(double(rank.latest.residentSet)), inOneLine(memory), inOneLine(time));
    const QStringList health = healthTexts(device);
    return health.isEmpty() ? lines : QObject::tr("Device: %1\n%2").arg(inOneLine(health), lines);
}

QLabel* makeText(const char* role)
{
    QLabel* label = makeParagraph({}, role);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    return label;
}

} // namespace

DevicesTab::DevicesTab(RunHosts* hosts, AlertCenter& alerts, QWidget* parent)
    : QWidget(parent)
    , m_hostsOfRuns(hosts)
    , m_alerts(alerts)
    , m_pages(new QStackedWidget(this))
    , m_board(new DeviceBoard)
    , m_hosts(makeText("muted"))
    , m_name(makeText("heading"))
    , m_detail(makeText(nullptr))
    , m_ring(makeText("muted"))
    , m_showLog(makeButton(tr("Show log"), "link"))
    , m_askAgain(makeButton(tr("Current activity"), "link"))
    , m_experts(new ExpertPanel)
{
    m_pages->addWidget(new EmptyState(QStringLiteral("hosts"), tr("No data from the ranks yet"),
                                      tr("Ranks report memory by category after the first step."), {}));
    auto* page = new QWidget;
    setRole(page, "page");
    auto* inner = columnLayout(page);
    inner->addWidget(buildHead());
    inner->addWidget(legendRow(tr("Memory"), memoryLegend()));
    inner->addWidget(legendRow(tr("Step time"), causeLegend()));
    inner->addWidget(buildBoard(), 1);
    inner->addWidget(m_experts);
    inner->addWidget(buildDetail());
    m_pages->addWidget(page);
    auto* column = columnLayout(this, -1, metrics::kTabMargins);
    column->addWidget(m_pages);
    connect(m_board, &DeviceBoard::currentChanged, this, &DevicesTab::onCurrent);
    connect(m_board, &DeviceBoard::activated, this, &DevicesTab::logWanted);
    connect(m_showLog, &QPushButton::clicked, this, [this] { emit logWanted(m_board->current()); });
    connect(m_askAgain, &QPushButton::clicked, this, &DevicesTab::readRing);
}

QWidget* DevicesTab::buildHead()
{
    auto* grouping = new SegmentedControl(
        {{tr("no groups"), tr("No group colours")},
         {tr("D"), tr("Coloured by data-parallel group: the same weights")},
         {tr("P"), tr("Coloured by pipeline group: the same samples")},
         {tr("T"), tr("Coloured by tensor group: slices of the same layers")},
         {tr("E"), tr("Coloured by expert group: who shares the experts of each layer")}});
    connect(grouping, &SegmentedControl::chosen, this, [this](int choice) {
        m_board->setGrouping(choice == 0 ? std::nullopt : std::optional(kGroupAxes[std::size_t(choice - 1)]));
    });
    auto* head = new QWidget;
    auto* row = rowLayout(head);
    row->addWidget(m_hosts, 1);
    row->addWidget(grouping, 0, Qt::AlignTop);
    return head;
}

QWidget* DevicesTab::buildBoard()
{
    auto* holder = new QWidget;
    setRole(holder, "page");
    auto* column = columnLayout(holder, -1);
    column->addWidget(m_board);
    column->addStretch(1);
    m_scroll = verticalScroll(holder);
    return m_scroll;
}

QWidget* DevicesTab::buildDetail()
{
    QFrame* panel = makePanel();
    auto* column = columnLayout(panel, metrics::kHalf, metrics::kLowPanelMargins);
    auto* head = new QHBoxLayout;
    head->addWidget(m_name, 1);
    head->addWidget(m_askAgain);
    head->addWidget(m_showLog);
    m_askAgain->setToolTip(tr("Asks the rank's host for its current activity and last collective"));
    column->addLayout(head);
    column->addWidget(m_detail);
    column->addWidget(m_ring);
    return panel;
}

void DevicesTab::show(const OpenRun& run)
{
    m_run = &run;
    if (m_runId != run.id()) {
        m_runId = run.id();
        m_plannedAttempt = 0;
        m_board->setCurrent(-1);
        m_ring->clear();
    }
    const std::pair planned{run.facts().attemptNow(), phaseNow(run.facts(), run.series())};
    if (std::pair(m_plannedAttempt, m_plannedPhase) != planned) {
        std::tie(m_plannedAttempt, m_plannedPhase) = planned;
        m_planned = plannedMemory(factsOfPhase(run.facts(), m_plannedPhase));
    }
    m_pages->setCurrentIndex(run.series().ranks().empty() ? 0 : 1);
    m_board->setThresholds(m_alerts.settings().thresholds.board);
    m_board->show(deviceStats(run.facts(), run.series(), m_planned));
    m_hosts->setText(headLines(run));
    const auto& load = run.series().expertLoad();
    m_experts->setVisible(load && !load->layers.empty());
    if (load)
        m_experts->setLoad(*load);
    describe();
}

void DevicesTab::setRank(int rank)
{
    m_board->setCurrent(rank);
    m_board->setFocus();
}

void DevicesTab::onCurrent(int rank)
{
    describe();
    if (rank < 0)
        return;
    const QRect cell = m_board->cellOf(rank);
    m_scroll->ensureVisible(cell.center().x(), cell.center().y(), cell.width() / 2, cell.height());
    readRing();
}

void DevicesTab::describe()
{
    const int rank = m_board->current();
    m_showLog->setVisible(rank >= 0);
    m_askAgain->setVisible(rank >= 0 && m_hostsOfRuns);
    m_ring->setVisible(rank >= 0 && !m_ring->text().isEmpty());
    m_name->setVisible(rank >= 0);
    if (rank < 0) {
        m_detail->setText(tr("Choose a rank to see its details. All bars share one scale: outlined is "
                             "planned, hatched is free."));
        return;
    }
    const DeviceStats& device = m_board->devices()[std::size_t(rank)];
    m_name->setText(device.sample ? placeText(device) + QStringLiteral(" · ") + loadText(*device.sample)
                                  : placeText(device));
    m_detail->setText(rankLines(device));
}

/// Also for a finished run: its rings show the last activity of its ranks.
void DevicesTab::readRing()
{
    m_ring->clear();
    if (!m_hostsOfRuns || m_board->current() < 0)
        return;
    m_hostsOfRuns->readRing(
        m_runId, m_board->current(), this,
        [this, id = m_runId, rank = m_board->current()](const Result<FlightSnapshot>& ring) {
            if (id == m_runId && rank == m_board->current())
                showRing(ring);
        });
}

void DevicesTab::showRing(const Result<FlightSnapshot>& ring)
{
    m_ring->setText(ring.ok() ? flightRecorderText(*ring)
                              : oneLine(QString::fromStdString(ring.error().text())));
    m_ring->show();
}

} // namespace trainyard
