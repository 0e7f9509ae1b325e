#include "app/monitor/plan_tab.h"

#include <algorithm>

#include <QHBoxLayout>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QStackedWidget>
#include <QVBoxLayout>

#include "app/base/display_text.h"
#include "app/base/theme.h"
#include "app/charts/chart_legend.h"
#include "app/charts/stacked_bars.h"
#include "app/plan/hardware_library.h"
#include "app/runs/run_phase.h"
#include "app/widgets/input_boxes.h"
#include "app/widgets/roles.h"
#include "app/widgets/table_view.h"
#include "app/workspace/empty_state.h"

namespace trainyard {

namespace {

constexpr int kMaxRowsShown = 9; ///< of ranks; the others are scrolled to
constexpr int kChoiceWidth = 240;

/// Makes the table as high as its rows, up to `most` of them.
void fitHeight(QTableView* view, int most)
{
    const int rows = std::clamp(view->model()->rowCount(), 1, most);
    view->setFixedHeight(view->horizontalHeader()->sizeHint().height() + rows * TableView::kRowHeight + 2);
}

TableView* makeTable(const QString& name, QAbstractItemModel& model, int firstColumn)
{
    auto* view = new TableView(name);
    view->setModel(&model);
    view->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    view->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    QObject::connect(&model, &QAbstractItemModel::modelReset, view, [view, firstColumn] {
        fitHeight(view, kMaxRowsShown);
        if (view->model()->columnCount() == 0)
            return;
        view->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Fixed);
        view->setColumnWidth(0, firstColumn);
    });
    return view;
}

template <typename Kind, std::size_t N, typename Value>
StackedBar barOf(const QString& name, const std::array<Value, N>& values, bool isPlanned)
{
    StackedBar bar{name, {}, isPlanned};
    for (std::size_t i = 0; i < N; ++i) {
        const auto kind = static_cast<Kind>(i);
        bar.parts.append({toQString(nameOf(kind)), colourOf(kind, ColourScheme::Light),
                          colourOf(kind, ColourScheme::Dark), double(values[i])});
    }
    return bar;
}

QFrame* makeSection(QVBoxLayout*& column)
{
    QFrame* panel = makePanel();
    column = new QVBoxLayout(panel);
    column->setContentsMargins(metrics::kPanelMargins);
    column->setSpacing(metrics::kGap);
    return panel;
}

/// The right one is a little wider, so that the headers of both fit in the smallest window.
QHBoxLayout* sideBySide(QWidget* left, QWidget* right)
{
    auto* row = rowLayout();
    row->addWidget(left, 15, Qt::AlignTop);
    row->addWidget(right, 16, Qt::AlignTop);
    return row;
}

bool saysHardware(const OpenRun& run)
{
    const auto& spec = run.facts().spec;
    return spec && std::ranges::none_of(spec->cluster.nodes,
                                        [](const NodeSpec& node) { return node.hardware.empty(); });
}

} // namespace

PlanTab::PlanTab(const HardwareLibrary& hardware, QWidget* parent)
    : QWidget(parent)
    , m_hardware(hardware)
    , m_pages(new QStackedWidget(this))
    , m_choice(new ChoiceBox)
    , m_sentence(makeParagraph({}, "muted"))
    , m_time(new StackedBars(tr("Step time by cause, planned and measured"), Quantity::Seconds))
    , m_memory(new StackedBars(tr("Memory by category, planned and measured"), Quantity::Bytes))
    , m_memoryHeading(makeLabel({}, "heading"))
{
    m_pages->addWidget(new EmptyState(QStringLiteral("hosts"), tr("Nothing measured yet"),
                                      tr("Measured values appear here after the first step."), {}));
    m_pages->addWidget(buildPage());
    auto* column = columnLayout(this, -1, metrics::kTabMargins);
    column->addWidget(m_pages);
}

QWidget* PlanTab::buildPage()
{
    auto* page = new QWidget;
    setRole(page, "page");
    auto* column = columnLayout(page);
    column->addWidget(buildHead());
    column->addWidget(buildTime());
    column->addWidget(buildMemory());
    column->addStretch(1);
    auto* scroll = verticalScroll(page);
    return scroll;
}

QWidget* PlanTab::buildHead()
{
    auto* head = new QWidget;
    auto* row = rowLayout(head, -1);
    m_choice->setAccessibleName(tr("Hardware of the nodes"));
    m_choice->setToolTip(tr("Hardware to plan the time for; the specification does not name it"));
    m_choice->setFixedWidth(kChoiceWidth);
    row->addWidget(m_choice);
    row->addWidget(m_sentence, 1);
    connect(m_choice, &QComboBox::activated, this, &PlanTab::choose);
    return head;
}

QWidget* PlanTab::buildTime()
{
    QVBoxLayout* column = nullptr;
    QFrame* panel = makeSection(column);
    auto* legend = new ChartLegend;
    legend->setEntries(causeLegend());
    column->addWidget(makeLabel(tr("Step time, on the busiest rank"), "heading"));
    column->addWidget(m_time);
    column->addWidget(legend);
    column->addLayout(sideBySide(makeTable(tr("Time by cause"), m_causes, 112),
                                 makeTable(tr("Derived metrics"), m_metrics, 112)));
    return panel;
}

QWidget* PlanTab::buildMemory()
{
    QVBoxLayout* column = nullptr;
    QFrame* panel = makeSection(column);
    auto* legend = new ChartLegend;
    legend->setEntries(memoryLegend());
    m_rankView = makeTable(tr("Memory of every rank"), m_ranks, 72);
    column->addWidget(m_memoryHeading);
    column->addWidget(m_memory);
    column->addWidget(legend);
    column->addLayout(sideBySide(makeTable(tr("Memory by category"), m_categories, 128), m_rankView));
    column->addWidget(makeTable(tr("Memory of every host"), m_hosts, 240));
    connect(m_rankView->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& current) {
                if (!current.isValid())
                    return;
                m_rank = current.row();
                fillRank();
            });
    return panel;
}

void PlanTab::show(const OpenRun& run)
{
    m_run = &run;
    m_pages->setCurrentIndex(run.series().steps().isEmpty() ? 0 : 1);
    const std::tuple planned{run.id(), run.facts().attemptNow(), phaseNow(run.facts(), run.series())};
    if (m_plannedFor != planned) {
        m_plannedFor = planned;
        m_rank = -1;
        listHardware();
        plan();
    } else {
        fill();
    }
}

/// Reads the hardware again: hosts may have been calibrated meanwhile.
void PlanTab::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    if (m_run)
        listHardware();
}

QString PlanTab::chosenHardware() const
{
    return m_hardwareOf.value(m_run->id());
}

void PlanTab::listHardware()
{
    m_choice->clear();
    m_choice->addItem(tr("Hardware unknown"), QString());
    for (const std::string& name : m_hardware.names())
        m_choice->addItem(QString::fromStdString(name), QString::fromStdString(name));
    m_choice->setCurrentIndex(std::max(0, m_choice->findData(chosenHardware())));
    m_choice->setVisible(!saysHardware(*m_run));
}

void PlanTab::choose()
{
    if (!m_run)
        return;
    m_hardwareOf[m_run->id()] = m_choice->currentData().toString();
    plan();
}

/// Called once per attempt and phase, whose plan is constant.
void PlanTab::plan()
{
    m_facts = factsNow(m_run->facts(), m_run->series());
    m_plan = planOf(m_facts, m_hardware, chosenHardware().toStdString());
    fill();
}

void PlanTab::fill()
{
    m_comparison = comparePlan(m_facts, m_run->series(), m_plan);
    fillTime();
    fillMemory();
}

QString PlanTab::sentence() const
{
    if (!m_comparison.planned)
        return m_comparison.whyNoTime;
    const QString hardware = oneLine(m_comparison.hardware);
    if (!m_comparison.band)
        return tr("Planned for %1 from the run's specification; not calibrated, so the error is unknown.")
            .arg(hardware);
    const TimeBand& band = *m_comparison.band;
    const double measured = m_comparison.measured ? m_comparison.measured->stepSeconds : band.least;
    const QString verdict = measured < band.least  ? tr("the run is faster")
                            : measured > band.most ? tr("the run is slower")
                                                   : tr("the run is within that");
    return tr("Planned for %1 from the run's specification, as calibrated on %2: a step takes %3 to %4; %5.")
        .arg(hardware, m_comparison.calibrated, displaySeconds(band.least), displaySeconds(band.most),
             verdict);
}

void PlanTab::fillTime()
{
    QStringList sentences{m_comparison.layoutChange, sentence()};
    if (!m_comparison.phase.isEmpty())
        sentences.prepend(m_comparison.phase + QLatin1Char('.'));
    sentences.removeAll(QString());
    m_sentence->setText(sentences.join(QLatin1Char(' ')));
    QList<StackedBar> bars;
    if (m_comparison.planned)
        bars.append(barOf<CommonCause>(tr("planned"), m_comparison.planned->byCause, true));
    if (m_comparison.measured)
        bars.append(barOf<CommonCause>(tr("measured"), m_comparison.measured->byCause, false));
    m_time->setBars(bars);
    m_causes.setTable(withSentenceHeadings(stepTimeTable(m_comparison)));
    m_metrics.setTable(withSentenceHeadings(paceTable(m_comparison)));
}

void PlanTab::fillMemory()
{
    const QList<DeviceMemory>& ranks = m_comparison.memory;
    m_ranks.setTable(withSentenceHeadings(rankMemoryTable(ranks)));
    m_hosts.setTable(withSentenceHeadings(hostMemoryTable(ranks)));
    if (m_rank < 0 || m_rank >= ranks.size()) {
        const auto fullest = std::ranges::max_element(ranks, {}, &DeviceMemory::peak);
        m_rank = int(fullest - ranks.begin());
    }
    fillRank();
}

void PlanTab::fillRank()
{
    if (m_rank >= m_comparison.memory.size())
        return;
    const DeviceMemory& rank = m_comparison.memory[m_rank];
    m_memoryHeading->setText(tr("Peak memory of %1").arg(rank.name));
    QList<StackedBar> bars;
    if (rank.planned)
        bars.append(barOf<MemoryCategory>(tr("planned"), *rank.planned, true));
    bars.append(barOf<MemoryCategory>(tr("measured"), rank.categories, false));
    m_memory->setBars(bars);
    m_categories.setTable(withSentenceHeadings(categoryMemoryTable(rank)));
}

} // namespace trainyard
