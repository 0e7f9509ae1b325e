#include <algorithm>

#include "app/models/display_text.h"
#include "app/models/run_entry.h"
#include "app/models/scaling_table.h"
#include "app/models/smoothing.h"
#include "app/report/sections.h"

namespace trainyard {

namespace {

QString text(std::string_view name)
{
    return QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
}

int worldSizeOf(const RecordedRun& run)
{
    return run.facts.spec ? run.facts.spec->layout.worldSize() : static_cast<int>(run.series.ranks().size());
}

/// A figure with one smoothed curve per run, the raw values faint behind it.
ReportFigure curveFigure(const Runs& runs, StepColumn column, const QString& caption, const QString& yLabel,
                         bool smooth)
{
    ReportFigure figure{caption, "step", yLabel};
    for (const RecordedRun& run : runs) {
        const StepTable& steps = run.series.steps();
        if (steps.isEmpty())
            continue;
        const QList<double> x = steps.column(StepColumn::Step).toList();
        const QList<double> y = steps.column(column).toList();
        const QString label = labelOf(run, runs);
        if (smooth)
            figure.curves << ReportCurve{label + ", every step", x, y, ReportCurve::Look::Faint};
        figure.curves << ReportCurve{label, x, smooth ? timeWeightedAverage(x, y, 0.6) : y};
    }
    return figure;
}

} // namespace

QString labelOf(const RecordedRun& run, const Runs& runs)
{
    const auto same = std::count_if(runs.begin(), runs.end(), [&](const RecordedRun& other) {
        return other.facts.name() == run.facts.name();
    });
    return same > 1 ? run.facts.name() + " " + run.facts.id.right(4) : run.facts.name();
}

ReportSection summarySection(const Runs& runs)
{
    ReportTable table{
        {}, {"run", "state", "ranks", "steps", "loss", "seq/s", "tokens/s", "training time"}, {}};
    for (const RecordedRun& run : runs) {
        const StepTable& steps = run.series.steps();
        const auto& status = run.series.status();
        table.rows << QStringList{
            labelOf(run, runs),
            text(nameOf(status.state)),
            QString::number(worldSizeOf(run)),
            QString("%1 of %2")
                .arg(steps.isEmpty() ? 0 : static_cast<qint64>(steps.last(StepColumn::Step)))
                .arg(status.steps),
            displayLoss(steps.last(StepColumn::Loss)),
            displayNumber(recentSequencesPerSecond(run.series)),
            displayNumber(steps.last(StepColumn::TokensPerSecond)),
            displaySeconds(steps.last(StepColumn::TrainingSeconds))};
    }
    ReportSection section{"Summary", {table}};
    for (const RecordedRun& run : runs) {
        if (!run.series.status().reason.isEmpty())
            section.blocks << labelOf(run, runs) + ": " + run.series.status().reason;
    }
    return section;
}

ReportSection curvesSection(const Runs& runs)
{
    ReportSection section{"Curves", {}};
    for (const ReportFigure& figure :
         {curveFigure(runs, StepColumn::Loss, "Training loss", "loss (nats)", true),
          curveFigure(runs, StepColumn::LearningRate, "Learning rate", "learning rate", false),
          curveFigure(runs, StepColumn::GradientNorm, "Gradient norm before clipping", "gradient norm", true),
          curveFigure(runs, StepColumn::SequencesPerSecond, "Throughput", "sequences/s", true)}) {
        if (!figure.curves.isEmpty())
            section.blocks << figure;
    }
    return section;
}

ReportSection scalingSection(const Runs& runs)
{
    QList<ScalingPoint> points;
    for (const RecordedRun& run : runs) {
        if (run.facts.spec)
            points << ScalingPoint{run.facts.id, worldSizeOf(run), run.facts.spec->batch.global,
                                   recentSequencesPerSecond(run.series)};
    }
    const QList<ScalingRow> rows = scalingTable(points);
    if (rows.isEmpty())
        return {};
    ReportTable table{"Scaling against the smallest world size",
                      {"ranks", "global batch", "seq/s", "seq/s per rank", "speed-up", "efficiency"},
                      {}};
    ReportFigure figure{"Throughput over ranks", "ranks", "sequences/s"};
    figure.curves = {{"measured", {}, {}, ReportCurve::Look::Marked},
                     {"ideal", {}, {}, ReportCurve::Look::Dashed}};
    figure.fromZero = true;
    for (const ScalingRow& row : rows) {
        table.rows << QStringList{
            QString::number(row.worldSize),        QString::number(row.globalBatch),
            displayNumber(row.sequencesPerSecond), displayNumber(row.sequencesPerSecond / row.worldSize),
            QString::number(row.speedup, 'f', 2),  displayPercent(row.efficiency)};
        for (ReportCurve& curve : figure.curves)
            curve.x << row.worldSize;
        figure.curves[0].y << row.sequencesPerSecond;
        figure.curves[1].y << rows.front().sequencesPerSecond * row.worldSize / rows.front().worldSize;
    }
    return {"Scaling", {figure, table}};
}

ReportSection eventsSection(const Runs& runs)
{
    ReportTable table{{}, {"run", "time", "severity", "step", "event"}, {}};
    for (const RecordedRun& run : runs) {
        for (const RunEvent& event : run.series.events())
            table.rows << QStringList{labelOf(run, runs), QString::fromStdString(utcText(event.time.wallNs)),
                                      text(nameOf(event.event.severity)),
                                      event.event.step ? QString::number(event.event.step) : QString(),
                                      oneLine(QString::fromStdString(event.event.message))};
    }
    return table.rows.isEmpty() ? ReportSection{} : ReportSection{"Events", {table}};
}

} // namespace trainyard
