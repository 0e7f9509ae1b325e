#include "remote/stream/stream_follower.h"

#include "engine/records/untrusted_records.h"

namespace trainyard {

namespace {

constexpr auto kRetryPause = std::chrono::seconds(1); ///< after the host refused, on a working link

std::string_view viewOf(const QByteArray& bytes)
{
    return {bytes.constData(), static_cast<std::size_t>(bytes.size())};
}

} // namespace

StreamFollower::StreamFollower(const QString& runId, const QString& stream, Target& target,
                               StreamMirror mirror)
    : m_runId(runId), m_stream(stream), m_target(&target), m_mirror(std::move(mirror))
{
    m_retry.setSingleShot(true);
    connect(&m_retry, &QTimer::timeout, this, &StreamFollower::onState);
    connect(&target, &Target::stateChanged, this, &StreamFollower::onState);
}

StreamFollower::~StreamFollower()
{
    if (m_target && m_call != 0)
        m_target->cancel(m_call);
}

void StreamFollower::start()
{
    QMetaObject::invokeMethod(this, &StreamFollower::replay, Qt::QueuedConnection);
}

/// A piece per turn of the event loop: a long history does not freeze the window.
void StreamFollower::replay()
{
    auto records = m_mirror.replayMore();
    if (records.ok())
        sanitizeRecords(*records);
    if (!records.ok())
        emit problem(records.error());
    else if (!records->empty())
        emit recordsArrived(*records);
    if (!m_mirror.replayed() && records.ok())
        QMetaObject::invokeMethod(this, &StreamFollower::replay, Qt::QueuedConnection);
    else
        onState();
}

void StreamFollower::onState()
{
    if (!m_mirror.replayed() || m_stopped || m_call != 0 || !m_target ||
        m_target->state() != Target::State::Ready)
        return;
    if (m_mirror.validBytes() == 0)
        tail();
    else
        compare();
}

/// The last bytes of the mirror must be in the host's journal at the same place; otherwise it is another
/// journal.
void StreamFollower::compare()
{
    const auto size = static_cast<qint64>(m_mirror.lastBytes().size());
    m_call = readPiece(*m_target, {{"op", "read"}, {"run", m_runId}, {"file", "journal/" + m_stream}},
                       static_cast<qint64>(m_mirror.validBytes()) - size, size, this,
                       [this](const Result<FilePiece>& theirs) { onCompared(theirs); });
}

void StreamFollower::onCompared(const Result<FilePiece>& theirs)
{
    m_call = 0;
    if (!theirs.ok()) {
        if (theirs.error().kind != ErrorKind::Unreachable)
            m_retry.start(kRetryPause);
        return;
    }
    if (viewOf(theirs->bytes) == m_mirror.lastBytes())
        tail();
    else
        startAgain();
}

void StreamFollower::tail()
{
    m_mirror.dropPartialFrame();
    Target::Handlers handlers;
    handlers.chunk = [this](const QByteArray& bytes) { onChunk(bytes); };
    handlers.done = [this](const Result<QJsonObject>& reply) { onTailEnded(reply); };
    m_call = m_target->call({{"op", "tail"},
                             {"run", m_runId},
                             {"stream", m_stream},
                             {"offset", static_cast<qint64>(m_mirror.validBytes())}},
                            this, std::move(handlers));
}

void StreamFollower::onChunk(const QByteArray& bytes)
{
    auto records = m_mirror.append(viewOf(bytes));
    reportWriteError();
    if (records.ok())
        sanitizeRecords(*records);
    if (!records.ok()) {
        m_stopped = true;
        m_target->cancel(std::exchange(m_call, 0));
        emit problem(records.error().in("stream " + m_stream.toStdString()));
    } else if (!records->empty()) {
        emit recordsArrived(*records);
    }
}

void StreamFollower::onTailEnded(const Result<QJsonObject>& reply)
{
    m_call = 0;
    if (reply.ok() || reply.error().kind != ErrorKind::Unreachable)
        m_retry.start(kRetryPause);
}

void StreamFollower::startAgain()
{
    if (const Status kept = m_mirror.setAside(); !kept.ok())
        emit problem(kept.error());
    emit restarted();
    tail();
}

void StreamFollower::reportWriteError()
{
    if (m_mirror.lastWriteError().ok() || std::exchange(m_writeErrorTold, true))
        return;
    emit problem(m_mirror.lastWriteError().error());
}

} // namespace trainyard
