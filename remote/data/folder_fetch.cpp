#include "remote/data/folder_fetch.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <QJsonArray>
#include <QJsonObject>
#include <QPromise>
#include <QThreadPool>
#include <QTimer>

#include "engine/base/file.h"
#include "remote/target/read_file.h"
#include "remote/wire/bundle_manifest.h"
#include "remote/wire/protocol.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

constexpr int kMaxBrokenLinks = 20; ///< with the pause in between about as long as a link may be gone
constexpr auto kPauseAfterBrokenLink = std::chrono::seconds(3);
constexpr qint64 kFetchedPiece = 256 * kKiB;
constexpr qint64 kAskedAhead = 4 * kMiB;

} // namespace

FolderFetch::FolderFetch(Plan plan, TargetPool& targets, QObject* parent)
    : QObject(parent), m_plan(std::move(plan)), m_hosts({m_plan.host}, targets)
{
    connect(&m_syncing, &QFutureWatcherBase::finished, this, [this] { publish(m_syncing.result()); });
}

FolderFetch::~FolderFetch()
{
    m_file.close();
    std::error_code ignored;
    if (!m_temporary.empty())
        fs::remove_all(m_temporary, ignored);
}

void FolderFetch::start()
{
    m_hosts.whenReady([this](const Status& ready) {
        if (!ready.ok())
            return fail(ready.error());
        m_temporary.empty() ? list() : next();
    });
}

void FolderFetch::list()
{
    source().call(m_plan.list, this, [this](const Result<QJsonObject>& reply) {
        if (!reply.ok())
            return fail(reply.error());
        Status ready = takeList(reply->value("entries").toArray());
        if (ready.ok())
            ready = prepare();
        ready.ok() ? next() : finish(ready);
    });
}

Status FolderFetch::takeList(const QJsonArray& entries)
{
    m_files.clear();
    m_total = 0;
    for (const QJsonValue& entry : entries) {
        const File file{entry["name"].toString(), entry["size"].toInteger(-1), entry["sha256"].toString()};
        if (!isBundlePath(file.name.toStdString()) || file.bytes < 0 || entry["folder"].toBool())
            return failed(m_plan.host.toStdString() + " lists \"" + file.name.toStdString() +
                          "\", which is no file of " + m_plan.folder.toStdString());
        m_files.append(file);
        m_total += file.bytes;
    }
    if (m_files.isEmpty())
        return failed(m_plan.folder.toStdString() + " is empty on " + m_plan.host.toStdString());
    return {};
}

Status FolderFetch::prepare()
{
    std::error_code ignored;
    if (fs::exists(fs::symlink_status(m_plan.destination, ignored)))
        return badInput(m_plan.destination.string() + " exists already",
                        "choose another folder, or remove it first");
    fs::path temporary = m_plan.destination;
    temporary += temporarySuffix();
    TRAINYARD_TRY_STATUS(makeFolder(temporary));
    m_temporary = temporary;
    return checkSpace();
}

Status FolderFetch::checkSpace() const
{
    std::error_code unknown;
    const auto space = fs::space(m_temporary, unknown);
    if (unknown || space.available >= static_cast<Bytes>(m_total))
        return {};
    return failed(m_plan.destination.string() + " needs " + formatBytes(static_cast<Bytes>(m_total)) +
                      ", and its disk has " + formatBytes(space.available) + " free",
                  "free some space, or choose a folder on another disk");
}

void FolderFetch::next()
{
    while (!m_files.isEmpty() && !m_ended) {
        if (const Status opened = m_file.is_open() ? Status() : openFile(); !opened.ok())
            return finish(opened);
        if (m_written < m_files.first().bytes)
            return readOn();
        if (const Status closed = closeFile(); !closed.ok())
            return finish(closed);
    }
    if (!m_ended)
        sync();
}

/// From where the file ends here: of what was asked for earlier nothing comes any more.
void FolderFetch::readOn()
{
    ++m_round;
    m_arrived.clear();
    m_asked = m_written;
    askForMore();
}

void FolderFetch::askForMore()
{
    const File& file = m_files.first();
    QJsonObject request = m_plan.read;
    request["file"] = request["file"].toString() + file.name;
    while (m_asked < file.bytes && m_asked - m_written < kAskedAhead) {
        const qint64 offset = m_asked;
        const qint64 limit = std::min(kFetchedPiece, file.bytes - offset);
        m_asked += limit;
        readPiece(source(), request, offset, limit, this,
                  [this, offset, limit, round = m_round](const Result<FilePiece>& piece) {
                      if (round != m_round || m_ended)
                          return;
                      if (!piece.ok())
                          return fail(piece.error());
                      if (piece->bytes.size() != limit)
                          return finish(fileBecameShorter());
                      take(offset, piece->bytes);
                  });
    }
}

Error FolderFetch::fileBecameShorter() const
{
    return failed(m_files.first().name.toStdString() + " was truncated on the host during the download",
                  "check that nothing else writes to the folder, then try again");
}

void FolderFetch::take(qint64 offset, const QByteArray& bytes)
{
    m_failures = 0;
    m_arrived[offset] = bytes;
    for (auto piece = m_arrived.begin(); piece != m_arrived.end() && piece->first == m_written;
         piece = m_arrived.erase(piece)) {
        m_file.write(piece->second.constData(), piece->second.size());
        m_hash->update(
            std::string_view(piece->second.constData(), static_cast<std::size_t>(piece->second.size())));
        m_written += piece->second.size();
    }
    if (!m_file)
        return finish(failed("cannot write " + m_plan.destination.string(), "its disk may be full"));
    emit progress(m_done + m_written, m_total);
    m_written < m_files.first().bytes ? askForMore() : next();
}

Status FolderFetch::openFile()
{
    const fs::path path = m_temporary / m_files.first().name.toStdString();
    TRAINYARD_TRY_STATUS(makeFolder(path.parent_path()));
    m_file.open(path, std::ios::binary);
    m_hash.emplace();
    return {};
}

Status FolderFetch::closeFile()
{
    m_file.close();
    if (!m_file)
        return failed("cannot write " + m_plan.destination.string(), "its disk may be full");
    const File& file = m_files.first();
    const std::string found = m_hash->hexDigest();
    m_hash.reset();
    if (!file.sha256.isEmpty() && file.sha256.toStdString() != found)
        return failed(file.name.toStdString() + " on " + m_plan.host.toStdString() +
                          " is damaged: its hash is not the one in the manifest",
                      "`trainyard verify --host` checks the whole data set");
    m_done += m_files.first().bytes;
    m_files.removeFirst();
    m_written = 0;
    return {};
}

/// In another thread: gigabytes take a while.
void FolderFetch::sync()
{
    auto promise = std::make_shared<QPromise<Status>>();
    promise->start();
    m_syncing.setFuture(promise->future());
    QThreadPool::globalInstance()->start([promise, folder = m_temporary] {
        promise->addResult(syncTree(folder));
        promise->finish();
    });
}

void FolderFetch::publish(const Status& synced)
{
    if (!synced.ok())
        return finish(synced);
    std::error_code problem;
    fs::rename(m_temporary, m_plan.destination, problem);
    if (problem)
        return finish(failed("cannot create " + m_plan.destination.string() + ": " + problem.message()));
    m_temporary.clear();
    const fs::path parent = fs::absolute(m_plan.destination).parent_path();
    (void)syncPath(parent); // the folder is there; only a power cut now could lose its name
    finish({});
}

/// A link that is gone comes back: the target sees to it.
void FolderFetch::fail(const Error& error)
{
    ++m_round;
    if (error.kind != ErrorKind::Unreachable || ++m_failures > kMaxBrokenLinks)
        return finish(error);
    QTimer::singleShot(kPauseAfterBrokenLink, this, &FolderFetch::start);
}

void FolderFetch::finish(const Status& result)
{
    if (!std::exchange(m_ended, true))
        emit finished(result);
}

} // namespace trainyard
