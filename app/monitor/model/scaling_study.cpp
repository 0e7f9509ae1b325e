#include "app/monitor/model/scaling_study.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <QObject>

#include "app/base/display_text.h"
#include "app/plan/hardware_library.h"
#include "app/runs/recorded_run.h"
#include "app/runs/time_to_target.h"
#include "engine/planner/time/step_stats.h"
#include "engine/spec/phases/batch_ramp.h"
#include "engine/spec/phases/phases.h"
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
    return model == b.model && a.precision.compute == b.precision.compute && a.dataset == b.dataset &&
           a.batch.packing == b.batch.packing;
}

/// Uses the latest world size, which a resume may have changed.
double batchPerRank(const StudyPoint& run)
{
    return double(run.globalBatch) / run.worldSize;
}

/// The phase of the run's newest step, whose throughput is known, at the batch of that step.
RunSpec measuredPhase(const RunSpec& run, std::int64_t step)
{
    const int phase = phaseOfStep(run, step);
    const RunSpec spec = specOfPhase(run, phase);
    const auto stretches = BatchRamp(spec.batch).stretches(step - stepsBefore(run, phase));
    const bool grows = spec.batch.ramp.isOn() && !stretches.empty();
    return grows ? atGlobalBatch(spec, stretches.back().global) : spec;
}

RunSpec phaseOf(const RunFacts& facts, const QList<RunEntry>& runs)
{
    const auto own = std::ranges::find(runs, facts.id, &RunEntry::id);
    return specOfStep(*facts.spec, own == runs.end() ? 0 : own->step);
}

/// `of`: a phase; `target`: of the run that it belongs to.
QList<Measured> measuredRuns(const QList<RunEntry>& runs, const RunSpec& of, const EvaluationSpec& target)
{
    QList<Measured> found;
    for (const RunEntry& entry : runs) {
        if (entry.worldSize < 1 || !(entry.sequencesPerSecond > 0) || entry.spec.isEmpty())
            continue;
        const ParsedSpec parsed = parseSpec(entry.spec.toStdString());
        if (!parsed.diagnostics.empty())
            continue;
        const RunSpec measured = measuredPhase(parsed.spec, entry.step);
        if (!isComparable(measured, of))
            continue;
        found.append({{entry.id, oneLine(entry.name), entry.worldSize, measured.batch.global,
                       entry.sequencesPerSecond},
                      measured});
        if (haveSameTarget(targetOf(parsed.spec), target)) {
            found.last().point.secondsToTarget = entry.secondsToTarget;
            found.last().point.tokensToTarget = entry.tokensToTarget;
        }
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

const RunSpec& specOfPoint(const StudyPoint& point, const QList<Measured>& runs)
{
    return std::ranges::find_if(runs, [&](const Measured& run) { return run.point.runId == point.runId; })
        ->spec;
}

void fillCost(QList<StudyPoint>& points, const QList<Measured>& runs, const HardwareLibrary& hardware)
{
    for (StudyPoint& point : points) {
        if (!std::isfinite(point.secondsToTarget))
            continue;
        const Price price = hardware.priceOf(specOfPoint(point, runs));
        point.costToTarget = price.costOf(point.secondsToTarget);
        point.currency = QString::fromStdString(price.currency);
    }
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
        const double seconds = point.globalBatch / point.sequencesPerSecond;
        point.utilisation = stepStats(specOfPoint(point, runs), shape, peak, seconds).modelUtilization;
    }
}

QString costText(const StudyPoint& point)
{
    const QString amount = displayNumber(point.costToTarget);
    return std::isfinite(point.costToTarget) ? amount + u' ' + point.currency : amount;
}

} // namespace

ScalingStudy scalingStudy(const QList<RunEntry>& runs, const RunFacts& of, const QString& baseline,
                          const HardwareLibrary& hardware)
{
    ScalingStudy study;
    if (!of.spec)
        return study;
    const RunSpec spec = phaseOf(of, runs);
    const QList<Measured> measured = measuredRuns(runs, spec, targetOf(*of.spec));
    study.strong = curveOf(measured, baseline,
                           [&](const StudyPoint& run) { return run.globalBatch == spec.batch.global; });
    const double perRank = double(spec.batch.global) / of.specNow()->layout.worldSize();
    study.weak = curveOf(measured, baseline, [perRank](const StudyPoint& run) {
        return std::fabs(batchPerRank(run) - perRank) < 0.5;
    });
    fillCost(study.strong, measured, hardware);
    fillCost(study.weak, measured, hardware);
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
    const bool hasCost = std::ranges::any_of(
        points, [](const StudyPoint& point) { return std::isfinite(point.costToTarget); });
    if (hasTarget)
        table.columns << QObject::tr("To target") << QObject::tr("Tokens");
    if (hasCost)
        table.columns << QObject::tr("Cost");
    for (const StudyPoint& point : points) {
        const double speedUp = point.sequencesPerSecond / points.first().sequencesPerSecond;
        table.rows.append({displayCount(point.worldSize), point.name, displayCount(point.globalBatch),
                           displayNumber(point.sequencesPerSecond), displayNumber(speedUp) + u'×',
                           displayPercent(point.efficiency), displayPercent(point.utilisation)});
        if (hasTarget)
            table.rows.last() << displaySeconds(point.secondsToTarget) << displayLarge(point.tokensToTarget);
        if (hasCost)
            table.rows.last() << costText(point);
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
