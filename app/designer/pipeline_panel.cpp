#include "app/designer/pipeline_panel.h"

#include <algorithm>

#include <QVBoxLayout>

#include "app/base/theme.h"
#include "app/charts/action_fill.h"
#include "app/charts/chart_legend.h"
#include "app/charts/pipeline_gantt.h"
#include "app/designer/step_time_bar.h"
#include "app/plan/step_labels.h"
#include "app/widgets/elided_label.h"
#include "app/widgets/roles.h"

namespace trainyard {

PipelinePanel::PipelinePanel(QWidget* parent)
    : QFrame(parent)
    , m_stepTime(new StepTimeBar)
    , m_readOut(new ElidedLabel("small"))
    , m_gantt(new PipelineGantt)
    , m_legend(new ChartLegend)
{
    setRole(this, "panel");
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(metrics::kPanelPadding, metrics::kGap, metrics::kPanelPadding, metrics::kGap);
    column->setSpacing(metrics::kHalf);
    column->addWidget(makeLabel(tr("One step"), "heading"));
    column->addWidget(m_stepTime);
    column->addWidget(m_readOut);
    column->addWidget(m_gantt, 1);
    column->addWidget(m_legend);
    connect(m_gantt, &PipelineGantt::readOutChanged, this,
            [this](const QString& text) { m_readOut->setFullText(text.isEmpty() ? m_summary : text); });
}

void PipelinePanel::showStep(std::shared_ptr<const StepTimeline> timeline, const StepTime& step)
{
    m_summary = pipelineSummary(*timeline, step);
    const auto& first = timeline->played.ranks.front();
    const bool split = std::any_of(first.begin(), first.end(), [](const TimedAction& timed) {
        return timed.action.kind == PipelineActionKind::BackwardWeight;
    });
    m_legend->setEntries(actionLegend(split));
    m_legend->show();
    m_stepTime->show();
    m_gantt->setTimeline(std::move(timeline));
    m_readOut->setFullText(m_summary);
}

void PipelinePanel::showNothing(const QString& why)
{
    m_summary.clear();
    m_stepTime->hide();
    m_legend->hide();
    m_gantt->setEmptyText(why);
    m_gantt->setTimeline(nullptr);
    m_readOut->setFullText({});
}

} // namespace trainyard
