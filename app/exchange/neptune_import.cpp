#include "app/exchange/neptune_import.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include <QDateTime>
#include <QJsonDocument>
#include <QJsonObject>

#include "app/exchange/column_table.h"
#include "app/exchange/json_number.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

constexpr int kRowsBetweenReports = 1000;
constexpr qsizetype kMaxNamedAttributes = 5;

QJsonObject rowOf(const QByteArray& line)
{
    return QJsonDocument::fromJson(line).object();
}

QString textIn(const QJsonObject& row, const char* column)
{
    return row[QLatin1String(column)].toString();
}

/// Gathers the rows of one run.
class NeptuneRows {
public:
    void take(const QJsonObject& row)
    {
        const QString path = textIn(row, "attribute_path");
        const auto number = numberOf(row[QLatin1String("float_value")]);
        const QJsonValue step = row[QLatin1String("step")];
        if (number && step.isDouble())
            m_points[path].push_back({step.toDouble(), row[QLatin1String("timestamp")].toDouble(), *number});
        else if (const auto text = singleValue(row))
            m_texts[path] = *text;
        else
            m_others.insert(path);
    }

    LoadedRun run(const NeptuneRun& of) &&
    {
        LoadedRun run;
        const auto name = m_texts.find(QStringLiteral("sys/name"));
        run.import.name = name != m_texts.end() && !name->second.isEmpty() ? name->second : of.id;
        run.import.format = QStringLiteral("Neptune");
        run.import.source =
            QString::fromStdString(fs::absolute(of.files.front()).lexically_normal().string());
        run.import.importedMs = QDateTime::currentMSecsSinceEpoch();
        for (const auto& [path, text] : m_texts)
            run.import.texts[QStringLiteral("config/") + path] = text;
        QStringList names;
        for (auto& [path, points] : m_points) {
            putInOrder(points);
            names << path;
            run.series.push_back({path, std::move(points)});
        }
        run.import.metrics = guessMetrics(names);
        run.warnings = warnings();
        return run;
    }

private:
    static std::optional<QString> singleValue(const QJsonObject& row)
    {
        for (const char* column : {"string_value", "float_value", "int_value", "bool_value"}) {
            const QJsonValue value = row[QLatin1String(column)];
            if (!value.isNull() && !value.isUndefined() && row[QLatin1String("step")].isNull())
                return value.toVariant().toString();
        }
        return std::nullopt;
    }

    QStringList warnings() const
    {
        if (m_others.empty())
            return {};
        QStringList names(m_others.begin(), m_others.end());
        const qsizetype more = names.size() - kMaxNamedAttributes;
        names = names.mid(0, kMaxNamedAttributes);
        if (more > 0)
            names << QStringLiteral("%1 more").arg(more);
        return {QStringLiteral("left out what has no numbers: %1").arg(names.join(QStringLiteral(", ")))};
    }

    std::map<QString, std::vector<SeriesPoint>> m_points;
    std::map<QString, QString> m_texts;
    std::set<QString> m_others;
};

} // namespace

Result<bool> isNeptuneExport(const fs::path& file)
{
    bool isOne = false;
    TRAINYARD_TRY_STATUS(readColumnTable(file, [&](const QByteArray& line) {
        const QJsonObject row = rowOf(line);
        isOne = row.contains(QLatin1String("run_id")) && row.contains(QLatin1String("attribute_path")) &&
                row.contains(QLatin1String("attribute_type"));
        return false;
    }));
    return isOne;
}

Result<std::vector<NeptuneRun>> findNeptuneRuns(const std::vector<fs::path>& files)
{
    std::vector<NeptuneRun> runs;
    for (const fs::path& file : files) {
        TRAINYARD_TRY_STATUS(readColumnTable(file, [&](const QByteArray& line) {
            const QJsonObject row = rowOf(line);
            const QString project = textIn(row, "project_id"), id = textIn(row, "run_id");
            auto run = std::ranges::find_if(
                runs, [&](const NeptuneRun& known) { return known.id == id && known.project == project; });
            if (run == runs.end())
                run = runs.insert(runs.end(), {project, id, {}});
            if (run->files.empty() || run->files.back() != file)
                run->files.push_back(file);
            return true;
        }));
    }
    return runs;
}

Result<LoadedRun> loadNeptuneRun(const NeptuneRun& run, const ImportGoesOn& goesOn)
{
    NeptuneRows rows;
    bool isCancelled = false;
    int untilReport = kRowsBetweenReports;
    for (std::size_t i = 0; i < run.files.size() && !isCancelled; ++i) {
        const double share = double(i) / double(run.files.size());
        TRAINYARD_TRY_STATUS(readColumnTable(run.files[i], [&](const QByteArray& line) {
            const QJsonObject row = rowOf(line);
            if (textIn(row, "run_id") == run.id && textIn(row, "project_id") == run.project)
                rows.take(row);
            if (goesOn && --untilReport <= 0) {
                untilReport = kRowsBetweenReports;
                isCancelled = !goesOn(share);
            }
            return !isCancelled;
        }));
    }
    if (isCancelled)
        return cancelled("the import was cancelled");
    return std::move(rows).run(run);
}

} // namespace trainyard
