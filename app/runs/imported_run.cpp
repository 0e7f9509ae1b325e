#include "app/runs/imported_run.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <QDateTime>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRandomGenerator>
#include <QRegularExpression>

#include "engine/base/clock.h"
#include "engine/base/file.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

constexpr auto kImportFile = "run.json";
constexpr int kVersion = 1;
constexpr qsizetype kMaxNameLength = 60; ///< of a run within its id
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

constexpr std::array kMetricNames{"loss", "learning_rate", "gradient_norm", "samples", "tokens"};
static_assert(kMetricNames.size() == std::size_t(kImportedMetrics));

/// Usual names of a metric's series, the likeliest first, after plain().
const std::array<QStringList, kImportedMetrics>& usualNames()
{
    static const std::array<QStringList, kImportedMetrics> kNames{
        QStringList{"loss", "train loss", "training loss", "loss train", "train train loss", "lm loss",
                    "train lm loss", "lm loss validation", "eval loss", "val loss", "validation loss"},
        QStringList{"learning rate", "lr", "train learning rate", "train lr", "learning rate train"},
        QStringList{"gradient norm", "grad norm", "train grad norm", "train gradient norm",
                    "grad norm train"},
        QStringList{"samples", "consumed samples", "train samples", "examples", "num samples"},
        QStringList{"tokens", "consumed tokens", "train tokens", "num tokens", "num input tokens seen"}};
    return kNames;
}

QString plain(QString name)
{
    static const QRegularExpression separators(QStringLiteral("[\\s/._-]+"));
    return name.toLower().replace(separators, QStringLiteral(" ")).trimmed();
}

QJsonObject toJson(const RunImport& import)
{
    QJsonObject metrics;
    for (const auto& [metric, series] : import.metrics)
        metrics[nameOf(metric)] = series;
    QJsonObject texts;
    for (const auto& [tag, text] : import.texts)
        texts[tag] = text;
    QJsonObject json{
        {"trainyard_import", kVersion},
        {"name", import.name},
        {"format", import.format},
        {"source", import.source},
        {"imported", QDateTime::fromMSecsSinceEpoch(import.importedMs, Qt::UTC).toString(Qt::ISODate)},
        {"figures", metrics},
        {"texts", texts}};
    if (!import.tags.isEmpty())
        json["tags"] = QJsonArray::fromStringList(import.tags);
    return json;
}

Result<RunImport> fromJson(const std::string& text, const fs::path& file)
{
    const QJsonObject json = QJsonDocument::fromJson(QByteArray::fromStdString(text)).object();
    if (json["trainyard_import"].toInt() != kVersion || !json["name"].isString())
        return badInput(file.string() + ": not the description of an imported run", "import the run again");
    RunImport import;
    import.name = json["name"].toString();
    import.format = json["format"].toString();
    import.source = json["source"].toString();
    import.importedMs = QDateTime::fromString(json["imported"].toString(), Qt::ISODate).toMSecsSinceEpoch();
    const QJsonObject metrics = json["figures"].toObject();
    for (int i = 0; i < kImportedMetrics; ++i) {
        if (const QString series = metrics[nameOf(ImportedMetric(i))].toString(); !series.isEmpty())
            import.metrics[ImportedMetric(i)] = series;
    }
    const QJsonObject texts = json["texts"].toObject();
    for (auto it = texts.begin(); it != texts.end(); ++it)
        import.texts[it.key()] = it.value().toString();
    for (const auto tag : json["tags"].toArray())
        import.tags.append(tag.toString());
    return import;
}

bool haveEqualRows(const PointSeries& a, const PointSeries& b)
{
    return std::ranges::equal(a.points, b.points, [](const SeriesPoint& left, const SeriesPoint& right) {
        return left.step == right.step && left.wallSeconds == right.wallSeconds;
    });
}

/// Groups series that share their steps and times, in order of first appearance.
std::vector<std::vector<const PointSeries*>> groupsOf(std::span<const PointSeries> series)
{
    std::vector<std::vector<const PointSeries*>> groups;
    for (const PointSeries& one : series) {
        const auto group = std::ranges::find_if(
            groups, [&](const auto& known) { return haveEqualRows(*known.front(), one); });
        if (group == groups.end())
            groups.push_back({&one});
        else
            group->push_back(&one);
    }
    return groups;
}

Status writeTable(SeriesWriter& writer, const QString& name, const std::vector<const PointSeries*>& group)
{
    QStringList columns{kStepSeries, kWallSeries};
    for (const PointSeries* series : group)
        columns.append(series->name);
    TRAINYARD_TRY(const int table, writer.addTable(name, columns));
    std::vector<double> row(std::size_t(columns.size()));
    for (std::size_t i = 0; i < group.front()->points.size(); ++i) {
        row[0] = group.front()->points[i].step;
        row[1] = group.front()->points[i].wallSeconds;
        for (std::size_t k = 0; k < group.size(); ++k)
            row[2 + k] = group[k]->points[i].value;
        TRAINYARD_TRY_STATUS(writer.append(table, row));
    }
    return {};
}

Status writeSeries(const fs::path& file, std::span<const PointSeries> series)
{
    TRAINYARD_TRY(SeriesWriter writer, SeriesWriter::open(file));
    int number = 0;
    for (const auto& group : groupsOf(series))
        TRAINYARD_TRY_STATUS(writeTable(writer, QStringLiteral("imported-%1").arg(++number), group));
    return writer.commit({});
}

/// Returns the time of the earliest point, else that of the import.
qint64 runStartMs(const RunImport& import, std::span<const PointSeries> series)
{
    double first = std::numeric_limits<double>::infinity();
    for (const PointSeries& one : series) {
        for (const SeriesPoint& point : one.points) {
            if (point.wallSeconds > 0)
                first = std::min(first, point.wallSeconds);
        }
    }
    constexpr double kLatest = 253402300799.0; // end of the year 9999
    return first < kLatest ? qint64(first * 1000) : import.importedMs;
}

QString idFor(const RunImport& import, std::span<const PointSeries> series)
{
    static const QRegularExpression others(QStringLiteral("[^A-Za-z0-9._-]+"));
    // A reimported export of our own is named by its run's id: keep the name alone.
    static const QRegularExpression ofOurs(QStringLiteral("^\\d{8}T\\d{6}Z-(.+)-[0-9a-f]{4}$"));
    QString name = QString(import.name).replace(others, QStringLiteral("-"));
    if (const auto own = ofOurs.match(name); own.hasMatch())
        name = own.captured(1);
    name = name.left(kMaxNameLength);
    if (name.isEmpty())
        name = QStringLiteral("run");
    const Instant begin{0, runStartMs(import, series) * 1'000'000};
    return QStringLiteral("%1-%2-%3")
        .arg(QString::fromStdString(utcStamp(begin)), name)
        .arg(QRandomGenerator::global()->bounded(0x10000), 4, 16, QLatin1Char('0'));
}

/// A column of an import with its steps and times.
struct TableColumn {
    const SeriesTable* table = nullptr;
    qsizetype column = -1;

    const SeriesColumn& steps() const { return table->values[0]; }
    const SeriesColumn& walls() const { return table->values[1]; }
    const SeriesColumn& values() const { return table->values[column]; }
};

std::optional<TableColumn> columnOf(const RunImport& import, ImportedMetric metric)
{
    const auto name = import.metrics.find(metric);
    if (name == import.metrics.end())
        return std::nullopt;
    for (const SeriesTable& table : import.tables) {
        const qsizetype column = table.names.indexOf(name->second, 2);
        if (column >= 0)
            return TableColumn{&table, column};
    }
    return std::nullopt;
}

/// Returns for each step the newest value of the column up to it; `before` until there is one. Shares a
/// column that has the same steps.
SeriesColumn heldAt(const SeriesColumn& steps, const TableColumn& column, double before)
{
    if (steps == column.steps())
        return column.values();
    SeriesColumn held;
    double value = before;
    qsizetype next = 0;
    for (const double step : steps) {
        while (next < column.steps().size() && column.steps()[next] <= step)
            value = column.values()[next++];
        held.append(value);
    }
    return held;
}

/// Returns the increase per second since the newest row with an earlier time; NaN until there is one.
SeriesColumn ratesOf(const SeriesColumn& sums, const SeriesColumn& walls)
{
    SeriesColumn rates;
    qsizetype earlier = -1;
    for (qsizetype row = 0; row < sums.size(); ++row) {
        if (row > 0 && walls[row - 1] < walls[row])
            earlier = row - 1;
        rates.append(earlier < 0 ? kNaN : (sums[row] - sums[earlier]) / (walls[row] - walls[earlier]));
    }
    return rates;
}

/// Counts the rows of `loss` before the first row of a metric.
qsizetype rowsBefore(const TableColumn& loss, const TableColumn& metric)
{
    return metric.steps().isEmpty() ? loss.steps().size() : loss.steps().lowerBound(metric.steps().first());
}

/// Marks the metrics that the import lacks for its first steps.
void markUnrecorded(StepTable& steps, const RunImport& import, const TableColumn& loss)
{
    const qsizetype untimed = loss.walls().upperBound(loss.walls().first());
    const auto mark = [&](ImportedMetric metric, StepColumn column, qsizetype atLeast) {
        if (const auto found = columnOf(import, metric))
            steps.setUnrecorded(column, std::max(rowsBefore(loss, *found), atLeast));
    };
    mark(ImportedMetric::LearningRate, StepColumn::LearningRate, 0);
    mark(ImportedMetric::GradientNorm, StepColumn::GradientNorm, 0);
    mark(ImportedMetric::Samples, StepColumn::SequencesPerSecond, untimed);
    mark(ImportedMetric::Tokens, StepColumn::TokensPerSecond, untimed);
}

/// Returns the rows of the loss with the other metrics at their steps.
SeriesTable stepTableOf(const RunImport& import, const TableColumn& loss)
{
    SeriesTable table{kStepsTable, {}, {}};
    const auto put = [&](StepColumn column, const SeriesColumn& values) {
        table.names.append(StepTable::nameOf(column));
        table.values.append(values);
    };
    put(StepColumn::Step, loss.steps());
    put(StepColumn::WallSeconds, loss.walls());
    put(StepColumn::Loss, loss.values());
    if (const auto rate = columnOf(import, ImportedMetric::LearningRate))
        put(StepColumn::LearningRate, heldAt(loss.steps(), *rate, kNaN));
    if (const auto norm = columnOf(import, ImportedMetric::GradientNorm))
        put(StepColumn::GradientNorm, heldAt(loss.steps(), *norm, kNaN));
    if (const auto samples = columnOf(import, ImportedMetric::Samples)) {
        put(StepColumn::Samples, heldAt(loss.steps(), *samples, 0));
        put(StepColumn::SequencesPerSecond, ratesOf(table.values.last(), loss.walls()));
    }
    if (const auto tokens = columnOf(import, ImportedMetric::Tokens)) {
        put(StepColumn::Tokens, heldAt(loss.steps(), *tokens, 0));
        put(StepColumn::TokensPerSecond, ratesOf(table.values.last(), loss.walls()));
    }
    return table;
}

std::int64_t wholeNumber(double value)
{
    constexpr double kLargest = 9e15; // doubles represent every whole number up to here
    return std::abs(value) < kLargest ? std::llround(value) : 0;
}

RunAttempt attemptOf(const TableColumn& loss)
{
    const auto wallNs = [](double seconds) { return wholeNumber(seconds * 1e6) * 1000; };
    return {1, wholeNumber(loss.steps().first()), wholeNumber(loss.steps().last()),
            wallNs(loss.walls().first()), wallNs(loss.walls().last())};
}

std::int64_t lastStep(const RunImport& import)
{
    std::int64_t last = 0;
    for (const SeriesTable& table : import.tables) {
        if (!table.values.first().isEmpty())
            last = std::max(last, wholeNumber(table.values.first().last()));
    }
    return last;
}

Record finalRecord(const RunImport& import, std::int64_t step, std::int64_t wallNs)
{
    StateRecord state;
    state.state = RunState::Finished;
    state.reason = "imported from " + import.format.toStdString();
    state.step = step;
    state.steps = step;
    return {1, 1, {0, wallNs}, state};
}

} // namespace

QString nameOf(ImportedMetric metric)
{
    return QLatin1String(kMetricNames[std::size_t(metric)]);
}

MetricSeries guessMetrics(const QStringList& seriesNames)
{
    QStringList known;
    for (const QString& name : seriesNames)
        known.append(plain(name));
    MetricSeries metrics;
    for (int metric = 0; metric < kImportedMetrics; ++metric) {
        for (const QString& usual : usualNames()[std::size_t(metric)]) {
            if (const qsizetype at = known.indexOf(usual); at >= 0) {
                metrics[ImportedMetric(metric)] = seriesNames[at];
                break;
            }
        }
    }
    for (qsizetype at = 0; at < known.size() && !metrics.contains(ImportedMetric::Loss); ++at) {
        if (known[at].endsWith(QLatin1String("loss")))
            metrics[ImportedMetric::Loss] = seriesNames[at];
    }
    return metrics;
}

void putInOrder(std::vector<SeriesPoint>& points)
{
    std::ranges::stable_sort(points, {}, &SeriesPoint::step);
    std::size_t kept = 0;
    for (const SeriesPoint& point : points) {
        if (kept > 0 && points[kept - 1].step == point.step)
            --kept;
        points[kept++] = point;
    }
    points.resize(kept);
    double latest = 0;
    for (SeriesPoint& point : points)
        point.wallSeconds = latest = std::max(latest, point.wallSeconds);
}

Result<QString> writeImportedRun(const fs::path& runsFolder, const RunImport& import,
                                 std::span<const PointSeries> series)
{
    if (std::ranges::all_of(series, [](const PointSeries& one) { return one.points.empty(); }))
        return badInput(import.source.toStdString() + ": no series with values");
    TRAINYARD_TRY_STATUS(makeFolder(runsFolder));
    const QString id = idFor(import, series);
    const auto write = [&](const fs::path& folder) -> Status {
        TRAINYARD_TRY_STATUS(makeFolder(folder));
        TRAINYARD_TRY_STATUS(writeSeries(folder / kSeriesFileName, series));
        return writeFileAtomically(folder / kImportFile,
                                   QJsonDocument(toJson(import)).toJson().toStdString());
    };
    TRAINYARD_TRY_STATUS(publishAtomically(runsFolder / id.toStdString(), write));
    return id;
}

bool isImportedRun(const fs::path& runFolder)
{
    std::error_code isThere; // on an error the later read reports the reason
    return fs::exists(fs::symlink_status(runFolder / kImportFile, isThere));
}

Result<RunImport> readRunImport(const fs::path& runFolder)
{
    const fs::path file = runFolder / kImportFile;
    TRAINYARD_TRY(const std::string text, readFile(file));
    TRAINYARD_TRY(RunImport import, fromJson(text, file));
    TRAINYARD_TRY(const SeriesFile series, SeriesFile::open(runFolder / kSeriesFileName));
    import.tables = series.tables();
    return import;
}

RunSeries stepsOf(const RunImport& import)
{
    RunSeries series;
    StepStream stream;
    if (const auto loss = columnOf(import, ImportedMetric::Loss); loss && !loss->values().isEmpty()) {
        const RunAttempt attempt = attemptOf(*loss);
        stream.steps = StepTable::fromSeries(stepTableOf(import, *loss), {attempt}).value();
        markUnrecorded(stream.steps, import, *loss);
        stream.journal.lastSequence = std::uint64_t(stream.steps.size());
        stream.newestNs = attempt.endedNs;
    }
    const Record word = finalRecord(import, lastStep(import), stream.newestNs);
    series.restore(std::move(stream));
    series.apply(QStringLiteral("run"), {word});
    return series;
}

} // namespace trainyard
