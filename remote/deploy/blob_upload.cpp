#include "remote/deploy/blob_upload.h"

#include <algorithm>

#include "remote/wire/protocol.h"

namespace trainyard {

BlobUpload::BlobUpload(Target& target, const BundleEntry& file, std::uint64_t offset)
    : m_target(&target), m_file(file), m_offset(offset), m_source(file.source, std::ios::binary)
{
    m_source.seekg(static_cast<std::streamoff>(offset));
}

BlobUpload::~BlobUpload()
{
    stop();
}

void BlobUpload::stop()
{
    if (m_target && m_call != 0)
        m_target->cancel(m_call);
    m_call = 0;
}

void BlobUpload::start()
{
    Target::Handlers handlers;
    handlers.interim = [this](const QJsonObject& message) { onInterim(message); };
    handlers.done = [this](const Result<QJsonObject>& reply) { onDone(reply); };
    m_call = m_target->call({{"op", "put"},
                             {"sha256", QString::fromStdString(m_file.sha256)},
                             {"size", static_cast<qint64>(m_file.size)},
                             {"offset", static_cast<qint64>(m_offset)}},
                            this, std::move(handlers));
}

std::uint64_t BlobUpload::send(std::uint64_t room)
{
    const std::uint64_t before = m_sent;
    while (m_call != 0 && m_sent < m_file.size - m_offset) {
        const std::uint64_t size = std::min<std::uint64_t>(kUploadChunk, m_file.size - m_offset - m_sent);
        if (m_sent - before + size > room)
            break;
        QByteArray piece(static_cast<qsizetype>(size), Qt::Uninitialized);
        if (!m_source.read(piece.data(), piece.size())) {
            stop();
            finish(badInput("cannot read " + m_file.source.string(),
                            "it was changed or removed during the upload; start again"));
            break;
        }
        m_target->sendChunk(m_call, piece);
        m_sent += size;
    }
    return m_sent - before;
}

void BlobUpload::onInterim(const QJsonObject& message)
{
    const auto before = m_received;
    const auto received = static_cast<std::uint64_t>(message.value("received").toInteger());
    m_received = std::clamp(received, m_received, m_sent);
    emit acknowledged(static_cast<qint64>(m_received - before));
}

void BlobUpload::onDone(const Result<QJsonObject>& reply)
{
    m_call = 0;
    finish(reply.ok() ? Status() : Status(reply.error().in("upload " + m_file.path)));
}

/// Later, because whoever hears of it may be about to send.
void BlobUpload::finish(const Status& result)
{
    QMetaObject::invokeMethod(
        this, [this, result] { emit finished(result); }, Qt::QueuedConnection);
}

} // namespace trainyard
