#include "app/monitor/timeline_tab.h"

#include <algorithm>

#include <QHBoxLayout>
#include <QPushButton>
#include <QStackedWidget>
#include <QVBoxLayout>

#include "app/base/display_text.h"
#include "app/base/theme.h"
#include "app/charts/chart_fills.h"
#include "app/charts/chart_legend.h"
#include "app/charts/pipeline_gantt.h"
#include "app/monitor/model/pipeline_timelines.h"
#include "app/monitor/rank_times.h"
#include "app/monitor/trace_saver.h"
#include "app/monitor/trace_view.h"
#include "app/plan/device_memory.h"
#include "app/plan/plan_comparison.h"
#include "app/runs/open_run.h"
#include "app/runs/run_phase.h"
#include "app/widgets/elided_label.h"
#include "app/widgets/roles.h"
#include "app/widgets/segmented_control.h"
#include "app/workspace/empty_state.h"

namespace trainyard {

namespace {

enum View { kNothing, kRun, kTrace };
constexpr int kGanttStretch = 100; ///< of 101: what a low one leaves is empty below the legend

QVBoxLayout* columnIn(QFrame& panel)
{
    auto* column = columnLayout(&panel, metrics::kHalf, metrics::kLowPanelMargins);
    return column;
}

QStringList hostsByRank(const OpenRun& run)
{
    QStringList hosts;
    for (const DeviceMemory& rank : deviceMemory(run.facts(), run.series()))
        hosts.append(oneLine(rank.host));
    return hosts;
}

double computeSeconds(const OpenRun& run, int rank)
{
    return byCommonCause(run.series().ranks()[std::size_t(rank)].usual)[std::size_t(CommonCause::Compute)];
}

/// Describes the slowest and the fastest rank, like Megatron's straggler report.
QString spreadText(const OpenRun& run, const RankTimes& times)
{
    const int slow = times.slowest();
    const int fast = times.fastest();
    if (slow < 0 || slow == fast)
        return {};
    const double most = computeSeconds(run, slow);
    const double least = computeSeconds(run, fast);
    return QObject::tr("rank %1 computes %2, rank %3 %4: %5 apart")
        .arg(QString::number(slow), displaySeconds(most), QString::number(fast), displaySeconds(least),
             displayPercent(least > 0 ? most / least - 1 : 0));
}

/// True unless an earlier attempt with another layout traced the step.
bool isOfLayoutNow(const PipelineTrace& trace, const RunFacts& facts)
{
    const RunSpec* spec = facts.specNow();
    return !spec ||
           (std::ssize(trace.ranks) == spec->layout.pipeline && trace.chunks == spec->layout.virtualStages &&
            trace.microBatches == spec->batch.accumulation);
}

} // namespace

TimelineTab::TimelineTab(const HardwareLibrary& hardware, QWidget* parent)
    : QWidget(parent)
    , m_hardware(hardware)
    , m_pages(new QStackedWidget(this))
    , m_record(makeButton({}, "link"))
    , m_spread(new ElidedLabel("small"))
    , m_ranks(new RankTimes)
    , m_measuredWords(new ReadOutLabel("small"))
    , m_plannedWords(new ReadOutLabel("small"))
    , m_measured(new PipelineGantt)
    , m_planned(new PipelineGantt)
    , m_legend(new ChartLegend)
    , m_trace(new TraceView)
{
    auto* page = new QWidget;
    setRole(page, "page");
    auto* inner = columnLayout(page);
    inner->addWidget(buildRanks(), 2);
    inner->addWidget(buildPipeline(), 3);
    m_pages->addWidget(new EmptyState(QStringLiteral("info"), tr("No finished step yet"),
                                      tr("The time of every rank by cause appears after the first step."),
                                      {}));
    m_pages->addWidget(page);
    m_pages->addWidget(m_trace);
    connect(m_trace, &TraceView::closed, this, [this] { m_pages->setCurrentIndex(kRun); });
    auto* column = columnLayout(this, -1, metrics::kTabMargins);
    column->addWidget(m_pages);
}

QWidget* TimelineTab::buildRanks()
{
    QFrame* panel = makePanel();
    QVBoxLayout* column = columnIn(*panel);
    auto* order = new SegmentedControl({{tr("by rank"), tr("In order of rank")},
                                        {tr("slowest first"), tr("The rank that computes longest first")}});
    m_spread->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    auto* head = rowLayout(nullptr, metrics::kPanelPadding);
    head->addWidget(makeLabel(tr("Typical step by rank"), "heading"));
    head->addWidget(m_spread, 1);
    head->addWidget(m_record);
    head->addWidget(order);
    auto* legend = new ChartLegend;
    legend->setEntries(causeLegend());
    column->addLayout(head);
    column->addWidget(m_ranks, 1);
    column->addWidget(legend);
    setRecordable(false);
    m_record->setToolTip(tr("Records the passes and collectives of every rank over the next steps, in a file "
                            "for ui.perfetto.dev; training is not affected"));
    connect(m_record, &QPushButton::clicked, this, &TimelineTab::recordingWanted);
    connect(order, &SegmentedControl::chosen, this,
            [this](int index) { m_ranks->setSlowestFirst(index == 1); });
    connect(m_ranks, &RankTimes::activated, this, &TimelineTab::rankWanted);
    return panel;
}

QWidget* TimelineTab::buildPipeline()
{
    QFrame* panel = makePanel();
    QVBoxLayout* column = columnIn(*panel);
    const auto add = [&](const QString& title, ReadOutLabel* words, PipelineGantt* gantt) {
        auto* head = new QHBoxLayout;
        words->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
        head->addWidget(makeLabel(title, "heading"));
        head->addWidget(words, 1);
        column->addLayout(head);
        column->addWidget(gantt, kGanttStretch);
        gantt->setAccessibleName(title);
        connect(gantt, &PipelineGantt::readOutChanged, words, &ReadOutLabel::setReadOut);
    };
    add(tr("Pipeline, measured"), m_measuredWords, m_measured);
    add(tr("Pipeline, planned"), m_plannedWords, m_planned);
    column->addWidget(m_legend);
    column->addStretch(1);
    connect(m_measured, &PipelineGantt::shownChanged, m_planned, &PipelineGantt::show);
    connect(m_planned, &PipelineGantt::shownChanged, m_measured, &PipelineGantt::show);
    return panel;
}

void TimelineTab::setRecordable(bool recordable)
{
    m_record->setEnabled(recordable);
    m_record->setText(tr("Record %1 steps").arg(TraceSaver::kSteps));
}

void TimelineTab::showRecording(int stepsDone)
{
    m_record->setText(tr("%1 of %2 steps recorded").arg(stepsDone).arg(TraceSaver::kSteps));
}

void TimelineTab::show(const OpenRun& run)
{
    m_record->setVisible(run.series().status().state == RunState::Running && run.link() != RunLink::Recorded);
    if (m_pages->currentIndex() != kTrace || m_runId != run.id())
        m_pages->setCurrentIndex(run.series().ranks().empty() ? kNothing : kRun);
    m_runId = run.id();
    showRanks(run);
    showPipeline(run);
}

void TimelineTab::showTrace(const QString& file, const RecordedTrace& trace)
{
    m_trace->show(file, trace);
    m_pages->setCurrentIndex(kTrace);
}

void TimelineTab::showRanks(const OpenRun& run)
{
    m_ranks->show(run.series().ranks(), hostsByRank(run));
    m_spread->setFullText(spreadText(run, *m_ranks));
}

/// Updates once per traced step, so that zoom and position stay while the run continues.
void TimelineTab::showPipeline(const OpenRun& run)
{
    const auto& trace = run.series().trace();
    const RunFacts facts = factsNow(run.facts(), run.series());
    const std::tuple shown{run.id(), facts.attemptNow(), trace ? trace->step : 0};
    if (m_shown == shown)
        return;
    m_shown = shown;
    const bool fits = trace && isOfLayoutNow(*trace, run.facts());
    const auto measured = fits ? measuredTimeline(*trace) : std::nullopt;
    const auto planned = plannedTimeline(facts, planOf(facts, m_hardware));
    const double longest =
        std::max(measured ? measured->played.duration() : 0, planned.ok() ? planned->played.duration() : 0);
    m_measured->setEmptyText(
        trace ? tr("Steps are traced periodically; none since the layout changed.")
              : tr("Steps are traced periodically, the first soon after the start; none so far."));
    m_planned->setEmptyText(planned.ok() ? QString() : displayError(planned.error()));
    m_measuredWords->setSummary(
        measured ? tr("step %1: %2").arg(displayCount(trace->step), timelineSummary(*measured)) : QString());
    m_plannedWords->setSummary(planned.ok() ? timelineSummary(*planned) : QString());
    const bool splits = (measured && splitsBackward(*measured)) || (planned.ok() && splitsBackward(*planned));
    m_legend->setEntries(actionLegend(splits));
    m_legend->setVisible(measured || planned.ok());
    const auto shared = [](const StepTimeline& timeline) {
        return std::make_shared<const StepTimeline>(timeline);
    };
    m_measured->setTimeline(measured ? shared(*measured) : nullptr, longest);
    m_planned->setTimeline(planned.ok() ? shared(*planned) : nullptr, longest);
    for (PipelineGantt* gantt : {m_measured, m_planned})
        gantt->setMaximumHeight(gantt->greatestHeight());
}

} // namespace trainyard
