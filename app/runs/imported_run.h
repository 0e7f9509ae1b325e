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

/// What a series of an import is taken for in the history and in charts of steps.
enum class ImportedFigure { Loss, LearningRate, GradientNorm, Samples, Tokens };
constexpr int kImportedFigures = 5;
QString nameOf(ImportedFigure figure); ///< "loss", "learning_rate", ...

/// The series of each figure, by name; figures that no series stands for are left out.
using FigureSeries = std::map<ImportedFigure, QString>;

/// By their names, as tools and people usually call them: "train/loss", "learning-rate", "grad_norm".
FigureSeries guessFigures(const QStringList& seriesNames);

/// Where an imported run came from, and its series. `run.json` and `series` in the run's folder.
struct RunImport {
    QString name;
    QString format; ///< "TensorBoard", "CSV"
    QString source; ///< file or folder, as it was given
    qint64 importedMs = 0;
    FigureSeries figures;
    std::map<QString, QString> texts; ///< notes that came with it, by their tag
    QStringList tags;                 ///< for its entry in the history
    std::vector<SeriesTable> tables;
};

/// One value of a series.
struct SeriesPoint {
    double step = 0;
    double wallSeconds = 0; ///< since 1970-01-01 UTC; 0 = not known
    double value = 0;

    bool operator==(const SeriesPoint&) const = default;
};

struct PointSeries {
    QString name;
    std::vector<SeriesPoint> points;
};

/// Points in order of step, each step once: a later point of a step replaces the one before it. Wall time
/// never goes back.
void putInOrder(std::vector<SeriesPoint>& points);

/// Makes the folder of a run from series in order, in one instant, and gives the run's id. `import.tables` is
/// not looked at; series of the same steps and times share a table.
Result<QString> writeImportedRun(const std::filesystem::path& runsFolder, const RunImport& import,
                                 std::span<const PointSeries> series);

/// BadInput when one of the two files is missing or damaged.
Result<RunImport> readRunImport(const std::filesystem::path& runFolder);
bool isImportedRun(const std::filesystem::path& runFolder);

/// The imported figures as steps of a run that is over: a row for each step that has a loss, with the newest
/// value of each other figure; figures that were not imported are NaN. Columns of the series file are taken
/// as they lie there, so a run of millions of rows opens at once.
RunSeries stepsOf(const RunImport& import);

} // namespace trainyard
