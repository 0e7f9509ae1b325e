#include "app/monitor/devices_tab.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <QScrollArea>
#include <QStackedWidget>
#include <QVBoxLayout>

#include "app/models/display_text.h"
#include "app/models/open_run.h"
#include "app/monitor/device_board.h"
#include "app/widgets/chart_legend.h"
#include "app/widgets/empty_state.h"
#include "app/widgets/roles.h"

namespace trainyard {

namespace {

QWidget* legendRow(const QString& title, const QList<LegendEntry>& entries)
{
    auto* row = new QWidget;
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(metrics::kGap);
    auto* name = makeLabel(title, "muted", row);
    name->setFixedWidth(110);
    auto* legend = new ChartLegend(row);
    legend->setEntries(entries);
    layout->addWidget(name, 0, Qt::AlignTop);
    layout->addWidget(legend, 1);
    return row;
}

/// "node-1" is the second host of the run.
QString hostOf(const OpenRun& run, const QString& stream)
{
    return run.facts().hosts.value(stream.section(QLatin1Char('-'), 1).toInt(), stream);
}

QString hostLine(const QString& name, const DeviceSample& sample)
{
    return QObject::tr("%1: host memory %2 of %3, processor %4, disk free %5")
        .arg(oneLine(name), displayBytes(double(sample.memoryUsed)), displayBytes(double(sample.memoryTotal)),
             displayPercent(sample.utilisation), displayBytes(double(sample.diskFree)));
}

/// A line is broken after a separator, never before it or within a figure.
QString inOneLine(QStringList figures)
{
    for (QString& figure : figures)
        figure.replace(QLatin1Char(' '), QChar::Nbsp);
    return figures.join(QStringLiteral("\u00a0\u00a0· "));
}

QString rankLine(const QString& name, const RankSummary& rank)
{
    QStringList memory;
    for (std::size_t i = 0; i < kMemoryCategories; ++i)
        memory.append(QString::fromUtf8(nameOf(MemoryCategory(i)).data()) + QLatin1Char(' ') +
                      displayBytes(double(rank.peak.peakMemory[i])));
    QStringList time;
    for (std::size_t i = 0; i < kStepPhases; ++i) {
        if (rank.latest.seconds[i] > 0)
            time.append(QString::fromUtf8(nameOf(StepPhase(i)).data()) + QLatin1Char(' ') +
                        displaySeconds(rank.latest.seconds[i]));
    }
    return QObject::tr("%1 held most in step %2: %3; resident set of the process %4\n%5\nNewest step: %6")
        .arg(name, displayCount(rank.peakStep), displayBytes(double(rank.peak.peakTotal)),
             displayBytes(double(rank.latest.residentSet)), inOneLine(memory), inOneLine(time));
}

} // namespace

DevicesTab::DevicesTab(QWidget* parent)
    : QWidget(parent)
    , m_pages(new QStackedWidget(this))
    , m_board(new DeviceBoard)
    , m_hosts(makeLabel({}, "muted"))
    , m_detail(makeLabel({}))
    , m_showLog(makeButton(tr("Show its log"), "link"))
{
    m_pages->addWidget(new EmptyState(QStringLiteral("hosts"), tr("No figures from the ranks yet"),
                                      tr("Every rank reports its memory by category with the first step."),
                                      {}));
    m_pages->addWidget(buildBoard());
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, metrics::kGap, 0, 0);
    column->addWidget(m_pages);
    connect(m_board, &DeviceBoard::currentChanged, this, &DevicesTab::describe);
}

QWidget* DevicesTab::buildBoard()
{
    auto* page = new QWidget;
    setRole(page, "page");
    auto* scroll = new QScrollArea;
    auto* holder = new QWidget;
    setRole(holder, "page");
    auto* inner = new QVBoxLayout(holder);
    inner->setContentsMargins(0, 0, 0, 0);
    inner->addWidget(m_board);
    inner->addStretch(1);
    scroll->setWidget(holder);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    m_detail->setWordWrap(true);
    m_detail->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_hosts->setWordWrap(true);

    auto* panel = makePanel();
    auto* detail = new QHBoxLayout(panel);
    detail->setContentsMargins(metrics::kPanelPadding, metrics::kGap, metrics::kPanelPadding, metrics::kGap);
    detail->addWidget(m_detail, 1);
    detail->addWidget(m_showLog, 0, Qt::AlignTop);
    connect(m_showLog, &QPushButton::clicked, this, [this] { emit logWanted(m_board->current()); });

    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(metrics::kGap);
    column->addWidget(legendRow(tr("Memory at peak"), memoryLegend()));
    column->addWidget(legendRow(tr("Newest step"), causeLegend()));
    column->addWidget(scroll, 1);
    column->addWidget(panel);
    column->addWidget(m_hosts);
    return page;
}

void DevicesTab::show(const OpenRun& run)
{
    m_run = &run;
    m_pages->setCurrentIndex(run.series().ranks().empty() ? 0 : 1);
    m_board->show(deviceMemory(run.facts(), run.series()), run.series().ranks());
    QStringList hosts;
    for (const NodeDevice& device : run.series().devices()) {
        if (device.sample.device < 0)
            hosts.append(hostLine(hostOf(run, device.stream), device.sample));
    }
    m_hosts->setText(hosts.join('\n'));
    m_hosts->setVisible(!hosts.isEmpty());
    describe();
}

void DevicesTab::describe()
{
    const std::vector<RankSummary>& ranks = m_run->series().ranks();
    const int rank = m_board->current();
    m_showLog->setVisible(rank >= 0);
    if (rank < 0 || std::size_t(rank) >= ranks.size())
        m_detail->setText(
            tr("Choose a rank to see its figures. Bars are drawn to one scale; outlined is what was planned, "
               "hatched is free."));
    else
        m_detail->setText(rankLine(tr("Rank %1").arg(rank), ranks[std::size_t(rank)]));
}

} // namespace trainyard
