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

/// The roles that imported series can have in the history and in charts of steps.
enum class ImportedFigure { Loss, LearningRate, GradientNorm, Samples, Tokens };
constexpr int kImportedFigures = 5;
QString nameOf(ImportedFigure figure); ///< "loss", "learning_rate", ...

/// Series by role; roles without a series are absent.
using FigureSeries = std::map<ImportedFigure, QString>;

/// Guesses the roles from usual names: "train/loss", "learning-rate", "grad_norm".
FigureSeries guessFigures(const QStringList& seriesNames);

/// The source of an imported run and its series: `run.json` and `series` in the run's folder.
struct RunImport {
    QString name;
    QString format; ///< "TensorBoard", "CSV"
    QString source; ///< file or folder, as given by the user
    qint64 importedMs = 0;
    FigureSeries figures;
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

/// Makes the folder of a run from series in order, in one instant, and gives the run's id. `import.tables` is
/// not looked at; series of the same steps and times share a table.
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
