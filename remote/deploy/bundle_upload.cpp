#include "remote/deploy/bundle_upload.h"

#include <limits>

#include <QJsonArray>
#include <QMap>
#include <fmt/format.h>

#include "engine/base/units.h"
#include "remote/wire/protocol.h"

namespace trainyard {

namespace {

constexpr int kMaxRepeats = 3;
constexpr int kMaxPushesInVain =
    5; ///< from another host, in a row: a network that breaks must come to an end
constexpr std::chrono::seconds kPushPause{1};
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
    m_pushPause.setSingleShot(true);
    connect(&m_pushPause, &QTimer::timeout, this, &BundleUpload::pushAgain);
    m_silence.setSingleShot(true);
    m_silence.setInterval(patience);
    connect(&m_silence, &QTimer::timeout, this, [this] {
        leaveFeed(unreachable(feedName() + " has sent nothing for " +
                              formatDuration(m_silence.intervalAsDuration())));
    });
    connect(&target, &Target::stateChanged, this, &BundleUpload::onState);
    connect(&target, &Target::attemptFailed, this, &BundleUpload::onAttemptFailed);
    connect(&target, &QObject::destroyed, this, &BundleUpload::cancel);
}

BundleUpload::~BundleUpload()
{
    dropCall();
    endPush();
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

/// What another host sends meanwhile does not need this computer's link to the receiver.
void BundleUpload::onState()
{
    if (m_done || !m_target || m_target->state() != Target::State::Ready)
        return;
    m_wasReady = true;
    m_patience.stop();
    if (m_stage == Stage::Meeting)
        meet();
    else if (m_stage == Stage::Asking || m_stage == Stage::Sending || m_stage == Stage::Assembling)
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

/// A request whose answer is not wanted any more must not be answered beside the next one.
void BundleUpload::ask(const QJsonObject& request, Answer answer)
{
    dropCall();
    m_call = m_target->call(request, this, [this, answer](const Result<QJsonObject>& reply) {
        m_call = 0;
        if (m_done)
            return;
        if (reply.ok())
            (this->*answer)(*reply);
        else
            handle(reply.error());
    });
}

void BundleUpload::dropCall()
{
    if (m_target && m_call != 0)
        m_target->cancel(m_call);
    m_call = 0;
}

void BundleUpload::meet()
{
    if (m_meeting.mark.isEmpty())
        return onMarks({});
    ask({{"op", "mark"}, {"mark", m_meeting.mark}, {"others", QJsonArray::fromStringList(m_meeting.others)}},
        &BundleUpload::onMarks);
}

void BundleUpload::onMarks(const QJsonObject& reply)
{
    QSet<QString> seen;
    for (const auto& mark : reply.value("seen").toArray())
        seen << mark.toString();
    m_stage = Stage::Waiting;
    emit marksSeen(seen);
}

void BundleUpload::proceed()
{
    if (!m_done)
        askWhatIsMissing();
}

void BundleUpload::askWhatIsMissing()
{
    dropUploads();
    endPush();
    m_stage = Stage::Asking;
    if (!m_target || m_target->state() != Target::State::Ready)
        return; // onState() asks
    QJsonArray hashes;
    QSet<QString> asked;
    for (const auto& file : m_parcel.files) {
        const QString hash = QString::fromStdString(file.sha256);
        if (!asked.contains(hash))
            hashes << hash;
        asked << hash;
    }
    ask({{"op", "have"}, {"sha256", hashes}}, &BundleUpload::onMissing);
}

void BundleUpload::onMissing(const QJsonObject& reply)
{
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
    if (m_parcel.mayBeElsewhere && !m_isFromHere && !m_feed)
        askWhatIsElsewhere();
    else
        receiveMissing();
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
        return receiveMissing();
    ask({{"op", "adopt"}, {"files", files}}, &BundleUpload::onAdopted);
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
    receiveMissing();
}

void BundleUpload::receiveMissing()
{
    m_left = missingBytes();
    m_total = std::max(m_total, m_left);
    emit progress(m_total - m_left, m_total);
    if (m_done) // a listener has cancelled
        return;
    if (m_missing.empty())
        return assemble();
    if (m_feed)
        return push();
    if (m_isFromHere)
        return receiveFromHere();
    m_stage = Stage::Queued;
    emit wantsFiles();
}

void BundleUpload::receiveFromHere()
{
    if (m_done)
        return;
    m_isFromHere = true;
    m_stage = Stage::Sending;
    fillWindow();
}

void BundleUpload::receiveFrom(const Feed& feed)
{
    if (m_done)
        return;
    m_feed = feed;
    m_feedIsDone = false;
    m_pushesInVain = 0;
    m_leftAtPush = std::numeric_limits<qint64>::max();
    m_feedLost.invalidate();
    push();
}

void BundleUpload::onFeedDone()
{
    m_feedIsDone = true;
    if (m_pushCall != 0)
        m_silence.start();
}

void BundleUpload::leaveFeed(const Error& why)
{
    if (m_done || !m_feed)
        return;
    endPush();
    m_feed.reset();
    emit feedFailed(why);
    if (!m_done && m_stage != Stage::Assembling)
        askWhatIsMissing();
}

/// The other host sends as it gets the files itself.
void BundleUpload::push()
{
    if (!m_feed->from || m_feed->from->state() != Target::State::Ready)
        return awaitFeed();
    m_feedLost.invalidate();
    const qint64 left = missingBytes();
    m_pushesInVain = left < std::exchange(m_leftAtPush, left) ? 0 : m_pushesInVain + 1;
    QJsonArray files;
    qint64 whole = 0;
    for (const Missing& missing : m_missing) {
        files << QJsonObject{{"name", QString::fromStdString(missing.file->path)},
                             {"size", static_cast<qint64>(missing.file->size)},
                             {"sha256", QString::fromStdString(missing.file->sha256)}};
        whole += static_cast<qint64>(missing.file->size);
    }
    QJsonObject request = m_feed->request;
    request.insert("files", files);
    Target::Handlers handlers;
    handlers.interim = [this, whole](const QJsonObject& message) {
        if (m_silence.isActive())
            m_silence.start();
        m_left = std::clamp<qint64>(whole - message.value("done").toInteger(), 0, m_left);
        emit progress(m_total - m_left, m_total);
    };
    handlers.done = [this](const Result<QJsonObject>& reply) { onPushed(reply); };
    m_stage = Stage::Receiving;
    m_pushCall = m_feed->from->call(request, this, std::move(handlers));
    if (m_feedIsDone)
        m_silence.start();
}

void BundleUpload::onPushed(const Result<QJsonObject>& reply)
{
    m_pushCall = 0;
    m_silence.stop();
    if (m_done || !m_feed)
        return;
    if (reply.ok() && m_pushesInVain < kMaxPushesInVain)
        return askWhatIsMissing();
    const Error error = reply.ok() ? failed(feedName() + " sends less than it says") : reply.error();
    const bool mayPass = error.kind == ErrorKind::Unreachable || error.kind == ErrorKind::Refused;
    if (!mayPass || m_pushesInVain >= kMaxPushesInVain)
        return leaveFeed(error);
    m_stage = Stage::Asking;
    m_pushPause.start(kPushPause);
}

void BundleUpload::pushAgain()
{
    if (m_feed && m_feed->from && m_feed->from->state() == Target::State::Ready)
        askWhatIsMissing();
    else if (m_feed)
        awaitFeed();
}

/// This computer's link to it comes back by itself, or not.
void BundleUpload::awaitFeed()
{
    m_stage = Stage::Asking;
    if (!m_feedLost.isValid())
        m_feedLost.start();
    if (!m_feed->from || m_feedLost.hasExpired(m_patience.interval()))
        leaveFeed(unreachable(feedName() + " has been unreachable for " +
                              formatDuration(m_patience.intervalAsDuration())));
    else
        m_pushPause.start(kPushPause);
}

void BundleUpload::endPush()
{
    m_pushPause.stop();
    m_silence.stop();
    if (m_feed && m_feed->from && m_pushCall != 0)
        m_feed->from->cancel(m_pushCall);
    m_pushCall = 0;
}

std::string BundleUpload::feedName() const
{
    return m_feed && m_feed->from ? m_feed->from->host().toStdString() : "the other host";
}

/// As much as the protocol lets be under way: a fast link stays full, a slow one holds back no control
/// message. The next file does not wait for the last words on the one before.
void BundleUpload::fillWindow()
{
    if (m_done) // a listener has cancelled
        return;
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
    if (m_open.empty() && m_missing.empty() && !m_done)
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
    m_stage = Stage::Assembling;
    ask(m_parcel.assembly, &BundleUpload::onAssembled);
}

void BundleUpload::onAssembled(const QJsonObject&)
{
    finish({});
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
        (error.kind == ErrorKind::Unreachable && m_target && m_target->state() != Target::State::Ready))
        return;
    if (error.kind == ErrorKind::Refused && m_repeats++ < kMaxRepeats)
        return askWhatIsMissing();
    finish(error);
}

/// Later, because the deployment may be about to use this object.
void BundleUpload::finish(const Status& result)
{
    if (std::exchange(m_done, true))
        return;
    m_patience.stop();
    dropCall();
    dropUploads();
    endPush();
    QMetaObject::invokeMethod(
        this, [this, result] { emit finished(result); }, Qt::QueuedConnection);
}

} // namespace trainyard
