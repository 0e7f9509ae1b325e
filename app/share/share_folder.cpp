#include "app/share/share_folder.h"

#include <QCryptographicHash>
#include <QDateTime>
#include <QJsonArray>
#include <QJsonDocument>

#include "app/runs/named_series.h"
#include "app/share/curve_tiles.h"
#include "app/share/embedded_viewer.h"
#include "engine/base/file.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

constexpr const char* kData = "data";
constexpr const char* kIndex = "data/index.js";

QByteArray scriptOf(const char* function, const QByteArray& arguments)
{
    return QByteArray("trainyard.") + function + '(' + arguments + ");\n";
}

QByteArray jsonOf(const QJsonObject& object)
{
    return QJsonDocument(object).toJson(QJsonDocument::Compact);
}

QByteArray quoted(const QString& text)
{
    const QByteArray array = QJsonDocument(QJsonArray{text}).toJson(QJsonDocument::Compact);
    return array.mid(1, array.size() - 2);
}

std::string tileName(qsizetype run, qsizetype curve, qsizetype tile)
{
    return std::string(kData) + '/' + std::to_string(run) + '-' + std::to_string(curve) + '-' +
           std::to_string(tile) + ".js";
}

/// Ours, or nothing at all.
Status checkFolder(const fs::path& folder)
{
    std::error_code error;
    if (!fs::exists(folder, error))
        return {};
    if (!fs::is_directory(folder, error))
        return badInput(folder.string() + " is a file", "name another folder");
    if (fs::exists(folder / kIndex, error) || fs::is_empty(folder, error))
        return {};
    return badInput(folder.string() + " has other files in it, and is no share", "name a new folder");
}

const char* fileNameOf(const EmbeddedFile& file)
{
    return file.name == "index" ? "index.html" : file.name == "style" ? "style.css" : "viewer.js";
}

} // namespace

ShareFolder::ShareFolder(fs::path folder, const Options& options)
    : m_folder(std::move(folder)), m_options(options)
{
}

Result<ShareFolder> ShareFolder::open(const fs::path& folder, const Options& options)
{
    TRAINYARD_TRY_STATUS(checkFolder(folder));
    std::error_code error;
    fs::create_directories(folder / kData, error);
    if (error)
        return badInput("cannot create " + (folder / kData).string() + ": " + error.message(),
                        "choose a folder that you may write to");
    ShareFolder share(folder, options);
    TRAINYARD_TRY_STATUS(share.writePage());
    return share;
}

Status ShareFolder::writePage()
{
    for (const EmbeddedFile& file : embeddedViewer())
        TRAINYARD_TRY_STATUS(
            replace(fileNameOf(file), QByteArray(file.content.data(), qsizetype(file.content.size()))));
    return {};
}

Status ShareFolder::write(const std::vector<SharedRun>& runs)
{
    QJsonArray descriptions;
    QJsonArray last;
    for (const SharedRun& run : runs) {
        QJsonObject description = descriptionOf(run, m_options.hidesPlaces);
        TRAINYARD_TRY_STATUS(writeRun(run, descriptions.size(), description));
        descriptions << description;
        last << lastValuesOf(run);
    }
    const QString now = QDateTime::currentDateTimeUtc().toString(Qt::ISODate);
    TRAINYARD_TRY_STATUS(
        replace("data.json", jsonOf({{"generated", now}, {"live", m_options.isLive}, {"runs", last}})));
    return replace(kIndex, scriptOf("index", jsonOf({{"version", QDateTime::currentMSecsSinceEpoch()},
                                                     {"generated", now},
                                                     {"live", m_options.isLive},
                                                     {"runs", descriptions}})));
}

Status ShareFolder::writeRun(const SharedRun& run, qsizetype number, QJsonObject& description)
{
    WrittenRun& written = m_runs[number];
    if (written.rewrites != run.series.steps().rewrites()) { // resumed from an earlier step: other points
        written.rewrites = run.series.steps().rewrites();
        for (auto& [name, curve] : written.curves)
            curve.fullTiles = 0;
    }
    QByteArray overviews;
    QJsonArray curves;
    for (const NamedSeries& series : namedSeries(run.facts, run.series)) {
        WrittenCurve& curve = curveOf(written, series.name);
        QJsonArray starts;
        for (const double start : tileStarts(series))
            starts << start;
        curves << QJsonObject{{"name", series.name}, {"number", curve.number}, {"tiles", starts}};
        overviews += (overviews.isEmpty() ? "" : ",") + quoted(series.name) + ':' + overviewScript(series);
        TRAINYARD_TRY_STATUS(writeTiles(series, number, curve));
    }
    description["curves"] = curves;
    return replace(std::string(kData) + '/' + std::to_string(number) + ".js",
                   scriptOf("run", QByteArray::number(number) + ",{" + overviews + '}'));
}

ShareFolder::WrittenCurve& ShareFolder::curveOf(WrittenRun& run, const QString& name)
{
    return run.curves.try_emplace(name, WrittenCurve{qsizetype(run.curves.size())}).first->second;
}

Status ShareFolder::writeTiles(const NamedSeries& series, qsizetype run, WrittenCurve& curve)
{
    const qsizetype rows = series.values.size();
    for (qsizetype tile = std::min(curve.fullTiles, rows / kTileRows); tile < tileCount(rows); ++tile)
        TRAINYARD_TRY_STATUS(
            replace(tileName(run, curve.number, tile),
                    scriptOf("tile", QByteArray::number(run) + ',' + QByteArray::number(curve.number) + ',' +
                                         QByteArray::number(tile) + ',' + tileScript(series, tile))));
    curve.fullTiles = tileCount(rows) > 0 ? rows / kTileRows : 0;
    return {};
}

Status ShareFolder::replace(const std::string& name, const QByteArray& content)
{
    const QByteArray hash = QCryptographicHash::hash(content, QCryptographicHash::Sha1);
    QByteArray& written = m_written[name];
    if (written == hash)
        return {};
    TRAINYARD_TRY_STATUS(writeFileAtomically(
        m_folder / name, std::string_view(content.constData(), std::size_t(content.size()))));
    written = hash;
    return {};
}

} // namespace trainyard
