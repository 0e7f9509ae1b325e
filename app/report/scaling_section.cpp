#include <algorithm>

#include "app/base/display_text.h"
#include "app/report/sections.h"
#include "app/runs/run_database.h"
#include "engine/planner/scaling/published_curve.h"

namespace trainyard {

namespace {

using Look = ReportCurve::Look;

const RecordedRun& runOf(const ScalingRow& row, const Runs& runs)
{
    return *std::ranges::find(runs, row.runId, [](const RecordedRun& run) { return run.facts.id; });
}

/// "strong scaling: a global batch of 64"; of mixed sizes neither is said.
QString kindOf(const QList<ScalingRow>& rows)
{
    const auto all = [&](auto isSo) { return std::ranges::all_of(rows, isSo); };
    const ScalingRow& base = rows.front();
    if (all([&](const ScalingRow& row) { return row.globalBatch == base.globalBatch; }))
        return QStringLiteral("strong scaling, global batch %1").arg(base.globalBatch);
    if (all([&](const ScalingRow& row) {
            return qint64(row.globalBatch) * base.worldSize == qint64(base.globalBatch) * row.worldSize;
        }))
        return QStringLiteral("weak scaling, %1 per rank")
            .arg(displayCounted(base.globalBatch / base.worldSize, "sequence"));
    return QStringLiteral("with different global batches");
}

QStringList scalingColumns()
{
    return {"model", "instances", "ranks", "sequences/s", "sequences/s per rank", "efficiency"};
}

QStringList scalingCells(const QString& model, qsizetype instances, int ranks, double rate, double efficiency)
{
    return {model,
            QString::number(instances),
            QString::number(ranks),
            displayNumber(rate),
            displayNumber(rate / ranks),
            displayPercent(efficiency)};
}

ReportTable studyTable(const ScalingStudy& study, const Runs& runs)
{
    ReportTable table{
        QStringLiteral("%1, %2; efficiency against %3")
            .arg(study.model, kindOf(study.rows), displayCounted(study.rows.front().worldSize, "rank")),
        scalingColumns() + QStringList{"speed-up"},
        {}};
    for (const ScalingRow& row : study.rows) {
        const RecordedRun& run = runOf(row, runs);
        table.rows << scalingCells(study.model, run.facts.hosts.size(), row.worldSize, row.sequencesPerSecond,
                                   row.efficiency) +
                          QStringList{QString::number(row.speedup, 'f', 2)};
    }
    return table;
}

ReportFigure throughputFigure(const ScalingStudy& study)
{
    ReportFigure figure{"Throughput over ranks, " + study.model, "ranks", "sequences/s"};
    figure.curves = {{"measured", {}, {}, Look::Marked}, {"ideal", {}, {}, Look::Dashed}};
    figure.fromZero = true;
    const ScalingRow& base = study.rows.front();
    for (const ScalingRow& row : study.rows) {
        for (ReportCurve& curve : figure.curves)
            curve.x << row.worldSize;
        figure.curves[0].y << row.sequencesPerSecond;
        figure.curves[1].y << base.sequencesPerSecond * row.worldSize / base.worldSize;
    }
    return figure;
}

ReportFigure efficiencyFigure(const ScalingStudy& study)
{
    ReportFigure figure{"Scaling efficiency over ranks, " + study.model, "ranks", "efficiency (%)"};
    figure.curves = {{"measured", {}, {}, Look::Marked}, {"ideal", {}, {}, Look::Dashed}};
    figure.fromZero = true;
    for (const ScalingRow& row : study.rows) {
        for (ReportCurve& curve : figure.curves)
            curve.x << row.worldSize;
        figure.curves[0].y << row.efficiency * 100;
        figure.curves[1].y << 100;
    }
    return figure;
}

/// What others reached with the same model, for comparison. Their instances are not known here.
void addPublished(const ScalingStudy& study, const Runs& runs, QList<ReportBlock>& blocks)
{
    const ModelSpec& model = runOf(study.rows.front(), runs).facts.spec->model;
    for (const PublishedCurve& curve : publishedCurvesOf(model)) {
        ReportTable table{
            QStringLiteral("Published: %1 (%2)")
                .arg(QString::fromStdString(curve.title), QString::fromStdString(curve.source)),
            {"model", "accelerators", "sequences/s", "sequences/s per accelerator", "efficiency"},
            {}};
        for (const PublishedPoint& point : curve.points)
            table.rows << QStringList{
                study.model, QString::number(point.devices), displayNumber(point.sequencesPerSecond),
                displayNumber(point.sequencesPerSecond / point.devices), displayPercent(point.efficiency)};
        blocks << table;
    }
}

} // namespace

std::vector<ScalingStudy> scalingStudies(const Runs& runs)
{
    std::vector<std::pair<ModelSpec, QList<ScalingPoint>>> byModel;
    for (const RecordedRun& run : runs) {
        if (!run.facts.spec)
            continue;
        const ModelSpec& model = run.facts.spec->model;
        auto group = std::ranges::find(byModel, model, &std::pair<ModelSpec, QList<ScalingPoint>>::first);
        if (group == byModel.end())
            group = byModel.insert(byModel.end(), {model, {}});
        group->second << ScalingPoint{run.facts.id, worldSizeOf(run), run.facts.spec->batch.global,
                                      recentSequencesPerSecond(run.series)};
    }
    std::vector<ScalingStudy> studies;
    for (const auto& [model, points] : byModel) {
        if (const QList<ScalingRow> rows = scalingTable(points); !rows.isEmpty())
            studies.push_back({modelWords(model), rows});
    }
    return studies;
}

ReportSection scalingSection(const Runs& runs)
{
    ReportSection section{"Scaling", {}};
    for (const ScalingStudy& study : scalingStudies(runs)) {
        section.blocks << throughputFigure(study) << efficiencyFigure(study) << studyTable(study, runs);
        addPublished(study, runs, section.blocks);
    }
    return section;
}

} // namespace trainyard
