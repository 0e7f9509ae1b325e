#include "app/history/compared_curves.h"

#include "app/models/open_run.h"
#include "app/models/run_comparison.h"

namespace trainyard {

namespace {
constexpr int kGreyDashes = 15; ///< eighth colour, second line style
}

const QList<ComparedMetric>& comparedMetrics()
{
    static const QList<ComparedMetric> kMetrics{
        {QStringLiteral("Loss"), StepColumn::Loss, true, false},
        {QStringLiteral("Masked-LM loss"), StepColumn::MlmLoss, true, false},
        {QStringLiteral("Next-sentence loss"), StepColumn::NspLoss, true, false},
        {QStringLiteral("Learning rate"), StepColumn::LearningRate, false, true},
        {QStringLiteral("Gradient norm"), StepColumn::GradientNorm, true, false},
        {QStringLiteral("Sequences per second"), StepColumn::SequencesPerSecond, true, true},
        {QStringLiteral("Tokens per second"), StepColumn::TokensPerSecond, true, true},
    };
    return kMetrics;
}

QList<Curve> comparedCurves(const QList<const OpenRun*>& runs, StepColumn column, ChartAxis axis)
{
    const QStringList labels = labelsOf(runs);
    QList<Curve> curves;
    for (qsizetype i = 0; i < runs.size(); ++i) {
        const StepTable& steps = runs[i]->series().steps();
        curves.append({.name = labels[i],
                       .x = steps.column(columnOf(axis)),
                       .y = steps.column(column),
                       .style = int(i),
                       .skipped = steps.skipped(columnOf(axis))});
    }
    return curves;
}

QList<LegendEntry> legendOf(const CurveChart& chart, std::optional<double> cursor)
{
    QList<LegendEntry> entries;
    for (qsizetype i = 0; i < chart.curves().size(); ++i) {
        const Curve& curve = chart.curves()[i];
        const SeriesStyle light = seriesStyle(ColourScheme::Light, curve.style);
        const QString value = cursor ? QStringLiteral("  ") + chart.valueText(i, *cursor) : QString();
        entries.append({curve.name + value, light.colour, seriesStyle(ColourScheme::Dark, curve.style).colour,
                        light.line});
    }
    return entries;
}

QList<Curve> scalingCurves(const QList<ScalingRow>& rows)
{
    Curve measured{QStringLiteral("measured"), {}, {}, 0};
    Curve ideal{QStringLiteral("ideal"), {}, {}, kGreyDashes};
    for (const ScalingRow& row : rows) {
        measured.x.append(row.worldSize);
        measured.y.append(row.sequencesPerSecond);
        ideal.x.append(row.worldSize);
        ideal.y.append(rows.first().sequencesPerSecond * row.worldSize / rows.first().worldSize);
    }
    measured.marked = true;
    return rows.isEmpty() ? QList<Curve>() : QList<Curve>{measured, ideal};
}

} // namespace trainyard
