#include "remote/launch/file_relay.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "engine/base/units.h"
#include "remote/target/read_file.h"
#include "remote/wire/protocol.h"

namespace trainyard {

namespace {

constexpr qint64 kPiece = 256 * kKiB;

} // namespace

FileRelay::FileRelay(Target& from, Target& to, File file)
    : m_from(&from)
    , m_to(&to)
    , m_file(std::move(file))
    , m_asked(m_file.offset)
    , m_sent(m_file.offset)
    , m_received(m_file.offset)
{
}

FileRelay::~FileRelay()
{
    if (m_to && m_put != 0)
        m_to->cancel(m_put);
}

void FileRelay::start()
{
    Target::Handlers handlers;
    handlers.interim = [this](const QJsonObject& message) {
        const qint64 received = m_file.offset + message.value("received").toInteger();
        m_received = std::clamp(received, m_received, m_sent);
        emit acknowledged(m_received);
        askForMore();
    };
    handlers.done = [this](const Result<QJsonObject>& reply) {
        m_put = 0;
        finish(reply.ok() ? Status() : Status(reply.error()));
    };
    m_put = m_to->call(
        {{"op", "put"}, {"sha256", m_file.sha256}, {"size", m_file.bytes}, {"offset", m_file.offset}}, this,
        std::move(handlers));
    askForMore();
}

void FileRelay::askForMore()
{
    while (!m_ended && m_asked < m_file.bytes && m_asked - m_received + kPiece <= qint64{kUploadWindow}) {
        const qint64 offset = m_asked;
        const qint64 limit = std::min<qint64>(kPiece, m_file.bytes - offset);
        m_asked += limit;
        readPiece(*m_from, m_file.read, offset, limit, this,
                  [this, offset, limit](const Result<FilePiece>& piece) {
                      if (!piece.ok())
                          return finish(piece.error());
                      if (piece->bytes.size() != limit)
                          return finish(failed("the file shrank while it was being copied"));
                      onPiece(offset, piece->bytes);
                  });
    }
}

/// Pieces are answered as they are read; they are sent in their order.
void FileRelay::onPiece(qint64 offset, const QByteArray& bytes)
{
    m_arrived[offset] = bytes;
    for (auto piece = m_arrived.begin(); !m_ended && piece != m_arrived.end() && piece->first == m_sent;
         piece = m_arrived.erase(piece)) {
        m_to->sendChunk(m_put, piece->second);
        m_sent += piece->second.size();
    }
}

void FileRelay::finish(const Status& result)
{
    if (!std::exchange(m_ended, true))
        emit finished(result);
}

} // namespace trainyard
