#include "app/monitor/trace_view.h"

#include <QFileInfo>
#include <QPushButton>

#include "app/base/display_text.h"
#include "app/base/theme.h"
#include "app/charts/chart_fills.h"
#include "app/charts/chart_legend.h"
#include "app/charts/pipeline_gantt.h"
#include "app/monitor/model/pipeline_timelines.h"
#include "app/widgets/elided_label.h"
#include "app/widgets/input_boxes.h"
#include "app/widgets/roles.h"

namespace trainyard {

namespace {

constexpr int kStepWidth = 144;
constexpr int kGanttStretch = 100; ///< what a low one leaves is empty below the legend

} // namespace

TraceView::TraceView(QWidget* parent)
    : QWidget(parent)
    , m_title(new ElidedLabel("heading", Qt::ElideMiddle))
    , m_step(new ChoiceBox)
    , m_words(new ReadOutLabel("small"))
    , m_gantt(new PipelineGantt)
    , m_legend(new ChartLegend)
{
    m_step->setAccessibleName(tr("Step"));
    m_step->setToolTip(tr("Recorded step to show"));
    m_step->setFixedWidth(kStepWidth);
    m_words->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_gantt->setAccessibleName(tr("Passes of every rank in a recorded step"));
    QPushButton* back = makeButton(tr("Back to the run"), "link");
    auto* head = rowLayout();
    head->addWidget(m_title, 1);
    head->addWidget(m_step);
    head->addWidget(back);
    QFrame* panel = makePanel();
    auto* inside = columnLayout(panel, metrics::kHalf, metrics::kLowPanelMargins);
    inside->addLayout(head);
    inside->addWidget(m_words);
    inside->addWidget(m_gantt, kGanttStretch);
    inside->addWidget(m_legend);
    inside->addStretch(1);
    auto* column = columnLayout(this, -1);
    column->addWidget(panel);
    connect(m_step, &QComboBox::activated, this, &TraceView::showStep);
    connect(m_gantt, &PipelineGantt::readOutChanged, m_words, &ReadOutLabel::setReadOut);
    connect(back, &QPushButton::clicked, this, &TraceView::closed);
}

void TraceView::show(const QString& file, const RecordedTrace& trace)
{
    m_trace = trace;
    m_title->setFullText(tr("Recorded: %1").arg(oneLine(QFileInfo(file).fileName())));
    m_title->setToolTip(oneLine(file));
    m_step->clear();
    for (const auto& [number, step] : m_trace.steps)
        m_step->addItem(tr("step %1").arg(displayCount(number)), qlonglong(number));
    showStep();
}

void TraceView::showStep()
{
    const auto timeline = measuredTimeline(m_trace.steps.at(m_step->currentData().toLongLong()));
    m_words->setSummary(QStringLiteral("%1  ·  %2")
                            .arg(displayCounted(m_trace.ranks.size(), "rank"), timelineSummary(*timeline)));
    m_legend->setEntries(actionLegend(splitsBackward(*timeline)));
    m_gantt->setRowNames(m_trace.ranks);
    m_gantt->setTimeline(std::make_shared<const StepTimeline>(*timeline));
    m_gantt->setMaximumHeight(m_gantt->greatestHeight());
}

} // namespace trainyard
