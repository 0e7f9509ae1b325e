#include <algorithm>
#include <cmath>

#include "app/models/display_text.h"
#include "app/models/run_entry.h"
#include "app/models/scaling_table.h"
#include "app/models/smoothing.h"
#include "app/models/theme.h"
#include "app/report/sections.h"
#include "engine/planner/memory_model.h"

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
        const auto& x = steps.column(StepColumn::Step);
        const auto& y = steps.column(column);
        const QString label = labelOf(run, runs);
        if (smooth)
            figure.curves << ReportCurve{label + ", every step", x, y, ReportCurve::Look::Faint};
        figure.curves << ReportCurve{label, x, smooth ? timeWeightedAverage(x, y, 0.6) : y};
    }
    return figure;
}

QStringList rankLabels(const RecordedRun& run)
{
    QStringList labels;
    for (std::size_t rank = 0; rank < run.series.ranks().size(); ++rank)
        labels << QString::number(rank);
    return labels;
}

/// One unit for all bars of a figure, in which the highest one is at least 1.
struct MemoryUnit {
    const char* name;
    double bytes;
};

MemoryUnit unitFor(const RecordedRun& run)
{
    Bytes most = 0;
    for (const RankSummary& rank : run.series.ranks())
        most = std::max(most, rank.peak.peakTotal);
    return most < kGiB ? MemoryUnit{"MiB", static_cast<double>(kMiB)}
                       : MemoryUnit{"GiB", static_cast<double>(kGiB)};
}

ReportFigure memoryFigure(const RecordedRun& run, const QString& label)
{
    const MemoryUnit unit = unitFor(run);
    ReportFigure figure{"Peak memory of each rank, " + label, "rank", QString("memory (%1)").arg(unit.name)};
    figure.bars = rankLabels(run);
    for (std::size_t c = 0; c < kMemoryCategories; ++c) {
        const auto category = static_cast<MemoryCategory>(c);
        ReportLayer layer{text(nameOf(category)), colourOf(category, ColourScheme::Light), {}};
        for (const RankSummary& rank : run.series.ranks())
            layer.values << static_cast<double>(rank.peak.peakMemory[c]) / unit.bytes;
        figure.layers << layer;
    }
    return figure;
}

/// What the planner says of the specification on its data set; nothing when that cannot be looked at.
std::optional<MemoryEstimate> plannedMemory(const RecordedRun& run)
{
    if (!run.facts.spec || !run.facts.dataSet)
        return std::nullopt;
    const DataSetManifest& rows = *run.facts.dataSet;
    return estimateMemory(*run.facts.spec, {rows.sequenceLength, rows.maxPredictions});
}

/// The fullest rank as measured, beside what the planner promised.
ReportTable memoryTable(const RecordedRun& run, const QString& label)
{
    ReportTable table{
        "Fullest rank, measured and planned, " + label, {"category", "measured", "planned"}, {}};
    const auto& ranks = run.series.ranks();
    const auto fullest =
        std::max_element(ranks.begin(), ranks.end(), [](const RankSummary& a, const RankSummary& b) {
            return a.peak.peakTotal < b.peak.peakTotal;
        });
    const auto planned = plannedMemory(run);
    for (std::size_t c = 0; c < kMemoryCategories; ++c)
        table.rows << QStringList{text(nameOf(static_cast<MemoryCategory>(c))),
                                  displayBytes(static_cast<double>(fullest->peak.peakMemory[c])),
                                  planned ? displayBytes(static_cast<double>(planned->bytes[c]))
                                          : QString("–")};
    table.rows << QStringList{"all", displayBytes(static_cast<double>(fullest->peak.peakTotal)),
                              planned ? displayBytes(static_cast<double>(planned->total())) : QString("–")};
    return table;
}

double meanOf(const QList<double>& values)
{
    double sum = 0;
    for (const double value : values)
        sum += value;
    return values.isEmpty() ? std::nan("") : sum / static_cast<double>(values.size());
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

ReportSection memorySection(const Runs& runs)
{
    ReportSection section{"Memory per device", {}};
    for (const RecordedRun& run : runs) {
        if (run.series.ranks().empty())
            continue;
        section.blocks << memoryFigure(run, labelOf(run, runs)) << memoryTable(run, labelOf(run, runs));
        if (!plannedMemory(run))
            section.blocks << QString(
                                  "Nothing is planned for %1: the length of its rows is not known, because "
                                  "the manifest of its data set is not readable from this machine.")
                                  .arg(labelOf(run, runs));
    }
    return section;
}

ReportSection stepTimeSection(const Runs& runs)
{
    ReportFigure figure{"Where the time of a step goes: the rank that worked longest, mean over steps", "run",
                        "time (s)"};
    ReportTable table{"Mean time of a step", {"run"}, {}};
    for (std::size_t c = 0; c < kCommonCauses; ++c) {
        const auto cause = static_cast<CommonCause>(c);
        figure.layers << ReportLayer{text(nameOf(cause)), colourOf(cause, ColourScheme::Light), {}};
        table.columns << text(nameOf(cause));
    }
    for (const RecordedRun& run : runs) {
        if (run.series.steps().isEmpty())
            continue;
        figure.bars << labelOf(run, runs);
        QStringList row{labelOf(run, runs)};
        for (std::size_t c = 0; c < kCommonCauses; ++c) {
            const double mean = meanOf(run.series.steps().cause(static_cast<CommonCause>(c)));
            figure.layers[static_cast<qsizetype>(c)].values << mean;
            row << displaySeconds(mean);
        }
        table.rows << row;
    }
    return table.rows.isEmpty() ? ReportSection{} : ReportSection{"Step time", {figure, table}};
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
