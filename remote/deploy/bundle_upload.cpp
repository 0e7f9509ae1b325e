#include "remote/deploy/bundle_upload.h"

#include <QJsonArray>
#include <QMap>
#include <fmt/format.h>

#include "engine/base/units.h"
#include "remote/wire/protocol.h"

namespace trainyard {

namespace {

constexpr int kMaxRepeats = 3;
constexpr int kMaxPushes = 20; ///< from another host: a network that breaks all the time must come to an end
constexpr std::size_t kMaxOpenFiles = 16;              ///< files under way at once on one host
constexpr std::uint64_t kWorthLookingFor = 256 * kKiB; ///< smaller files are sent sooner than found
constexpr qint64 kInodesPerFile = 2;                   ///< the file itself and the sums of its blocks

} // namespace

BundleUpload::BundleUpload(const Parcel& parcel, Target& target, Meeting meeting,
                           std::chrono::milliseconds patience)
    : m_parcel(parcel), m_target(&target), m_host(target.host()), m_meeting(std::move(meeting))
{
    m_patience.setSingleShot(true);
    m_patience.setInterval(patience);
    connect(&m_patience, &QTimer::timeout, this, [this] {
        finish(unreachable(fmt::format("{} has been unreachable for {}", m_host.toStdString(),
                                       formatDuration(m_patience.intervalAsDuration())),
                           "uploaded parts are kept: start again when it is reachable"));
    });
    connect(&target, &Target::stateChanged, this, &BundleUpload::onState);
    connect(&target, &Target::attemptFailed, this, &BundleUpload::onAttemptFailed);
}

BundleUpload::~BundleUpload()
{
    endPush();
}

void BundleUpload::receiveFrom(Target& source, const QJsonObject& request)
{
    m_source = &source;
    m_push = request;
    // Its own link broke: it has stopped sending.
    connect(&source, &Target::stateChanged, this, [this](Target::State state) {
        if (state == Target::State::Ready && m_source && m_stage == Stage::Asking)
            onState();
    });
}

void BundleUpload::receiveFromHere(const QString& why)
{
    if (m_done || !m_source)
        return;
    endPush();
    if (!m_parcel.isHere)
        return finish(
            unreachable(m_host.toStdString() + " cannot get " + m_parcel.what.toStdString() + " from " +
                            m_source->host().toStdString() + ": " + why.toStdString(),
                        "bring it to this computer (`trainyard data fetch`) and send it from here"));
    m_source = nullptr;
    emit noticed(QString("%1 gets %2 through this computer: %3").arg(m_host, m_parcel.what, why));
    if (m_stage == Stage::Asking)
        onState();
}

void BundleUpload::start()
{
    m_target->open();
    QMetaObject::invokeMethod(this, &BundleUpload::onState, Qt::QueuedConnection);
}

void BundleUpload::cancel()
{
    finish(cancelled("the deployment to " + m_host.toStdString() + " was cancelled"));
}

void BundleUpload::onState()
{
    if (m_done || !m_target || m_target->state() != Target::State::Ready)
        return;
    m_wasReady = true;
    m_patience.stop();
    if (m_stage == Stage::Meeting)
        meet();
    else if (m_stage == Stage::Asking || m_stage == Stage::Sending)
        askWhatIsMissing();
}

/// A host that answered once is waited for; one that never did is an error to show now.
void BundleUpload::onAttemptFailed(const Error& error)
{
    if (!m_wasReady || error.kind != ErrorKind::Unreachable)
        return finish(error);
    if (!m_done && !m_patience.isActive())
        m_patience.start();
}

void BundleUpload::meet()
{
    if (m_meeting.mark.isEmpty()) {
        m_stage = Stage::Waiting;
        emit met({});
        return;
    }
    m_target->call(
        {{"op", "mark"}, {"mark", m_meeting.mark}, {"others", QJsonArray::fromStringList(m_meeting.others)}},
        this, [this](const Result<QJsonObject>& reply) {
            if (!reply.ok())
                return handle(reply.error());
            QSet<QString> seen;
            for (const auto& mark : reply->value("seen").toArray())
                seen << mark.toString();
            m_stage = Stage::Waiting;
            emit met(seen);
        });
}

void BundleUpload::proceed()
{
    if (m_done)
        return;
    m_stage = Stage::Asking;
    askWhatIsMissing();
}

void BundleUpload::askWhatIsMissing()
{
    dropUploads();
    endPush();
    QJsonArray hashes;
    QSet<QString> asked;
    for (const auto& file : m_parcel.files) {
        const QString hash = QString::fromStdString(file.sha256);
        if (!asked.contains(hash))
            hashes << hash;
        asked << hash;
    }
    m_target->call({{"op", "have"}, {"sha256", hashes}}, this, [this](const Result<QJsonObject>& reply) {
        if (reply.ok())
            onMissing(*reply);
        else
            handle(reply.error());
    });
}

void BundleUpload::onMissing(const QJsonObject& reply)
{
    if (m_done)
        return;
    QMap<QString, qint64> have;
    for (const auto& entry : reply.value("missing").toArray()) {
        const QJsonObject blob = entry.toObject();
        have.insert(blob.value("sha256").toString(), blob.value("have_bytes").toInteger());
    }
    m_missing.clear();
    for (const auto& file : m_parcel.files) {
        const auto found = have.find(QString::fromStdString(file.sha256));
        if (found == have.end())
            continue;
        const auto verified =
            std::min<std::uint64_t>(file.size, static_cast<std::uint64_t>(std::max<qint64>(*found, 0)));
        m_missing.push_back({&file, verified});
        have.erase(found);
    }
    // Asked before anything is sent, so that a disk that is too small says so with its figures.
    if (const Status room = checkRoom(reply.value("disk").toObject()); !room.ok())
        return finish(room);
    if (m_stage != Stage::Asking)
        onPlanned();
    else if (m_parcel.mayBeElsewhere)
        askWhatIsElsewhere();
    else if (m_source && !m_missing.empty() && m_pushes < kMaxPushes)
        askOtherHost();
    else
        onPlanned();
}

Status BundleUpload::checkRoom(const QJsonObject& disk) const
{
    const qint64 needed = missingBytes(), free = disk.value("free").toInteger(needed);
    const qint64 files = static_cast<qint64>(m_missing.size()) * kInodesPerFile;
    const qint64 inodes = disk.value("inodes_free").toInteger(files);
    const std::string place = m_host.toStdString(), what = m_parcel.what.toStdString();
    const std::string path = disk.value("path").toString().toStdString();
    if (free < needed)
        return refused(
            fmt::format("{} does not fit on {}: it needs {} ({} bytes) more, {} ({} bytes) are free at {}",
                        what, place, formatBytes(Bytes(needed)), needed, formatBytes(Bytes(free)), free,
                        path),
            m_parcel.roomHint.toStdString());
    if (inodes < files)
        return refused(fmt::format("{} does not fit on {}: it needs {} files more, {} are free at {}", what,
                                   place, files, inodes, path),
                       "remove files there (the file system has no room for more of them), or set "
                       "TRAINYARD_HOME on the host "
                       "to a folder with enough space");
    return {};
}

/// A node's own LibTorch need not be sent to it.
void BundleUpload::askWhatIsElsewhere()
{
    QJsonArray files;
    for (const Missing& missing : m_missing) {
        if (missing.left() >= kWorthLookingFor)
            files << QJsonObject{{"name", QString::fromStdString(missing.file->source.filename().string())},
                                 {"size", static_cast<qint64>(missing.file->size)},
                                 {"sha256", QString::fromStdString(missing.file->sha256)}};
    }
    if (files.isEmpty())
        return onPlanned();
    m_target->call({{"op", "adopt"}, {"files", files}}, this, [this](const Result<QJsonObject>& reply) {
        if (reply.ok())
            onAdopted(*reply);
        else
            handle(reply.error());
    });
}

void BundleUpload::onAdopted(const QJsonObject& reply)
{
    QSet<QString> adopted;
    for (const auto& hash : reply.value("adopted").toArray())
        adopted << hash.toString();
    const qint64 before = missingBytes();
    std::erase_if(m_missing, [&](const Missing& missing) {
        return adopted.contains(QString::fromStdString(missing.file->sha256));
    });
    if (const qint64 spared = before - missingBytes(); spared > 0)
        emit noticed(QString("%1 already has %2 of %3, identical to the byte; not uploaded again")
                         .arg(m_host, QString::fromStdString(formatBytes(Bytes(spared))), m_parcel.what));
    onPlanned();
}

/// It sends as it gets the files itself; the bytes that are still missing then come from here.
void BundleUpload::askOtherHost()
{
    QJsonArray files;
    for (const Missing& missing : m_missing)
        files << QJsonObject{{"name", QString::fromStdString(missing.file->path)},
                             {"size", static_cast<qint64>(missing.file->size)},
                             {"sha256", QString::fromStdString(missing.file->sha256)}};
    QJsonObject request = m_push;
    request.insert("files", files);
    qint64 whole = 0;
    for (const Missing& missing : m_missing)
        whole += static_cast<qint64>(missing.file->size);
    m_left = missingBytes();
    m_total = std::max(m_total, m_left);
    Target::Handlers handlers;
    handlers.interim = [this, whole](const QJsonObject& message) {
        m_left = std::clamp<qint64>(whole - message.value("done").toInteger(), 0, m_left);
        emit progress(m_total - m_left, m_total);
    };
    handlers.done = [this](const Result<QJsonObject>& reply) { onPushed(reply); };
    emit progress(m_total - m_left, m_total);
    ++m_pushes;
    m_pushCall = m_source->call(request, this, std::move(handlers));
}

void BundleUpload::onPushed(const Result<QJsonObject>& reply)
{
    m_pushCall = 0;
    if (m_done || !m_source)
        return;
    if (reply.ok())
        return askWhatIsMissing();
    if (m_source->state() != Target::State::Ready)
        return awaitSource();
    if (m_target->state() != Target::State::Ready)
        return; // onState() asks again
    receiveFromHere(QString::fromStdString(reply.error().message));
}

/// Its link comes back by itself, or not.
void BundleUpload::awaitSource()
{
    QTimer::singleShot(m_patience.intervalAsDuration(), this, [this, push = m_pushes] {
        if (m_source && m_pushes == push && m_stage == Stage::Asking)
            receiveFromHere(m_source->host() + " has been unreachable for " +
                            QString::fromStdString(formatDuration(m_patience.intervalAsDuration())));
    });
}

void BundleUpload::endPush()
{
    if (m_source && m_pushCall != 0)
        m_source->cancel(m_pushCall);
    m_pushCall = 0;
}

void BundleUpload::onPlanned()
{
    if (m_done)
        return;
    m_left = missingBytes();
    m_total = std::max(m_total, m_left);
    emit progress(m_total - m_left, m_total);
    if (m_missing.empty())
        return assemble();
    if (m_stage == Stage::Sending)
        return fillWindow();
    m_stage = Stage::Queued;
    emit wantsToSend();
}

void BundleUpload::send()
{
    m_stage = Stage::Sending;
    fillWindow();
}

/// As much as the protocol lets be under way: a fast link stays full, a slow one holds back no control
/// message. The next file does not wait for the last words on the one before.
void BundleUpload::fillWindow()
{
    std::uint64_t underWay = 0;
    for (const auto& upload : m_open)
        underWay += upload->underWay();
    for (std::size_t i = 0; underWay + kUploadChunk <= kUploadWindow; ++i) {
        if (i == m_open.size()) {
            if (m_missing.empty() || m_open.size() == kMaxOpenFiles)
                break;
            openNext();
        }
        underWay += m_open[i]->send(kUploadWindow - underWay);
    }
}

void BundleUpload::openNext()
{
    const Missing next = m_missing.front();
    m_missing.pop_front();
    BlobUpload* upload =
        m_open.emplace_back(std::make_unique<BlobUpload>(*m_target, *next.file, next.have)).get();
    connect(upload, &BlobUpload::acknowledged, this, &BundleUpload::onAcknowledged);
    connect(upload, &BlobUpload::finished, this,
            [this, upload](const Status& result) { onPut(upload, result); });
    upload->start();
}

void BundleUpload::onAcknowledged(qint64 bytes)
{
    if (m_done)
        return;
    m_left -= bytes;
    emit progress(m_total - m_left, m_total);
    fillWindow();
}

void BundleUpload::onPut(BlobUpload* upload, const Status& result)
{
    if (m_done)
        return;
    const auto at = std::ranges::find(m_open, upload, &std::unique_ptr<BlobUpload>::get);
    m_left -= static_cast<qint64>(upload->left());
    at->release()->deleteLater(); // we are in its signal
    m_open.erase(at);
    if (!result.ok())
        return handle(result.error());
    emit progress(m_total - m_left, m_total);
    if (m_open.empty() && m_missing.empty())
        assemble();
    else
        fillWindow();
}

void BundleUpload::dropUploads()
{
    for (auto& upload : m_open) {
        upload->disconnect(this);
        upload->stop();
        upload.release()->deleteLater(); // we may be in its signal
    }
    m_open.clear();
}

void BundleUpload::assemble()
{
    m_target->call(m_parcel.assembly, this, [this](const Result<QJsonObject>& reply) {
        if (reply.ok())
            finish({});
        else
            handle(reply.error());
    });
}

qint64 BundleUpload::missingBytes() const
{
    std::uint64_t bytes = 0;
    for (const Missing& missing : m_missing)
        bytes += missing.left();
    return static_cast<qint64>(bytes);
}

/// A lost link comes back by itself, and onState goes on then. An upload whose place another desk has moved
/// in the meantime is asked for anew, a few times.
void BundleUpload::handle(const Error& error)
{
    if (m_done ||
        (error.kind == ErrorKind::Unreachable && m_target && m_target->state() == Target::State::Lost))
        return;
    if (error.kind == ErrorKind::Refused && m_repeats++ < kMaxRepeats)
        return askWhatIsMissing();
    finish(error);
}

void BundleUpload::finish(const Status& result)
{
    if (std::exchange(m_done, true))
        return;
    m_patience.stop();
    dropUploads();
    endPush();
    emit finished(result);
}

} // namespace trainyard
