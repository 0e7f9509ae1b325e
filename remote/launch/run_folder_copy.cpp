#include "remote/launch/run_folder_copy.h"

#include <utility>

#include <QCryptographicHash>
#include <QJsonArray>
#include <QJsonDocument>
#include <QTimer>

#include "remote/launch/file_relay.h"
#include "remote/target/read_file.h"

namespace trainyard {

namespace {

constexpr int kMaxFailures = 20; ///< with the pause in between about as long as a link may be gone
constexpr auto kPause = std::chrono::seconds(3);

} // namespace

RunFolderCopy::RunFolderCopy(Plan plan, TargetPool& targets, QObject* parent)
    : QObject(parent), m_plan(std::move(plan)), m_hosts({m_plan.from, m_plan.to}, targets)
{
}

RunFolderCopy::~RunFolderCopy() = default;

QString RunFolderCopy::inFolder(const QString& name) const
{
    return m_plan.folder + '/' + name;
}

void RunFolderCopy::start()
{
    m_hosts.whenReady([this](const Status& ready) {
        if (!ready.ok())
            return fail(ready.error());
        readIndex();
    });
}

void RunFolderCopy::readIndex()
{
    const QJsonObject request{{"op", "read"}, {"run", m_plan.runId}, {"file", inFolder(m_plan.index)}};
    readWhole(source(), request, this, [this, request](const Result<QByteArray>& index) {
        if (!index.ok())
            return fail(index.error());
        m_index = *index;
        readWhole(goal(), request, this, [this](const Result<QByteArray>& there) {
            compareIndex(there.ok() ? *there : QByteArray());
        });
    });
}

/// The index is placed last: who has it has everything, be it by a copy or by a disk that both see.
void RunFolderCopy::compareIndex(const QByteArray& index)
{
    if (index == m_index)
        return finish({});
    if (const Status parsed = parseIndex(); !parsed.ok())
        return finish(parsed);
    makeRun();
}

Status RunFolderCopy::parseIndex()
{
    m_files.clear();
    m_done = m_total = 0;
    for (const auto& value : QJsonDocument::fromJson(m_index).object().value("files").toArray()) {
        const QJsonObject file = value.toObject();
        m_files.append({file.value("name").toString(), file.value("sha256").toString(),
                        file.value("bytes").toInteger(-1)});
        if (m_files.last().name.isEmpty() || m_files.last().bytes < 0)
            return failed(m_plan.from.toStdString() + ": " + m_plan.index.toStdString() +
                          " does not list the files next to it");
        m_total += m_files.last().bytes;
    }
    const QByteArray hash = QCryptographicHash::hash(m_index, QCryptographicHash::Sha256).toHex();
    m_files.append({m_plan.index, QString::fromLatin1(hash), m_index.size()});
    return {};
}

void RunFolderCopy::makeRun()
{
    const QJsonObject request{{"op", "create-run"},
                              {"run", m_plan.runId},
                              {"kind", "prepare"},
                              {"job", QString::fromUtf8(m_plan.job)},
                              {"inventory", QJsonObject{{"copied_from", m_plan.from}}},
                              {"node", 1}};
    goal().call(request, this, [this](const Result<QJsonObject>& reply) {
        if (!reply.ok())
            return fail(reply.error());
        next();
    });
}

void RunFolderCopy::next()
{
    if (m_files.isEmpty())
        return finish({});
    askForBytes(m_files.first());
}

/// What an earlier, broken copy has brought there need not be sent again.
void RunFolderCopy::askForBytes(const File& file)
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

void RunFolderCopy::send(const File& file, qint64 offset)
{
    const QJsonObject read{{"op", "read"}, {"run", m_plan.runId}, {"file", inFolder(file.name)}};
    m_relay =
        std::make_unique<FileRelay>(source(), goal(), FileRelay::File{read, file.sha256, file.bytes, offset});
    connect(m_relay.get(), &FileRelay::acknowledged, this, [this](qint64 bytes) {
        m_failures = 0;
        emit progress(m_done + bytes, m_total);
    });
    connect(m_relay.get(), &FileRelay::finished, this, [this, file](const Status& result) {
        m_relay.release()->deleteLater(); // we are in its signal
        if (!result.ok())
            return fail(result.error().in("copy " + file.name.toStdString() + " from " +
                                          m_plan.from.toStdString() + " to " + m_plan.to.toStdString()));
        place(file);
    });
    m_relay->start();
}

void RunFolderCopy::place(const File& file)
{
    goal().call(
        {{"op", "place"}, {"run", m_plan.runId}, {"sha256", file.sha256}, {"file", inFolder(file.name)}},
        this, [this, file](const Result<QJsonObject>& reply) {
            if (!reply.ok())
                return fail(reply.error());
            m_done += file.bytes;
            m_files.removeFirst();
            next();
        });
}

/// A link that is gone comes back: the targets see to it.
void RunFolderCopy::fail(const Error& error)
{
    if (error.kind != ErrorKind::Unreachable || ++m_failures > kMaxFailures)
        return finish(error);
    QTimer::singleShot(kPause, this, [this] { m_files.isEmpty() ? start() : next(); });
}

void RunFolderCopy::finish(const Status& result)
{
    if (!std::exchange(m_ended, true))
        emit finished(result);
}

} // namespace trainyard
