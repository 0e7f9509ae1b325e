#include "app/monitor/charts_tab.h"

#include <cmath>

#include <QGridLayout>
#include <QShortcut>
#include <QToolButton>
#include <QUndoStack>

#include "app/base/display_text.h"
#include "app/charts/chart_toolbar.h"
#include "app/charts/curve_chart.h"
#include "app/charts/memory_chart.h"
#include "app/charts/phase_borders.h"
#include "app/charts/stacked_chart.h"
#include "app/monitor/evaluation_panel.h"
#include "app/monitor/metric_charts.h"
#include "app/monitor/pinned_table.h"
#include "app/plan/device_memory.h"
#include "app/runs/loss_parts.h"
#include "app/runs/open_run.h"
#include "app/widgets/roles.h"

namespace trainyard {

namespace {

enum SeriesNumber {
    LossSeries = 0,
    RateSeries = 1,
    NormSeries = 2,
    ThroughputSeries = 3,
    HeldOutSeries = 5, ///< the charts of further metrics have 4
};

/// Of the curve of evaluations in the chart of the loss.
QString heldOutName()
{
    return QObject::tr("held-out");
}

QList<ChartLayer> causeLayers(const StepTable& steps)
{
    QList<ChartLayer> layers;
    for (std::size_t i = 0; i < kCommonCauses; ++i) {
        const auto cause = CommonCause(i);
        layers.append({toQString(nameOf(cause)), steps.cause(cause), colourOf(cause, ColourScheme::Light),
                       colourOf(cause, ColourScheme::Dark)});
    }
    return layers;
}

} // namespace

ChartsTab::ChartsTab(QUndoStack& undo, QWidget* parent)
    : QWidget(parent)
    , m_undo(undo)
    , m_history(undo,
                [this](const ChartView& view) {
                    apply(view);
                    m_history.startFrom(this->view()); // undo does not restore the zoom of another run
                })
    , m_toolbar(new ChartToolbar(this, this))
    , m_pause(new QToolButton(this))
    , m_loss(new CurveChart(tr("Loss"), Quantity::Number))
    , m_rate(new CurveChart(tr("Learning rate"), Quantity::Number))
    , m_norm(new CurveChart(tr("Gradient norm"), Quantity::Number))
    , m_throughput(new CurveChart(tr("Sequences/s"), Quantity::Number))
    , m_split(new StackedChart(tr("Step time"), Quantity::Seconds))
    , m_memory(new MemoryChart)
    , m_evaluations(new EvaluationPanel)
    , m_further(new MetricCharts(m_link))
    , m_pinned(new PinnedTable(undo))
{
    m_rate->setSmoothable(false);
    m_rate->setFromZero(true);
    m_throughput->setFromZero(true);
    for (ChartPanel* chart : stepCharts()) {
        chart->setLink(&m_link);
        watch(*chart);
    }
    connect(m_further, &MetricCharts::chartMade, this, [this](CurveChart* chart) { watch(*chart); });
    connect(m_pinned, &PinnedTable::saved, this, &ChartsTab::saved);
    connect(m_pinned, &PinnedTable::saveFailed, this, &ChartsTab::saveFailed);
    connect(&m_link, &ChartLink::cursorChanged, this, &ChartsTab::emitCursorTime);

    m_pause->setText(tr("‖ Pause"));
    m_pause->setToolTip(tr("Freeze the charts; training continues (Space)"));
    m_pause->setCheckable(true);
    setRole(m_pause, "button");
    connect(m_pause, &QToolButton::toggled, this, &ChartsTab::setPaused);
    auto* space = new QShortcut(Qt::Key_Space, this, [this] {
        if (m_pause->isVisible())
            m_pause->toggle();
    });
    space->setContext(Qt::WidgetWithChildrenShortcut);

    auto* bar = new QHBoxLayout;
    bar->addWidget(m_toolbar, 1);
    bar->addWidget(m_pause);
    auto* column = columnLayout(this, metrics::kGap, metrics::kTabMargins);
    column->addLayout(bar);
    column->addWidget(buildBoard(), 1);
    column->addWidget(m_pinned);
    connect(m_toolbar, &ChartToolbar::optionsChanged, this, &ChartsTab::change);
    connect(m_toolbar, &ChartToolbar::resetZoomWanted, this, [this] { m_link.setZoom({}); });
    connect(&m_link, &ChartLink::zoomChanged, this, [this] {
        m_toolbar->setZoomed(m_link.zoom().has_value());
        m_history.keep(view());
    });
    m_history.startFrom({m_toolbar->options(), {}, {}});
    apply({m_toolbar->options(), {}, {}});
}

QWidget* ChartsTab::buildBoard()
{
    auto* board = new QWidget;
    setRole(board, "page");
    auto* grid = new QGridLayout(board);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setSpacing(metrics::kGap);
    grid->addWidget(m_loss, 0, 0, 1, 6);
    grid->addWidget(m_rate, 1, 0, 1, 2);
    grid->addWidget(m_norm, 1, 2, 1, 2);
    grid->addWidget(m_throughput, 1, 4, 1, 2);
    grid->addWidget(m_split, 2, 0, 1, 3);
    grid->addWidget(m_memory, 2, 3, 1, 3);
    grid->addWidget(m_evaluations, 3, 0, 1, 6);
    grid->addWidget(m_further, 4, 0, 1, 6);
    for (CurveChart* small : {m_rate, m_norm, m_throughput})
        small->setMinimumHeight(132);
    m_loss->setMinimumHeight(190);
    m_split->setMinimumHeight(176);
    m_memory->setMinimumHeight(176);
    grid->setRowStretch(0, 5);
    grid->setRowStretch(1, 3);
    grid->setRowStretch(2, 4);

    return verticalScroll(board);
}

QList<ChartPanel*> ChartsTab::stepCharts() const
{
    return {m_loss, m_rate, m_norm, m_throughput, m_split};
}

void ChartsTab::show(const OpenRun& run)
{
    if (m_run != &run) {
        m_run = &run;
        m_pinned->startOver(run.id());
        m_history.startFrom(view());
    }
    m_pause->setVisible(m_pause->isChecked() || !isFinal(run.series().status().state));
    if (!m_pause->isChecked())
        fill(run);
}

void ChartsTab::reset()
{
    m_run = nullptr;
    m_history.startFrom({m_options, {}, {}});
    m_link.setZoom({});
    m_link.setCursor({});
    m_further->reset();
    m_pinned->startOver({});
    m_pause->setChecked(false);
}

void ChartsTab::setPaused(bool paused)
{
    m_pause->setText(paused ? tr("▶ Resume") : tr("‖ Pause"));
    if (!paused && m_run)
        fill(*m_run);
}

ChartView ChartsTab::view() const
{
    return {m_options, m_link.zoom(), m_run ? m_run->id() : QString()};
}

/// Applies options chosen by the user. Zoom and pins are cleared with the axis, because they are positions on
/// it.
void ChartsTab::change(const ChartOptions& options)
{
    if (options.axis == m_options.axis) {
        apply({options, m_link.zoom(), view().subject});
        return m_history.keep(view());
    }
    m_undo.beginMacro(tr("chart axis"));
    apply({options, {}, view().subject});
    m_history.keep(view());
    m_pinned->countBy(titleOf(options.axis));
    m_undo.endMacro();
}

void ChartsTab::apply(const ChartView& view)
{
    const ChartOptions& options = view.options;
    const bool otherAxis = options.axis != m_options.axis;
    m_options = options;
    m_toolbar->setOptions(options);
    if (otherAxis)
        m_link.setCursor({});
    if (view.subject == this->view().subject)
        m_link.setZoom(view.zoom);
    else if (otherAxis)
        m_link.setZoom({});
    for (ChartPanel* chart : stepCharts())
        chart->setOptions(options);
    m_further->setOptions(options);
    if (m_run && otherAxis)
        fill(*m_run);
}

void ChartsTab::watch(ChartPanel& chart)
{
    chart.setPinnable();
    connect(&chart, &ChartPanel::pinWanted, this, &ChartsTab::pin);
    connect(&chart, &ChartPanel::saved, this, &ChartsTab::saved);
    connect(&chart, &ChartPanel::saveFailed, this, &ChartsTab::saveFailed);
}

/// Pins the values of all charts at x.
void ChartsTab::pin(double x)
{
    QList<PinnedValue> values;
    const auto take = [&](const ChartPanel& chart, bool byName) {
        for (const ChartValue& value : chart.valuesAt(x))
            values.append({byName ? value.name : chart.title(), chart.quantity(), value.value});
    };
    for (const ChartValue& value : m_loss->valuesAt(x)) {
        const bool isHeldOut = value.name == heldOutName();
        values.append({isHeldOut ? tr("Held-out loss") : m_loss->title(), m_loss->quantity(), value.value});
    }
    for (const CurveChart* chart : {m_rate, m_norm, m_throughput})
        take(*chart, false);
    take(*m_split, true);
    for (const CurveChart* chart : m_further->charts())
        take(*chart, false);
    m_pinned->pin(x, positionText(m_options.axis, x), values);
}

const StepTable* ChartsTab::steps() const
{
    return m_run && !m_run->series().steps().isEmpty() ? &m_run->series().steps() : nullptr;
}

void ChartsTab::emitCursorTime()
{
    if (!m_link.cursor() || !steps())
        return;
    const qsizetype row = steps()->nearestRow(columnOf(m_options.axis), *m_link.cursor());
    emit cursorTimeChanged(qint64(steps()->column(StepColumn::WallSeconds)[row] * 1000));
}

void ChartsTab::showTime(qint64 wallMs)
{
    if (!steps())
        return;
    const qsizetype after = steps()->column(StepColumn::WallSeconds).upperBound(double(wallMs) / 1000);
    m_link.setCursor(steps()->column(columnOf(m_options.axis))[std::max<qsizetype>(0, after - 1)]);
}

/// Hides charts of metrics that an imported run lacks; they would stay empty.
void ChartsTab::hideEmptyCharts()
{
    const bool imported = m_run->facts().import.has_value();
    const StepTable& steps = m_run->series().steps();
    const auto isKnown = [&](StepColumn column) {
        const SeriesColumn& values = steps.column(column);
        return !imported || values.summary(0, values.size()).finite > 0;
    };
    m_loss->setVisible(isKnown(StepColumn::Loss));
    m_rate->setVisible(isKnown(StepColumn::LearningRate));
    m_norm->setVisible(isKnown(StepColumn::GradientNorm));
    m_throughput->setVisible(isKnown(StepColumn::SequencesPerSecond));
    m_split->setVisible(!imported);
    m_memory->setVisible(!imported);
}

void ChartsTab::fill(const OpenRun& run)
{
    const StepTable& steps = run.series().steps();
    const SeriesColumn& x = steps.column(columnOf(m_options.axis));
    const bool isPlaced = steps.isEmpty() || std::isfinite(x.last()); // imported runs may lack tokens
    for (ChartPanel* chart : stepCharts())
        chart->setEmptyText(isPlaced ? tr("no data yet")
                                     : tr("not available over %1").arg(titleOf(m_options.axis)));
    const auto curve = [&](StepColumn column, int style) {
        if (!isPlaced)
            return QList<Curve>();
        return QList<Curve>{{.name = run.facts().name(),
                             .x = steps.recorded(columnOf(m_options.axis), column),
                             .y = steps.recorded(column, column),
                             .style = style}};
    };
    const auto withSkipped = [&](StepColumn column, int style) {
        QList<Curve> curves = curve(column, style);
        if (!curves.isEmpty())
            curves.first().skipped = steps.skipped(columnOf(m_options.axis));
        return curves;
    };
    const auto withHeldOut = [&](QList<Curve> curves) {
        const EvaluationTable& evaluations = run.series().evaluations();
        const SeriesColumn at = evaluations.positions(steps, columnOf(m_options.axis));
        if (!curves.isEmpty() && !at.isEmpty())
            curves.append({.name = heldOutName(),
                           .x = at,
                           .y = evaluations.column(EvaluationColumn::Loss),
                           .style = HeldOutSeries,
                           .aside = true});
        return curves;
    };
    m_loss->setTitle(lossTitle(run.facts()));
    m_loss->setCurves(withHeldOut(withSkipped(StepColumn::Loss, LossSeries)));
    m_rate->setCurves(curve(StepColumn::LearningRate, RateSeries));
    m_norm->setCurves(withSkipped(StepColumn::GradientNorm, NormSeries));
    m_throughput->setCurves(curve(StepColumn::SequencesPerSecond, ThroughputSeries));
    m_split->setLayers(isPlaced ? x : SeriesColumn(), isPlaced ? causeLayers(steps) : QList<ChartLayer>());
    const QList<ChartBorder> borders = bordersOf(run, m_options.axis);
    for (ChartPanel* chart : stepCharts())
        chart->setBorders(borders);
    m_memory->setDevices(deviceMemory(run.facts(), run.series()));
    m_evaluations->show(run);
    m_further->show(run);
    hideEmptyCharts();
}

} // namespace trainyard
