#include "app/monitor/scaling_tab.h"

#include <QHeaderView>
#include <QStackedWidget>

#include "app/base/display_text.h"
#include "app/base/theme.h"
#include "app/charts/chart_legend.h"
#include "app/monitor/efficiency_chart.h"
#include "app/runs/open_run.h"
#include "app/runs/run_database.h"
#include "app/widgets/elided_label.h"
#include "app/widgets/input_boxes.h"
#include "app/widgets/roles.h"
#include "app/widgets/table_view.h"
#include "app/workspace/empty_state.h"

namespace trainyard {

namespace {

constexpr int kChoiceWidth = 280;
constexpr int kNameColumn = 1;

LegendEntry entryOf(const QString& text, int style, Qt::PenStyle line)
{
    return {text, seriesStyle(ColourScheme::Light, style).colour,
            seriesStyle(ColourScheme::Dark, style).colour, line};
}

void showTable(TableView& view, QLabel& title, TextTableModel& model, const QList<StudyPoint>& points)
{
    model.setTable(studyTable(points));
    view.setVisible(!points.isEmpty());
    title.setVisible(!points.isEmpty());
    view.setFixedHeight(view.horizontalHeader()->sizeHint().height() +
                        int(points.size()) * TableView::kRowHeight + 2);
    if (model.columnCount() == 0)
        return;
    view.horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    view.horizontalHeader()->setSectionResizeMode(kNameColumn, QHeaderView::Stretch);
}

} // namespace

ScalingTab::ScalingTab(RunDatabase& history, const HardwareLibrary& hardware, QWidget* parent)
    : QWidget(parent)
    , m_history(history)
    , m_hardware(hardware)
    , m_pages(new QStackedWidget(this))
    , m_baseline(new ChoiceBox)
    , m_readOut(new ElidedLabel("small"))
    , m_chart(new EfficiencyChart)
    , m_legend(new ChartLegend)
    , m_strongTitle(makeLabel(tr("Strong scaling: constant global batch"), "heading"))
    , m_weakTitle(makeLabel(tr("Weak scaling: constant batch per rank"), "heading"))
    , m_peak(makeLabel({}, "help"))
    , m_strongTable(new TableView(tr("Strong scaling")))
    , m_weakTable(new TableView(tr("Weak scaling")))
{
    m_pages->addWidget(new EmptyState(
        QStringLiteral("compare"), tr("Nothing to compare with yet"),
        tr("Runs of the same model, precision and data set on other numbers of ranks appear here with their "
           "efficiency: launch one, or a whole study with `trainyard scaling SPEC --ranks 1,2,4`."),
        {}));
    m_pages->addWidget(buildPage());
    auto* column = columnLayout(this, -1, metrics::kTabMargins);
    column->addWidget(m_pages);
    connect(m_baseline, &QComboBox::activated, this, &ScalingTab::study);
    connect(m_chart, &EfficiencyChart::readOutChanged, m_readOut, &ElidedLabel::setFullText);
}

QWidget* ScalingTab::buildPage()
{
    m_baseline->setAccessibleName(tr("Baseline"));
    m_baseline->setToolTip(tr("The run whose throughput per rank counts as 100 %"));
    m_baseline->setFixedWidth(kChoiceWidth);
    m_readOut->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_strongTable->setModel(&m_strong);
    m_weakTable->setModel(&m_weak);
    auto* head = rowLayout();
    head->addWidget(makeLabel(tr("Baseline"), "muted"));
    head->addWidget(m_baseline);
    head->addWidget(m_readOut, 1);
    QFrame* panel = makePanel();
    auto* inner = columnLayout(panel, metrics::kGap, metrics::kPanelMargins);
    inner->addLayout(head);
    inner->addWidget(m_chart, 1);
    inner->addWidget(m_legend);
    for (QWidget* part :
         std::initializer_list<QWidget*>{m_strongTitle, m_strongTable, m_weakTitle, m_weakTable, m_peak})
        inner->addWidget(part);
    auto* scroll = verticalScroll(panel);
    return scroll;
}

/// Computes the study once per run, so that the chart does not change while it is viewed.
void ScalingTab::show(const OpenRun& run)
{
    m_run = &run;
    if (m_shownRun == run.id())
        return;
    m_shownRun = run.id();
    m_baseline->clear();
    study();
    listBaselines();
}

void ScalingTab::study()
{
    m_study =
        scalingStudy(m_history.runs(), m_run->facts(), m_baseline->currentData().toString(), m_hardware);
    fill();
}

void ScalingTab::listBaselines()
{
    m_baseline->addItem(tr("Smallest run of each curve"), QString());
    QStringList listed;
    for (const QList<StudyPoint>* curve : {&m_study.strong, &m_study.weak}) {
        for (const StudyPoint& point : *curve) {
            if (listed.contains(point.runId))
                continue;
            listed.append(point.runId);
            m_baseline->addItem(
                QStringLiteral("%1, %2").arg(point.name, displayCounted(point.worldSize, "rank")),
                point.runId);
        }
    }
}

void ScalingTab::fill()
{
    m_pages->setCurrentIndex(m_study.isEmpty() ? 0 : 1);
    m_chart->setStudy(m_study);
    QList<LegendEntry> entries;
    if (!m_study.strong.isEmpty())
        entries << entryOf(tr("strong"), EfficiencyChart::kStrongStyle, Qt::SolidLine);
    if (!m_study.weak.isEmpty())
        entries << entryOf(tr("weak"), EfficiencyChart::kWeakStyle, Qt::DashLine);
    if (!m_study.published.empty())
        entries << entryOf(tr("published"), EfficiencyChart::kPublishedStyle, Qt::SolidLine);
    m_legend->setEntries(entries);
    showTable(*m_strongTable, *m_strongTitle, m_strong, m_study.strong);
    showTable(*m_weakTable, *m_weakTitle, m_weak, m_study.weak);
    m_peak->setText(
        m_study.peak.rate > 0
            ? peakText(m_study.peak)
            : tr("No MFU: the peak performance of the nodes is unknown. Set their hardware in Design."));
}

} // namespace trainyard
