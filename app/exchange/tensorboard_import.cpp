#include "app/exchange/tensorboard_import.h"

#include <algorithm>
#include <map>

#include <QDateTime>

#include "app/base/display_text.h"
#include "app/exchange/event_file.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kMarkOfName = "tfevents";
constexpr int kDeepest = 32; ///< folders below each other
constexpr std::size_t kMaxSeries = 100'000;
constexpr std::size_t kMaxTagLength = 512; ///< bytes
constexpr std::size_t kMaxTextLength = 1 << 20;

Status collect(const fs::path& root, std::map<fs::path, TensorBoardLog>& logs)
{
    std::error_code problem;
    for (fs::recursive_directory_iterator it(root, problem), end; it != end && !problem;
         it.increment(problem)) {
        if (it.depth() >= kDeepest)
            it.disable_recursion_pending();
        std::error_code ignored; // a file that vanished while we look is none
        if (!isEventFile(it->path()) || !it->is_regular_file(ignored))
            continue;
        TensorBoardLog& log = logs[it->path().parent_path()];
        log.files.push_back(it->path());
        log.bytes += it->file_size(ignored);
    }
    if (problem)
        return systemError(ErrorKind::BadInput, "cannot list " + root.string(), problem.value());
    return {};
}

QString nameOf(const fs::path& folder, const fs::path& root)
{
    const fs::path below = folder.lexically_relative(root);
    const fs::path own = fs::absolute(root).lexically_normal();
    const fs::path name = below != "."         ? below
                          : own.has_filename() ? own.filename()
                                               : own.parent_path().filename();
    return QString::fromStdString(name.string());
}

/// Gathers the values of a run's files, series by series.
class PointCollector {
public:
    void take(const EventMessage& event)
    {
        if (event.isRestart)
            dropFrom(double(event.step));
        for (const EventValue& value : event.values) {
            if (value.tag.size() > kMaxTagLength)
                continue;
            if (value.number)
                takeNumber(value, event);
            else if (value.hyperparameters)
                takeHyperparameters(*value.hyperparameters);
            else if (m_texts.size() < kMaxSeries)
                m_texts[toText(value.tag)] = toText(value.text->substr(0, kMaxTextLength));
        }
    }

    std::vector<PointSeries> series() &&
    {
        std::vector<PointSeries> all;
        for (auto& [tag, points] : m_points) {
            putInOrder(points);
            all.push_back({toText(tag), std::move(points)});
        }
        return all;
    }
    const std::map<QString, QString>& texts() const { return m_texts; }

private:
    static QString toText(std::string_view bytes) { return toQString(bytes); }
    void takeHyperparameters(std::string_view message)
    {
        for (const auto& [name, value] : readHyperparameters(message)) {
            if (m_texts.size() < kMaxSeries)
                m_texts[QStringLiteral("hyperparameter/") + toText(name)] = toText(value);
        }
    }
    void takeNumber(const EventValue& value, const EventMessage& event)
    {
        auto points = m_points.find(value.tag);
        if (points == m_points.end()) {
            if (m_points.size() == kMaxSeries)
                return;
            points = m_points.try_emplace(std::string(value.tag)).first;
        }
        points->second.push_back({double(event.step), event.wallSeconds, *value.number});
    }
    void dropFrom(double step)
    {
        for (auto& [tag, points] : m_points)
            std::erase_if(points, [step](const SeriesPoint& point) { return point.step >= step; });
    }

    std::map<std::string, std::vector<SeriesPoint>, std::less<>> m_points;
    std::map<QString, QString> m_texts;
};

void warnOf(const EventFileEnd& end, const fs::path& file, QStringList& warnings)
{
    if (end.isDamaged)
        warnings << QStringLiteral("%1 is damaged at byte %2; the rest was skipped")
                        .arg(QString::fromStdString(file.string()))
                        .arg(end.bytes);
    else if (end.isTorn)
        warnings << QStringLiteral("%1 ends in the middle of a record, perhaps because it is still being "
                                   "written; it was read up to there")
                        .arg(QString::fromStdString(file.string()));
}

} // namespace

bool isEventFile(const fs::path& path)
{
    return path.filename().string().find(kMarkOfName) != std::string::npos;
}

Result<std::vector<TensorBoardLog>> findTensorBoardLogs(const fs::path& place)
{
    std::map<fs::path, TensorBoardLog> found;
    fs::path root = place;
    std::error_code problem;
    if (fs::is_regular_file(place, problem)) {
        root = place.parent_path().empty() ? fs::path(".") : place.parent_path();
        found[root] = {{}, root, {place}, fs::file_size(place, problem)};
    } else {
        TRAINYARD_TRY_STATUS(collect(root, found));
    }
    std::vector<TensorBoardLog> logs;
    for (auto& [folder, log] : found) {
        log.folder = folder;
        log.name = nameOf(folder, root);
        std::ranges::sort(log.files);
        logs.push_back(std::move(log));
    }
    std::ranges::sort(logs, {}, &TensorBoardLog::name);
    return logs;
}

Result<LoadedRun> loadTensorBoardLog(const TensorBoardLog& log, const ImportGoesOn& goesOn)
{
    PointCollector points;
    LoadedRun run;
    std::uint64_t before = 0;
    for (const fs::path& file : log.files) {
        std::error_code ignored;
        const std::uint64_t size = fs::file_size(file, ignored);
        const auto tell = [&](double share) {
            return goesOn((double(before) + share * double(size)) /
                          double(std::max<std::uint64_t>(1, log.bytes)));
        };
        TRAINYARD_TRY(const EventFileEnd end,
                      readEventFile(
                          file, [&](const EventMessage& event) { points.take(event); },
                          goesOn ? std::function<bool(double)>(tell) : nullptr));
        warnOf(end, file, run.warnings);
        before += size;
    }
    run.import.name = log.name;
    run.import.format = QStringLiteral("TensorBoard");
    run.import.source = QString::fromStdString(fs::absolute(log.folder).lexically_normal().string());
    run.import.importedMs = QDateTime::currentMSecsSinceEpoch();
    run.import.texts = points.texts();
    run.series = std::move(points).series();
    QStringList names;
    for (const PointSeries& series : run.series)
        names.append(series.name);
    run.import.metrics = guessMetrics(names);
    return run;
}

} // namespace trainyard
