#include "remote/launch/rank_file_reader.h"

#include <QDir>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "engine/base/file.h"
#include "engine/spec/spec_json.h"
#include "remote/launch/desk_run.h"
#include "remote/target/data_dirs.h"

namespace trainyard {

namespace {

/// As the newest attempt asked for them, which this computer mirrors (AttemptMirror); nothing before the
/// second.
QList<int> slotsOfNewestAttempt(const std::filesystem::path& folder)
{
    const QDir attempts(QString::fromStdString((folder / "attempts").string()), QStringLiteral("*.json"));
    const QStringList files = attempts.entryList(QDir::Files, QDir::Name);
    const auto text = files.isEmpty() ? Result<std::string>(std::string())
                                      : readFile(attempts.filePath(files.last()).toStdString());
    if (!text.ok())
        return {};
    const QJsonObject request = QJsonDocument::fromJson(QByteArray::fromStdString(*text)).object();
    const QJsonArray away = request.value("away").toArray();
    QList<int> slotCounts;
    for (const QJsonValue& node : request.value("nodes").toArray())
        slotCounts << (away.contains(node["host"]) ? 0 : node["slots"].toInt());
    return slotCounts;
}

/// Of each of its hosts.
Result<QList<int>> slotCountsOf(const DeskRun& run)
{
    const auto folder = runDir(run.id);
    if (QList<int> slotCounts = slotsOfNewestAttempt(folder); !slotCounts.isEmpty())
        return slotCounts;
    TRAINYARD_TRY(const RunSpec spec, loadSpec(folder / documentOf(run.kind).toStdString()));
    QList<int> slotCounts;
    for (const NodeSpec& node : spec.cluster.nodes)
        slotCounts << node.slotCount;
    return slotCounts;
}

} // namespace

RankFileReader::RankFileReader(const QString& runId, int rank, const QString& extension, TargetPool& targets,
                               QObject* parent)
    : QObject(parent), m_runId(runId), m_rank(rank), m_extension(extension), m_targets(targets)
{
}

/// mpirun fills the hosts in order, slot by slot.
Result<QString> RankFileReader::hostOfRank() const
{
    TRAINYARD_TRY(const DeskRun run, loadDeskRun(m_runId));
    if (run.kind == RunKind::Prepare)
        return run.head();
    TRAINYARD_TRY(const QList<int> slotCounts, slotCountsOf(run));
    int first = 0;
    for (qsizetype node = 0; node < slotCounts.size(); ++node) {
        first += slotCounts[node];
        if (m_rank >= 0 && m_rank < first)
            return run.hosts.value(node, run.head());
    }
    return badInput("the run has no rank " + std::to_string(m_rank));
}

void RankFileReader::start(qint64 offset, qint64 limit)
{
    const auto host = hostOfRank();
    if (!host.ok()) {
        const Error error = host.error();
        QMetaObject::invokeMethod(
            this, [this, error] { finish(error); }, Qt::QueuedConnection);
        return;
    }
    m_group = std::make_unique<HostGroup>(QStringList{*host}, m_targets);
    m_group->whenReady([this, offset, limit](const Status& ready) {
        if (!ready.ok())
            return finish(ready.error());
        if (offset >= 0)
            return readFrom(offset, limit);
        request(0, 1, [this, offset, limit](const FilePiece& first) {
            readFrom(std::max<qint64>(0, first.fileSize + offset), limit);
        });
    });
}

void RankFileReader::readFrom(qint64 offset, qint64 limit)
{
    request(offset, limit, [this, offset](const FilePiece& piece) { finish(LogPiece{offset, piece.bytes}); });
}

void RankFileReader::request(qint64 offset, qint64 limit, std::function<void(const FilePiece&)> done)
{
    const QString file = QString("ranks/%1.%2").arg(m_rank, 4, 10, QChar('0')).arg(m_extension);
    readPiece(m_group->target(0), {{"op", "read"}, {"run", m_runId}, {"file", file}}, offset, limit, this,
              [this, done](const Result<FilePiece>& piece) {
                  if (!piece.ok())
                      return finish(piece.error());
                  done(*piece);
              });
}

void RankFileReader::finish(const Result<LogPiece>& result)
{
    deleteLater();
    emit finished(result);
}

} // namespace trainyard
