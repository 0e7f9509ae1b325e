#include "app/monitor/model/scaling_study.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <QObject>

#include "app/base/display_text.h"
#include "app/plan/hardware_library.h"
#include "app/runs/recorded_run.h"
#include "engine/planner/time/step_stats.h"
#include "engine/spec/spec_json.h"

namespace trainyard {

namespace {

struct Measured {
    StudyPoint point;
    RunSpec spec;
};

/// True when both do the same work, on any number of ranks.
bool isComparable(const RunSpec& a, const RunSpec& b)
{
    ModelSpec model = a.model;
    model.preset = b.model.preset; // only the origin of the values
    return model == b.model && a.precision.compute == b.precision.compute &&
           a.dataset.path == b.dataset.path && a.batch.packing == b.batch.packing;
}

/// Uses the latest world size, which a resume may have changed.
double batchPerRank(const StudyPoint& run)
{
    return double(run.globalBatch) / run.worldSize;
}

double timeToSameTarget(const RunEntry& entry, const RunSpec& spec, const RunSpec& of)
{
    const bool isSame =
        spec.evaluation.target == of.evaluation.target && spec.evaluation.metric == of.evaluation.metric;
    return isSame ? entry.secondsToTarget : StudyPoint::kUnknown;
}

QList<Measured> measuredRuns(const QList<RunEntry>& runs, const RunSpec& of)
{
    QList<Measured> found;
    for (const RunEntry& entry : runs) {
        if (entry.worldSize < 1 || !(entry.sequencesPerSecond > 0) || entry.spec.isEmpty())
            continue;
        const ParsedSpec parsed = parseSpec(entry.spec.toStdString());
        if (parsed.diagnostics.empty() && isComparable(parsed.spec, of))
            found.append({{entry.id, oneLine(entry.name), entry.worldSize, parsed.spec.batch.global,
                           entry.sequencesPerSecond, timeToSameTarget(entry, parsed.spec, of)},
                          parsed.spec});
    }
    return found;
}

/// Returns the fastest run of each size that `belongs`, relative to the baseline; empty for fewer than two
/// sizes.
template <typename Belongs>
QList<StudyPoint> curveOf(const QList<Measured>& runs, const QString& baseline, Belongs belongs)
{
    std::map<int, StudyPoint> bySize;
    for (const Measured& run : runs) {
        if (!belongs(run.point))
            continue;
        StudyPoint& best = bySize[run.point.worldSize];
        // The chosen baseline represents its size, even if another run is faster.
        const bool isChosen = run.point.runId == baseline;
        const bool isFixed = best.worldSize > 0 && best.runId == baseline;
        if (isChosen || (!isFixed && run.point.sequencesPerSecond > best.sequencesPerSecond))
            best = run.point;
    }
    QList<StudyPoint> points;
    for (const auto& [size, point] : bySize)
        points.append(point);
    if (points.size() < 2)
        return {};
    const auto picked = std::ranges::find(points, baseline, &StudyPoint::runId);
    const double base = picked == points.end() ? points.first().perRank() : picked->perRank();
    for (StudyPoint& point : points)
        point.efficiency = point.perRank() / base;
    return points;
}

const DeviceModel* deviceOf(const RunSpec& spec, const HardwareLibrary& hardware, NodeModel& node)
{
    if (spec.cluster.nodes.empty() || spec.cluster.nodes.front().hardware.empty())
        return nullptr;
    auto found = hardware.find(spec.cluster.nodes.front().hardware);
    if (!found.ok())
        return nullptr;
    node = std::move(found).value();
    return &node.device;
}

/// `shape` applies to all points, because they use the same data set.
void fillUtilisation(QList<StudyPoint>& points, const QList<Measured>& runs, const SequenceShape& shape,
                     double peak)
{
    for (StudyPoint& point : points) {
        const auto run = std::ranges::find_if(
            runs, [&](const Measured& measured) { return measured.point.runId == point.runId; });
        const double seconds = point.globalBatch / point.sequencesPerSecond;
        point.utilisation = stepStats(run->spec, shape, peak, seconds).modelUtilization;
    }
}

} // namespace

ScalingStudy scalingStudy(const QList<RunEntry>& runs, const RunFacts& of, const QString& baseline,
                          const HardwareLibrary& hardware)
{
    ScalingStudy study;
    if (!of.spec)
        return study;
    const QList<Measured> measured = measuredRuns(runs, *of.spec);
    study.strong = curveOf(measured, baseline,
                           [&](const StudyPoint& run) { return run.globalBatch == of.spec->batch.global; });
    const double perRank = double(of.spec->batch.global) / of.specNow()->layout.worldSize();
    study.weak = curveOf(measured, baseline, [perRank](const StudyPoint& run) {
        return std::fabs(batchPerRank(run) - perRank) < 0.5;
    });
    study.published = publishedCurvesOf(of.spec->model);
    NodeModel node;
    const DeviceModel* device = deviceOf(*of.spec, hardware, node);
    if (!device || !of.dataSet)
        return study;
    study.peak = {QString::fromStdString(device->name), device->peak.of(of.spec->precision.compute)};
    const SequenceShape shape{of.dataSet->sequenceLength, of.dataSet->maxPredictions};
    fillUtilisation(study.strong, measured, shape, study.peak.rate);
    fillUtilisation(study.weak, measured, shape, study.peak.rate);
    return study;
}

TextTable studyTable(const QList<StudyPoint>& points)
{
    TextTable table{{QObject::tr("Ranks"), QObject::tr("Run"), QObject::tr("Global batch"),
                     QObject::tr("seq/s"), QObject::tr("Speed-up"), QObject::tr("Efficiency"),
                     QObject::tr("MFU")},
                    {}};
    const bool hasTarget = std::ranges::any_of(
        points, [](const StudyPoint& point) { return std::isfinite(point.secondsToTarget); });
    if (hasTarget)
        table.columns.append(QObject::tr("To target"));
    for (const StudyPoint& point : points) {
        const double speedUp = point.sequencesPerSecond / points.first().sequencesPerSecond;
        table.rows.append({displayCount(point.worldSize), point.name, displayCount(point.globalBatch),
                           displayNumber(point.sequencesPerSecond), displayNumber(speedUp) + u'×',
                           displayPercent(point.efficiency), displayPercent(point.utilisation)});
        if (hasTarget)
            table.rows.last().append(displaySeconds(point.secondsToTarget));
    }
    return table;
}

QString peakText(const StudyPeak& peak)
{
    return peak.rate > 0 ? QObject::tr("MFU: share of %1 TFLOP/s, the dense peak of %2")
                               .arg(displayNumber(peak.rate / 1e12), oneLine(peak.device))
                         : QString();
}

} // namespace trainyard
