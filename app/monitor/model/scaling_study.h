#pragma once

#include <limits>
#include <vector>

#include <QList>
#include <QString>

#include "app/base/text_table_model.h"
#include "app/runs/run_entry.h"
#include "engine/planner/scaling/published_curve.h"

namespace trainyard {

class HardwareLibrary;
struct RunFacts;

/// One run of the history that trains the same model as another.
struct StudyPoint {
    static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

    QString runId;
    QString name;
    int worldSize = 0;
    int globalBatch = 0; ///< sequences
    double sequencesPerSecond = 0;
    double efficiency = 1;         ///< of a rank's throughput, against that of the baseline
    double utilisation = kUnknown; ///< MFU, of StudyPeak

    double perRank() const { return sequencesPerSecond / worldSize; }
};

/// What a model's operations are a share of, so that the share means something.
struct StudyPeak {
    QString device;
    double rate = 0; ///< operations per second, dense, in the type that the run computes in; 0 = unknown
};

/// How a model scales, by the runs that were made of it.
///
/// Strong: the global batch stays, so that more ranks have less to do each. Weak: each rank's share of it
/// stays. Runs of one model, precision and data set, and of the run's own batch in that sense; of several
/// runs of one size the fastest. Efficiency is throughput per rank over that of the baseline, 1 in the ideal
/// case.
struct ScalingStudy {
    QList<StudyPoint> strong; ///< ascending world size
    QList<StudyPoint> weak;
    StudyPeak peak;
    std::vector<PublishedCurve> published{}; ///< of the same model

    bool isEmpty() const { return strong.isEmpty() && weak.isEmpty(); }
};

/// `baseline`: a run's id; where it is not among the points of a curve, the smallest is the baseline. Without
/// a known specification nothing.
ScalingStudy scalingStudy(const QList<RunEntry>& runs, const RunFacts& of, const QString& baseline,
                          const HardwareLibrary& hardware);

/// A row for each point: ranks, batch, throughput, speed-up against the first, efficiency, MFU.
TextTable studyTable(const QList<StudyPoint>& points);
/// "MFU of 989 TFLOP/s, dense, of an H100"; empty while the peak is not known.
QString peakWords(const StudyPeak& peak);

} // namespace trainyard
