#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <vector>

#include <QList>
#include <QString>

#include "app/runs/run_series.h"
#include "app/series/series_file.h"
#include "engine/base/result.h"

namespace trainyard {

/// The metrics of a run's steps that an imported series can stand for.
enum class ImportedMetric { Loss, LearningRate, GradientNorm, Samples, Tokens };
constexpr int kImportedMetrics = 5;
QString nameOf(ImportedMetric metric); ///< "loss", "learning_rate", ...

/// Names of series by metric; metrics without a series are absent.
using MetricSeries = std::map<ImportedMetric, QString>;

/// Guesses the metrics from usual names: "train/loss", "learning-rate", "grad_norm".
MetricSeries guessMetrics(const QStringList& seriesNames);

/// The source of an imported run and its series: `run.json` and `series` in the run's folder.
struct RunImport {
    QString name;
    QString format; ///< "TensorBoard", "CSV"
    QString source; ///< file or folder, as given by the user
    qint64 importedMs = 0;
    MetricSeries metrics;
    std::map<QString, QString> texts; ///< imported notes, by tag
    QStringList tags;                 ///< for its entry in the history
    std::vector<SeriesTable> tables;
};

/// One value of a series.
struct SeriesPoint {
    double step = 0;
    double wallSeconds = 0; ///< since 1970-01-01 UTC; 0 = unknown
    double value = 0;

    bool operator==(const SeriesPoint&) const = default;
};

struct PointSeries {
    QString name;
    std::vector<SeriesPoint> points;
};

/// Sorts points by step and keeps the last point of each step. Makes wall time monotonic.
void putInOrder(std::vector<SeriesPoint>& points);

/// Creates a run's folder atomically from series ordered by putInOrder(), and returns the run's id. Ignores
/// `import.tables`; series with the same steps and times share a table.
Result<QString> writeImportedRun(const std::filesystem::path& runsFolder, const RunImport& import,
                                 std::span<const PointSeries> series);

/// Reads the import of a run's folder. BadInput when one of the two files is missing or damaged.
Result<RunImport> readRunImport(const std::filesystem::path& runFolder);
bool isImportedRun(const std::filesystem::path& runFolder);

/// Returns the imported series as steps of a finished run: a row for each step with a loss, with the newest
/// value of each other metric; metrics that were not imported are NaN. Uses the columns of the series file
/// without copying, so a run of millions of rows opens at once.
RunSeries stepsOf(const RunImport& import);

} // namespace trainyard
