#include "app/exchange/mlflow_import.h"

#include <algorithm>
#include <sstream>

#include <QDateTime>

#include "app/base/display_text.h"
#include "app/exchange/yaml_texts.h"
#include "engine/base/file.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMaxMetrics = 100'000;
constexpr std::size_t kMaxParamLength = 1 << 20;

/// Files of a folder and below it, in order of their names: a metric "val/loss" lies in a folder.
std::vector<fs::path> filesBelow(const fs::path& folder)
{
    std::vector<fs::path> files;
    std::error_code problem;
    for (fs::recursive_directory_iterator it(folder, problem), end; it != end && !problem;
         it.increment(problem)) {
        std::error_code ignored; // a file that vanished while we look is none
        if (it->is_regular_file(ignored))
            files.push_back(it->path());
    }
    std::ranges::sort(files);
    return files;
}

QString nameBelow(const fs::path& file, const fs::path& folder)
{
    return QString::fromStdString(file.lexically_relative(folder).generic_string());
}

/// Of "milliseconds value step", in older stores without the step.
bool readPoint(const std::string& line, double countedStep, SeriesPoint& point)
{
    const QStringList words = toQString(line).simplified().split(u' ');
    bool isTime = false;
    bool isValue = false;
    bool isStep = true;
    if (words.size() < 2 || words.size() > 3)
        return false;
    point.wallSeconds = words[0].toDouble(&isTime) / 1000;
    point.value = words[1].toDouble(&isValue);
    point.step = words.size() == 3 ? words[2].toDouble(&isStep) : countedStep;
    return isTime && isValue && isStep;
}

Result<PointSeries> loadMetric(const fs::path& file, const QString& name, QStringList& warnings)
{
    TRAINYARD_TRY(const std::string text, readFile(file));
    PointSeries series{name, {}};
    std::istringstream lines(text);
    int skipped = 0;
    for (std::string line; std::getline(lines, line);) {
        SeriesPoint point;
        if (readPoint(line, double(series.points.size()), point))
            series.points.push_back(point);
        else
            skipped += line.empty() ? 0 : 1;
    }
    if (skipped > 0)
        warnings << QStringLiteral("%1: skipped %2 without time, value and step")
                        .arg(QString::fromStdString(file.string()), displayCounted(skipped, "line"));
    putInOrder(series.points);
    return series;
}

/// Values of the files of a folder, by their names.
void addTexts(const fs::path& folder, const QString& prefix, std::map<QString, QString>& texts)
{
    for (const fs::path& file : filesBelow(folder)) {
        const QString name = nameBelow(file, folder);
        const auto text = readFile(file);
        if (text.ok() && !name.startsWith(QStringLiteral("mlflow."))) // those are MLflow's own
            texts[prefix + name] = toQString(text->substr(0, kMaxParamLength));
    }
}

QString runNameOf(const fs::path& folder, const std::map<QString, QString>& meta)
{
    const auto named = meta.find(QStringLiteral("run_name"));
    if (named != meta.end() && !named->second.isEmpty())
        return named->second;
    const auto tag = readFile(folder / "tags" / "mlflow.runName");
    return tag.ok() && !tag->empty() ? toQString(*tag).simplified()
                                     : QString::fromStdString(folder.filename().string());
}

} // namespace

bool isMlflowRun(const fs::path& folder)
{
    std::error_code problem;
    return fs::is_regular_file(folder / "meta.yaml", problem) &&
           fs::is_directory(folder / "metrics", problem);
}

Result<LoadedRun> loadMlflowRun(const fs::path& folder, const ImportGoesOn& goesOn)
{
    TRAINYARD_TRY(const auto meta, readYamlTexts(folder / "meta.yaml"));
    LoadedRun run;
    run.import.name = runNameOf(folder, meta);
    run.import.format = QStringLiteral("MLflow");
    run.import.source = QString::fromStdString(fs::absolute(folder).lexically_normal().string());
    run.import.importedMs = QDateTime::currentMSecsSinceEpoch();
    const std::vector<fs::path> metrics = filesBelow(folder / "metrics");
    QStringList names;
    for (std::size_t i = 0; i < std::min(metrics.size(), kMaxMetrics); ++i) {
        if (goesOn && !goesOn(double(i) / double(metrics.size())))
            return cancelled("the import was cancelled");
        TRAINYARD_TRY(PointSeries series,
                      loadMetric(metrics[i], nameBelow(metrics[i], folder / "metrics"), run.warnings));
        names << series.name;
        if (!series.points.empty())
            run.series.push_back(std::move(series));
    }
    addTexts(folder / "params", QStringLiteral("param/"), run.import.texts);
    addTexts(folder / "tags", QStringLiteral("tag/"), run.import.texts);
    if (const auto artifacts = filesBelow(folder / "artifacts"); !artifacts.empty())
        run.warnings
            << QStringLiteral("left out %1").arg(displayCounted(qint64(artifacts.size()), "artifact"));
    run.import.metrics = guessMetrics(names);
    return run;
}

} // namespace trainyard
