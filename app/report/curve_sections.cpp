#include <algorithm>

#include "app/base/display_text.h"
#include "app/report/sections.h"
#include "app/report/thinned_curve.h"
#include "app/runs/run_phase.h"
#include "app/series/smoothed_series.h"

namespace trainyard {

namespace {

constexpr double kSmoothing = 0.6;
constexpr std::size_t kMaxEvents = 200; ///< of a run; the journal has them all

/// A quantity of every step.
struct Quantity {
    StepColumn column;
    const char* caption;
    const char* axis; ///< with unit
    bool smooth;      ///< the raw values stand faint behind a smoothed curve
};

constexpr Quantity kQuantities[] = {
    {StepColumn::Loss, "Training loss", "loss (nats)", true},
    {StepColumn::LearningRate, "Learning rate", "learning rate", false},
    {StepColumn::GradientNorm, "Gradient norm before clipping", "gradient norm", true},
    {StepColumn::SequencesPerSecond, "Throughput", "sequences/s", true}};

void addCurves(const RecordedRun& run, const QString& label, const Quantity& quantity, ReportFigure& figure)
{
    using Look = ReportCurve::Look;
    const StepTable& steps = run.series.steps();
    if (steps.isEmpty())
        return;
    const QList<double> x = steps.column(StepColumn::Step).toList();
    const QList<double> y = steps.column(quantity.column).toList();
    if (quantity.smooth)
        figure.curves << thinned({label + ", every step", x, y, Look::Faint});
    figure.curves << thinned({label, x, quantity.smooth ? exponentialAverage(y, kSmoothing) : y, Look::Line});
}

/// Errors and warnings before what is only worth knowing, where not all of them are told.
std::vector<RunEvent> toldEvents(const RecordedRun& run)
{
    std::vector<RunEvent> events = run.series.events();
    if (events.size() <= kMaxEvents)
        return events;
    std::ranges::stable_sort(events, std::ranges::greater(),
                             [](const RunEvent& event) { return event.event.severity; });
    events.resize(kMaxEvents);
    std::ranges::stable_sort(events, {}, &RunEvent::orderNs);
    return events;
}

} // namespace

QList<ReportMark> phaseMarks(const RecordedRun& run)
{
    QList<ReportMark> marks;
    for (const PhaseBorder& border : phaseBorders(run.facts, run.series.steps(), StepColumn::Step))
        marks << ReportMark{border.position, "phase " + border.label};
    return marks;
}

ReportSection curvesSection(const Runs& runs)
{
    ReportSection section{"Curves", {}};
    for (const Quantity& quantity : kQuantities) {
        ReportFigure figure{quantity.caption, "step", quantity.axis};
        for (const RecordedRun& run : runs)
            addCurves(run, labelOf(run, runs), quantity, figure);
        if (runs.size() == 1)
            figure.marks = phaseMarks(runs.front());
        if (!figure.curves.isEmpty())
            section.blocks << figure;
    }
    return section;
}

ReportSection eventsSection(const Runs& runs)
{
    ReportTable table{{}, {"run", "time", "severity", "step", "event"}, {}};
    ReportSection section{"Events", {}};
    for (const RecordedRun& run : runs) {
        const std::vector<RunEvent> told = toldEvents(run);
        for (const RunEvent& event : told)
            table.rows << QStringList{labelOf(run, runs), QString::fromStdString(utcText(event.time.wallNs)),
                                      toQString(nameOf(event.event.severity)),
                                      event.event.step ? QString::number(event.event.step) : QString(),
                                      oneLine(QString::fromStdString(event.event.message))};
        if (const std::size_t all = run.series.events().size(); all > told.size())
            section.blocks << QStringLiteral("%1: the %2 most severe of %3 events.")
                                  .arg(labelOf(run, runs))
                                  .arg(told.size())
                                  .arg(all);
    }
    if (!table.rows.isEmpty())
        section.blocks << table;
    return section;
}

} // namespace trainyard
