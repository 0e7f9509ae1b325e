#include "app/history/compare_page.h"

#include <QComboBox>
#include <QHeaderView>
#include <QShortcut>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>

#include "app/base/display_text.h"
#include "app/base/field_label.h"
#include "app/base/theme.h"
#include "app/charts/chart_legend.h"
#include "app/charts/chart_toolbar.h"
#include "app/charts/curve_chart.h"
#include "app/charts/phase_borders.h"
#include "app/history/group_bar.h"
#include "app/history/model/run_comparison.h"
#include "app/runs/controls/run_picker.h"
#include "app/runs/run_store.h"
#include "app/widgets/input_boxes.h"
#include "app/widgets/roles.h"
#include "app/widgets/table_view.h"
#include "app/workspace/empty_state.h"
#include "app/workspace/message_bar.h"
#include "app/workspace/page_frame.h"

namespace trainyard {

namespace {

constexpr int kWidestColumn = 240; ///< pixels: a longer name leaves the metrics in sight
constexpr int kListWidth = 300;
constexpr int kRefreshMs = 500; ///< live runs among the chosen ones
constexpr int kColumnWidth = 150;
constexpr int kSharingColumns = 6;

enum View { NothingPage = 0, ContentPage = 1 };

/// A few columns share the width; many keep theirs and scroll.
void fitColumns(QTableView& view)
{
    const bool few = view.model()->columnCount() <= kSharingColumns;
    view.setHorizontalScrollBarPolicy(few ? Qt::ScrollBarAlwaysOff : Qt::ScrollBarAsNeeded);
    view.horizontalHeader()->setSectionResizeMode(few ? QHeaderView::Stretch : QHeaderView::Interactive);
    for (int column = 0; !few && column < view.model()->columnCount(); ++column)
        view.setColumnWidth(column, kColumnWidth);
}

QStackedWidget* makePages(QWidget* nothing, QWidget* content)
{
    auto* pages = new QStackedWidget;
    pages->addWidget(nothing);
    pages->addWidget(content);
    return pages;
}

} // namespace

ComparePage::ComparePage(RunStore& store, QWidget* parent)
    : Page(tr("Compare"), QStringLiteral("compare"), parent)
    , m_store(store)
    , m_history(workspace(), [this](const ChartView& view) { apply(view); })
    , m_aggregation([this](const ComparedCurves& compared) { showCompared(compared); })
    , m_sortedMetrics(new QSortFilterProxyModel(this))
    , m_frame(new PageFrame(tr("Compare")))
    , m_picker(new RunPicker(store.list()))
    , m_metric(new ChoiceBox)
    , m_groupBar(new GroupBar)
    , m_remark(makeParagraph({}, "small"))
    , m_toolbar(new ChartToolbar(this))
    , m_legend(new ChartLegend)
    , m_chart(new CurveChart(tr("Loss"), Quantity::Number))
    , m_scalingChart(new CurveChart(tr("Sequences/s over ranks, ideal dashed"), Quantity::Number))
    , m_tabs(new QTabWidget)
{
    auto* none =
        new EmptyState(QStringLiteral("compare"), tr("Nothing to compare yet"),
                       tr("Overlay the curves of several runs and see how they differ. Start a run first."),
                       tr("Design a run"));
    connect(none, &EmptyState::actionRequested, this, &ComparePage::designRequested);
    m_pages = makePages(none, buildSplit());
    m_frame->setSubtitle(tr("All runs on this computer; tick the ones to overlay"));
    m_frame->content()->addWidget(m_pages, 1);
    auto* column = columnLayout(this, -1);
    column->addWidget(m_frame);

    m_due.setSingleShot(true);
    m_due.setInterval(kRefreshMs);
    connect(&m_due, &QTimer::timeout, this, [this] {
        showCurves();
        showTables();
    });
    connect(m_picker, &RunPicker::chosenChanged, this, &ComparePage::onChosen);
    connect(&store, &RunStore::runChanged, this, &ComparePage::onRunChanged);
    connect(&store.list(), &QAbstractItemModel::rowsInserted, this, &ComparePage::showPage);
    connect(&store.list(), &QAbstractItemModel::rowsRemoved, this, &ComparePage::showPage);
    addWorkspaceActions(tr("Undo"), QKeySequence::Undo, tr("Redo"), QKeySequence(Qt::CTRL | Qt::Key_Y));
    auto* find = new QShortcut(QKeySequence::Find, this, m_picker, &RunPicker::focusSearch);
    find->setContext(Qt::WidgetWithChildrenShortcut);
    showPage();
}

QList<KeyHint> ComparePage::keyHints() const
{
    return QList<KeyHint>{{tr("Ctrl+F"), tr("Find a run")}} + chartKeyHints();
}

QWidget* ComparePage::buildSplit()
{
    auto* right = new QSplitter(Qt::Vertical);
    right->setChildrenCollapsible(false);
    right->addWidget(buildCharts());
    right->addWidget(buildTables());
    right->setStretchFactor(0, 3);
    right->setStretchFactor(1, 2);
    m_right = makePages(new EmptyState(QStringLiteral("compare"), tr("Choose runs"),
                                       tr("Tick two or more runs on the left; a single run works too."), {}),
                        right);
    auto* split = new QSplitter(Qt::Horizontal);
    split->setChildrenCollapsible(false);
    split->setHandleWidth(2 * metrics::kGap);
    split->addWidget(m_picker);
    split->addWidget(m_right);
    split->setStretchFactor(0, 0);
    split->setStretchFactor(1, 1);
    split->setSizes({kListWidth, 3 * kListWidth});
    m_picker->setMinimumWidth(280);
    return split;
}

QWidget* ComparePage::buildCharts()
{
    m_metric->setAccessibleName(tr("Metric"));
    m_metric->setToolTip(tr("Metric to plot; series of imported runs come last"));
    m_metric->setObjectName(QStringLiteral("comparedFigure"));
    m_chart->setObjectName(QStringLiteral("comparedCurves"));
    showMetrics();
    connect(m_metric, &QComboBox::activated, this, &ComparePage::showCurves);
    connect(m_groupBar, &GroupBar::changed, this, [this] {
        showCurves();
        showTables();
    });
    connect(m_toolbar, &ChartToolbar::optionsChanged, this, [this](const ChartOptions& options) {
        const bool sameAxis = options.axis == m_options.axis;
        apply({options, sameAxis ? m_link.zoom() : std::nullopt, {}});
        m_history.keep(view());
    });
    connect(m_toolbar, &ChartToolbar::resetZoomWanted, this, [this] { m_link.setZoom({}); });
    m_chart->setLink(&m_link);
    connect(m_chart, &ChartPanel::saveFailed, m_frame->messageBar(), &MessageBar::showError);
    connect(m_chart, &ChartPanel::saved, m_frame->messageBar(), [this](const QString& file) {
        m_frame->messageBar()->showMessage(MessageBar::Tone::Good, tr("Saved %1.").arg(file));
    });
    connect(&m_link, &ChartLink::zoomChanged, this, [this] {
        m_toolbar->setZoomed(m_link.zoom().has_value());
        m_history.keep(view());
    });
    connect(&m_link, &ChartLink::cursorChanged, this, &ComparePage::showLegend);
    m_history.startFrom(view());

    auto* bar = rowLayout();
    bar->addWidget(m_metric, 1);
    bar->addWidget(m_toolbar, 4);
    auto* charts = new QWidget;
    auto* column = columnLayout(charts);
    column->addLayout(bar);
    column->addWidget(m_groupBar);
    column->addWidget(m_legend);
    column->addWidget(m_chart, 1);
    column->addWidget(m_remark);
    return charts;
}

QWidget* ComparePage::buildTables()
{
    m_tabs->addTab(buildMetricTable(), tr("Final metrics"));
    m_tabs->addTab(buildTable(m_differences, tr("Differences"), &m_differencePages,
                              tr("The specifications are equal, or only one run is chosen.")),
                   tr("Differences"));
    auto* table = buildTable(m_scaling, tr("Scaling"), &m_scalingPages,
                             tr("Choose runs of at least two world sizes to see how training scales."));
    auto* scaling = new QWidget;
    auto* row = rowLayout(scaling, metrics::kGap, metrics::kTabMargins);
    row->addWidget(table, 3);
    row->addWidget(m_scalingChart, 2);
    m_scalingChart->setSmoothable(false);
    m_scalingChart->setFromZero(true);
    ChartOptions plain;
    plain.hideOutliers = false;
    plain.axis = ChartAxis::Ranks;
    m_scalingChart->setOptions(plain);
    m_tabs->addTab(scaling, tr("Scaling"));
    return m_tabs;
}

QWidget* ComparePage::buildMetricTable()
{
    m_sortedMetrics->setSourceModel(&m_metricTable);
    m_sortedMetrics->setSortRole(MetricTableModel::SortRole);
    auto* view = new TableView(tr("Final metrics"));
    view->setModel(m_sortedMetrics);
    view->setSelectionMode(QAbstractItemView::ExtendedSelection);
    view->setSortingEnabled(true);
    view->sortByColumn(-1, Qt::AscendingOrder); // as chosen, until a heading is clicked
    view->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    view->horizontalHeader()->setMaximumSectionSize(kWidestColumn);
    view->setHorizontalScrollBarPolicy(Qt::ScrollBarAsNeeded);
    return view;
}

QWidget* ComparePage::buildTable(TextTableModel& model, const QString& name, QStackedWidget** pages,
                                 const QString& emptyText)
{
    auto* view = new TableView(name);
    view->setModel(&model);
    view->setSelectionMode(QAbstractItemView::ExtendedSelection);
    connect(&model, &QAbstractItemModel::modelReset, view, [view] { fitColumns(*view); });
    auto* nothing = makeParagraph(emptyText, "muted");
    nothing->setAlignment(Qt::AlignCenter);
    *pages = makePages(nothing, view);
    return *pages;
}

void ComparePage::activate()
{
    refresh();
    if (std::exchange(m_visited, true) || !m_picker->chosen().isEmpty())
        return;
    QStringList newest; // something to look at on the first visit
    for (const RunEntry& entry : m_store.history().runs().mid(0, 2))
        newest.append(entry.id);
    m_picker->setChosen(newest);
}

void ComparePage::refresh()
{
    m_store.scan();
}

void ComparePage::setChosen(const QStringList& runIds)
{
    m_picker->setChosen(runIds);
}

void ComparePage::addChosen(const QString& runId)
{
    QStringList chosen = m_picker->chosen();
    chosen.removeAll(runId);
    m_picker->setChosen(chosen << runId);
}

void ComparePage::onChosen()
{
    m_frame->messageBar()->clear();
    m_runs.clear();
    for (const QString& id : m_picker->chosen()) {
        const Result<OpenRun*> run = m_store.open(id);
        if (run.ok())
            m_runs.append(*run);
        else
            m_frame->messageBar()->showError(run.error());
    }
    m_right->setCurrentIndex(m_runs.isEmpty() ? NothingPage : ContentPage);
    m_history.startFrom({m_options, {}, {}});
    m_link.setZoom({});
    m_groupBar->setFields(differingFields(runs()));
    showMetrics();
    showCurves();
    showTables();
    emit statusTextChanged(m_runs.isEmpty() ? QString() : tr("%1 runs compared").arg(m_runs.size()));
}

void ComparePage::onRunChanged(const QString& runId)
{
    if (isVisible() && m_picker->chosen().contains(runId) && !m_due.isActive())
        m_due.start();
}

QList<const OpenRun*> ComparePage::runs() const
{
    QList<const OpenRun*> list;
    for (const QPointer<OpenRun>& run : m_runs) {
        if (run)
            list.append(run);
    }
    return list;
}

QList<RunGroup> ComparePage::groups() const
{
    return groupRuns(runs(), m_groupBar->grouping(), [this](const QString& id) {
        return m_store.history().find(id).value_or(RunEntry{}).tags;
    });
}

/// The metrics to choose from; the choice stays where it still can.
void ComparePage::showMetrics()
{
    const QString before = m_metric->currentText();
    m_metrics = comparedMetrics(runs());
    m_metric->clear();
    for (const ComparedMetric& metric : m_metrics)
        m_metric->addItem(oneLine(metric.title));
    m_metric->setCurrentIndex(std::max(0, m_metric->findText(before)));
}

void ComparePage::showCurves()
{
    const ComparedMetric& metric = m_metrics[m_metric->currentIndex()];
    m_chart->setTitle(oneLine(metric.title));
    m_chart->setSmoothable(metric.smoothable);
    m_chart->setFromZero(metric.fromZero);
    m_chart->setOptions(m_options);
    m_chart->setBorders(commonBorders(runs(), m_options.axis));
    const QList<GroupCurves> curves = curvesOf(groups(), metric, m_options.axis);
    const Aggregation aggregation = m_groupBar->aggregation();
    const ChartAxis axis = m_options.axis;
    if (m_groupBar->grouping().by != Grouping::By::Nothing) // long runs take longer than a frame
        return m_aggregation.start([=](const auto&) { return aggregated(curves, aggregation, axis); });
    m_aggregation.cancel();
    showCompared(aggregated(curves, aggregation, axis));
}

ChartView ComparePage::view() const
{
    return {m_options, m_link.zoom(), {}};
}

void ComparePage::apply(const ChartView& view)
{
    m_options = view.options;
    m_toolbar->setOptions(m_options);
    m_link.setZoom(view.zoom);
    showCurves();
}

void ComparePage::showCompared(const ComparedCurves& compared)
{
    m_chart->setCurves(compared.curves);
    m_remark->setText(compared.remarks.join(QStringLiteral("  ·  ")));
    m_remark->setVisible(!compared.remarks.isEmpty());
    showLegend();
}

void ComparePage::showLegend()
{
    m_legend->setEntries(legendOf(*m_chart, m_link.cursor()));
}

void ComparePage::showTables()
{
    const QList<const OpenRun*> all = runs();
    m_metricTable.setGroups(groups(), m_groupBar->aggregation().middle, m_groupBar->aggregation().spread);
    m_differences.setTable(withFieldLabels(all.isEmpty() ? TextTable() : specificationDifferences(all)));
    m_differencePages->setCurrentIndex(m_differences.rowCount() > 0 ? ContentPage : NothingPage);
    const QList<ScalingRow> scaling = scalingOf(all);
    m_scaling.setTable(scalingText(scaling));
    m_scalingPages->setCurrentIndex(scaling.isEmpty() ? NothingPage : ContentPage);
    m_scalingChart->setVisible(!scaling.isEmpty());
    m_scalingChart->setCurves(scalingCurves(scaling));
}

void ComparePage::showPage()
{
    m_pages->setCurrentIndex(m_store.list().rowCount() > 0 ? ContentPage : NothingPage);
}

} // namespace trainyard
