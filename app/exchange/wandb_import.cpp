#include "app/exchange/wandb_import.h"

#include <algorithm>
#include <fstream>
#include <set>

#include <QDateTime>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "app/base/display_text.h"
#include "app/exchange/column_table.h"
#include "app/exchange/json_number.h"
#include "app/exchange/yaml_texts.h"
#include "engine/base/file.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMaxHistorySeries = 100'000;
constexpr int kLinesBetweenReports = 1000;
constexpr qsizetype kMaxNamedKinds = 5;

/// Gathers lines of a history into series.
class HistoryCollector {
public:
    void take(const QByteArray& line)
    {
        const QJsonDocument document = QJsonDocument::fromJson(line);
        if (!document.isObject()) {
            ++m_damagedLines;
            return;
        }
        const QJsonObject values = document.object();
        m_place.step = values[QStringLiteral("_step")].toDouble(double(m_lines++));
        m_place.wallSeconds = values[QStringLiteral("_timestamp")].toDouble();
        takeObject(values, {});
    }

    /// The series, in order of their names.
    std::vector<PointSeries> series() &&
    {
        std::vector<PointSeries> all;
        for (auto& [name, points] : m_points) {
            putInOrder(points);
            all.push_back({name, std::move(points)});
        }
        return all;
    }

    QStringList warnings(const fs::path& file) const
    {
        QStringList warnings;
        if (m_damagedLines > 0)
            warnings << QStringLiteral("%1: skipped %2 that %3 not JSON")
                            .arg(QString::fromStdString(file.string()),
                                 displayCounted(m_damagedLines, "line"),
                                 m_damagedLines == 1 ? QStringLiteral("is") : QStringLiteral("are"));
        if (!m_others.empty()) {
            QStringList names(m_others.begin(), m_others.end());
            const qsizetype more = names.size() - kMaxNamedKinds;
            names = names.mid(0, kMaxNamedKinds);
            if (more > 0)
                names << QStringLiteral("%1 more").arg(more);
            warnings
                << QStringLiteral("left out what has no numbers: %1").arg(names.join(QStringLiteral(", ")));
        }
        return warnings;
    }

private:
    void takeObject(const QJsonObject& object, const QString& prefix)
    {
        // Histograms, images and tables are objects with their kind in "_type".
        if (object.contains(QStringLiteral("_type"))) {
            m_others.insert(prefix);
            return;
        }
        for (auto entry = object.begin(); entry != object.end(); ++entry) {
            if (prefix.isEmpty() && entry.key().startsWith(u'_')) // _step, _timestamp, _runtime and the like
                continue;
            takeValue(entry.value(), prefix.isEmpty() ? entry.key() : prefix + u'.' + entry.key());
        }
    }
    void takeValue(const QJsonValue& value, const QString& name)
    {
        if (value.isObject())
            return takeObject(value.toObject(), name);
        const auto number = numberOf(value);
        if (!number && !value.isNull())
            m_others.insert(name);
        if (!number || (m_points.size() == kMaxHistorySeries && !m_points.contains(name)))
            return;
        m_points[name].push_back({m_place.step, m_place.wallSeconds, *number});
    }

    std::map<QString, std::vector<SeriesPoint>> m_points;
    std::set<QString> m_others;
    SeriesPoint m_place;
    qint64 m_lines = 0;
    qint64 m_damagedLines = 0;
};

/// In a run's folder the file lies in RUN/files, and artifacts are RUN-history/0000.parquet; its name alone
/// would say nothing.
QString historyName(const fs::path& file)
{
    const fs::path folder = fs::absolute(file).parent_path();
    const std::string stem = file.stem();
    const bool isNumber = stem.find_first_not_of("0123456789") == std::string::npos;
    const bool isInRun = file.filename() == "wandb-history.jsonl" || (isParquet(file) && isNumber);
    const fs::path name = !isInRun                       ? file.stem()
                          : folder.filename() == "files" ? folder.parent_path().filename()
                                                         : folder.filename();
    return QString::fromStdString(name.string());
}

/// W&B keeps a setting as {desc, value}, its own under "_wandb".
void addConfig(const fs::path& folder, LoadedRun& run)
{
    std::error_code problem;
    const fs::path file =
        fs::exists(folder / "config.yaml", problem) ? folder / "config.yaml" : folder / "config.json";
    if (!fs::exists(file, problem))
        return;
    const auto config = readYamlTexts(file); // JSON is YAML
    if (!config.ok()) {
        run.warnings << QString::fromStdString(config.error().message);
        return;
    }
    for (const auto& [name, text] : *config) {
        QString setting = name;
        if (setting.startsWith(QStringLiteral("_wandb")) || setting == u"wandb_version" ||
            setting.endsWith(u".desc"))
            continue;
        setting.replace(QStringLiteral(".value"), QString());
        run.import.texts[QStringLiteral("config/") + setting] = text;
    }
}

void nameMedia(const fs::path& folder, QStringList& warnings)
{
    std::error_code problem;
    if (fs::is_directory(folder / "media", problem))
        warnings << QStringLiteral("left out the folder media");
}

Status readLines(const fs::path& file, const ImportGoesOn& goesOn, HistoryCollector& history)
{
    std::ifstream lines(file);
    if (!lines)
        return badInput(file.string() + ": cannot be read", "check the path and its permissions");
    std::error_code ignored;
    const double bytes = double(std::max<std::uintmax_t>(1, fs::file_size(file, ignored)));
    double read = 0;
    int untilReport = kLinesBetweenReports;
    for (std::string line; std::getline(lines, line);) {
        read += double(line.size()) + 1;
        if (!line.empty())
            history.take(QByteArray::fromStdString(line));
        if (--untilReport > 0 || !goesOn)
            continue;
        untilReport = kLinesBetweenReports;
        if (!goesOn(std::min(1.0, read / bytes)))
            return cancelled("the import was cancelled");
    }
    return {};
}

/// How many rows there are is not known before the end.
Status readRows(const fs::path& file, const ImportGoesOn& goesOn, HistoryCollector& history)
{
    bool isCancelled = false;
    int untilReport = kLinesBetweenReports;
    TRAINYARD_TRY_STATUS(readColumnTable(file, [&](const QByteArray& row) {
        history.take(row);
        if (goesOn && --untilReport <= 0) {
            untilReport = kLinesBetweenReports;
            isCancelled = !goesOn(0);
        }
        return !isCancelled;
    }));
    return isCancelled ? Status(cancelled("the import was cancelled")) : Status();
}

} // namespace

bool isWandbHistory(const fs::path& file)
{
    return file.extension() == ".jsonl" || isParquet(file);
}

Result<LoadedRun> loadWandbHistory(const fs::path& file, const ImportGoesOn& goesOn)
{
    HistoryCollector history;
    TRAINYARD_TRY_STATUS(isParquet(file) ? readRows(file, goesOn, history)
                                         : readLines(file, goesOn, history));
    LoadedRun run;
    run.warnings = history.warnings(file);
    run.import.name = historyName(file);
    run.import.format = QStringLiteral("W&B");
    run.import.source = QString::fromStdString(fs::absolute(file).lexically_normal().string());
    run.import.importedMs = QDateTime::currentMSecsSinceEpoch();
    run.series = std::move(history).series();
    if (run.series.empty())
        return badInput(file.string() + ": no line has a number",
                        "export the run's history as JSON lines or Parquet");
    addConfig(fs::absolute(file).parent_path(), run);
    nameMedia(fs::absolute(file).parent_path(), run.warnings);
    QStringList names;
    for (const PointSeries& series : run.series)
        names << series.name;
    run.import.metrics = guessMetrics(names);
    return run;
}

} // namespace trainyard
