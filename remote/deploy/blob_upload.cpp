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
    sendMore();
}

/// As much as the protocol lets be under way: a fast link stays full, a slow one holds back no control
/// message.
void BlobUpload::sendMore()
{
    const std::uint64_t size = m_file.size - m_offset;
    while (m_sent < size && m_sent - m_received + kUploadChunk <= kUploadWindow) {
        QByteArray piece(static_cast<qsizetype>(std::min<std::uint64_t>(kUploadChunk, size - m_sent)),
                         Qt::Uninitialized);
        if (!m_source.read(piece.data(), piece.size())) {
            stop();
            return finish(badInput("cannot read " + m_file.source.string(),
                                   "make the bundle again with packaging/bundle"));
        }
        m_target->sendChunk(m_call, piece);
        m_sent += static_cast<std::uint64_t>(piece.size());
    }
}

void BlobUpload::onInterim(const QJsonObject& message)
{
    const auto received = static_cast<std::uint64_t>(message.value("received").toInteger());
    m_received = std::clamp(received, m_received, m_sent);
    emit acknowledged(static_cast<qint64>(m_offset + m_received));
    sendMore();
}

void BlobUpload::onDone(const Result<QJsonObject>& reply)
{
    m_call = 0;
    finish(reply.ok() ? Status() : Status(reply.error().in("upload " + m_file.path)));
}

void BlobUpload::finish(const Status& result)
{
    emit finished(result);
}

} // namespace trainyard
