#pragma once

#include <limits>
#include <vector>

#include <QList>
#include <QString>

#include "app/base/text_table_model.h"
#include "app/runs/run_database.h"
#include "engine/planner/scaling/published_curve.h"

namespace trainyard {

class HardwareLibrary;
struct RunFacts;

/// A run of the history that trains the same model.
struct StudyPoint {
    static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

    QString runId;
    QString name;
    int worldSize = 0;
    int globalBatch = 0; ///< sequences
    double sequencesPerSecond = 0;
    // Known where it has the same evaluation.target as the run whose study it is, and reached it.
    double secondsToTarget = kUnknown;
    double tokensToTarget = kUnknown;
    double costToTarget = kUnknown; ///< at the present price of its hosts, in `currency`
    QString currency{};
    double efficiency = 1;         ///< of a rank's throughput, against that of the baseline
    double utilisation = kUnknown; ///< MFU, of StudyPeak

    double perRank() const { return sequencesPerSecond / worldSize; }
};

/// The peak that utilisation refers to.
struct StudyPeak {
    QString device;
    double rate = 0; ///< operations per second, dense, in the type that the run computes in; 0 = unknown
};

/// How a model scales, measured on the runs of the history.
///
/// Strong: constant global batch, so each rank has less work. Weak: constant batch per rank. Includes runs of
/// the same model, precision, data set and batch (in that sense); the fastest of several runs of one size. A
/// run with phases or a growing batch counts as what its newest steps are.
/// Efficiency is throughput per rank divided by that of the baseline, 1 in the ideal case.
struct ScalingStudy {
    QList<StudyPoint> strong; ///< ascending world size
    QList<StudyPoint> weak;
    StudyPeak peak;
    std::vector<PublishedCurve> published{}; ///< of the same model

    bool isEmpty() const { return strong.isEmpty() && weak.isEmpty(); }
};

/// `baseline`: a run id; the smallest run is the baseline of a curve that lacks it. Empty without a known
/// specification.
ScalingStudy scalingStudy(const QList<RunEntry>& runs, const RunFacts& of, const QString& baseline,
                          const HardwareLibrary& hardware);

/// Returns a row for each point: ranks, batch, throughput, speed-up over the first, efficiency, MFU,
/// and time, tokens and cost to the target where any of them reached it.
TextTable studyTable(const QList<StudyPoint>& points);
/// Describes the peak: "MFU of 989 TFLOP/s, dense, of an H100"; empty while it is unknown.
QString peakText(const StudyPeak& peak);

} // namespace trainyard
