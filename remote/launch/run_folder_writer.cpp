#include "remote/launch/run_folder_writer.h"

#include <utility>

#include <QJsonArray>
#include <QTimer>

namespace trainyard {

namespace {

constexpr int kMaxFailures = 20; ///< with the pause in between about as long as a link may be gone
constexpr auto kPause = std::chrono::seconds(3);

} // namespace

void RunFolderWriter::write(QList<File> files)
{
    m_files = std::move(files);
    m_done = m_total = 0;
    for (const File& file : m_files)
        m_total += file.bytes;
    next();
}

void RunFolderWriter::next()
{
    if (m_files.isEmpty())
        return finish({});
    askForBytes(m_files.first());
}

/// What an earlier, broken attempt has brought there need not be sent again.
void RunFolderWriter::askForBytes(const File& file)
{
    goal().call({{"op", "have"}, {"sha256", QJsonArray{file.sha256}}}, this,
                [this, file](const Result<QJsonObject>& reply) {
                    if (!reply.ok())
                        return fail(reply.error());
                    const QJsonArray missing = reply->value("missing").toArray();
                    if (missing.isEmpty())
                        place(file);
                    else
                        send(file, missing.first().toObject().value("have_bytes").toInteger());
                });
}

void RunFolderWriter::onAcknowledged(qint64 bytes)
{
    m_failures = 0;
    emit progress(m_done + bytes, m_total);
}

void RunFolderWriter::onSent(const File& file, const Status& result)
{
    if (result.ok())
        place(file);
    else
        fail(result.error());
}

void RunFolderWriter::place(const File& file)
{
    goal().call({{"op", "place"}, {"run", m_runId}, {"sha256", file.sha256}, {"file", file.path}}, this,
                [this, file](const Result<QJsonObject>& reply) {
                    if (!reply.ok())
                        return fail(reply.error());
                    m_done += file.bytes;
                    m_files.removeFirst();
                    next();
                });
}

/// A link that is gone comes back: the targets see to it.
void RunFolderWriter::fail(const Error& error)
{
    if (error.kind != ErrorKind::Unreachable || ++m_failures > kMaxFailures)
        return finish(error);
    QTimer::singleShot(kPause, this, [this] { m_files.isEmpty() ? startAgain() : next(); });
}

void RunFolderWriter::finish(const Status& result)
{
    if (!std::exchange(m_ended, true))
        emit finished(result);
}

} // namespace trainyard
