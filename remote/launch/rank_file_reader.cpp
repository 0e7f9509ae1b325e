#include "remote/launch/rank_file_reader.h"

#include "engine/spec/spec_json.h"
#include "remote/launch/desk_run.h"
#include "remote/target/data_dirs.h"

namespace trainyard {

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
    TRAINYARD_TRY(const RunSpec spec, loadSpec(runDir(m_runId) / documentOf(run.kind).toStdString()));
    int first = 0;
    for (std::size_t node = 0; node < spec.cluster.nodes.size(); ++node) {
        first += spec.cluster.nodes[node].slotCount;
        if (m_rank >= 0 && m_rank < first)
            return run.hosts.value(static_cast<qsizetype>(node), run.head());
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
