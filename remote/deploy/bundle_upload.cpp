#include "remote/deploy/bundle_upload.h"

#include <QJsonArray>
#include <QMap>
#include <fmt/format.h>

#include "engine/base/units.h"

namespace trainyard {

namespace {

constexpr int kMostRepeats = 3;

} // namespace

BundleUpload::BundleUpload(const Bundle& bundle, Target& target)
    : m_bundle(bundle), m_target(&target), m_host(target.host())
{
    connect(&target, &Target::stateChanged, this, &BundleUpload::onState);
    connect(&target, &Target::attemptFailed, this, &BundleUpload::onAttemptFailed);
}

BundleUpload::~BundleUpload() = default;

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
    askWhatIsMissing();
}

/// A host that answered once is waited for; one that never did is an error to show now.
void BundleUpload::onAttemptFailed(const Error& error)
{
    if (!m_wasReady || error.kind != ErrorKind::Unreachable)
        finish(error);
}

void BundleUpload::askWhatIsMissing()
{
    m_current.reset();
    QJsonArray hashes;
    std::set<std::string> asked;
    for (const auto& file : m_bundle.files) {
        if (asked.insert(file.sha256).second)
            hashes << QString::fromStdString(file.sha256);
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
    QMap<QString, qint64> have;
    for (const auto& entry : reply.value("missing").toArray()) {
        const QJsonObject blob = entry.toObject();
        have.insert(blob.value("sha256").toString(), blob.value("have_bytes").toInteger());
    }
    m_missing.clear();
    m_left = 0;
    for (const auto& file : m_bundle.files) {
        const auto found = have.find(QString::fromStdString(file.sha256));
        if (found == have.end())
            continue;
        const auto verified =
            std::min<std::uint64_t>(file.size, static_cast<std::uint64_t>(std::max<qint64>(*found, 0)));
        m_missing.push_back({&file, verified});
        m_left += static_cast<qint64>(file.size - verified);
        have.erase(found);
    }
    m_total = std::max(m_total, m_left);
    emit progress(m_total - m_left, m_total);
    checkRoom();
}

/// Asked before anything is sent, so that a disk that is too small says so with both figures.
void BundleUpload::checkRoom()
{
    if (m_missing.empty())
        return assemble();
    m_target->call({{"op", "probe"}}, this, [this](const Result<QJsonObject>& reply) {
        if (!reply.ok())
            return handle(reply.error());
        const qint64 free = reply->value("disk").toObject().value("free").toInteger(m_left);
        if (free >= m_left)
            return putNext();
        finish(refused(
            fmt::format(
                "the engine does not fit on {}: it needs {} ({} bytes) more, {} ({} bytes) are free at {}",
                m_host.toStdString(), formatBytes(Bytes(m_left)), m_left, formatBytes(Bytes(free)), free,
                reply->value("disk").toObject().value("path").toString().toStdString()),
            "free space there, or set TRAINYARD_HOME on the host to a folder with room"));
    });
}

void BundleUpload::putNext()
{
    if (m_missing.empty())
        return assemble();
    const Missing next = m_missing.front();
    m_current = std::make_unique<BlobUpload>(*m_target, *next.file, next.have);
    connect(m_current.get(), &BlobUpload::acknowledged, this, [this, next](qint64 bytes) {
        emit progress(m_total - m_left + bytes - static_cast<qint64>(next.have), m_total);
    });
    connect(m_current.get(), &BlobUpload::finished, this, &BundleUpload::onPut);
    m_current->start();
}

void BundleUpload::onPut(const Status& result)
{
    if (m_done)
        return;
    m_current.release()->deleteLater(); // we are in its signal
    if (!result.ok())
        return handle(result.error());
    m_left -= static_cast<qint64>(m_missing.front().file->size - m_missing.front().have);
    m_missing.pop_front();
    emit progress(m_total - m_left, m_total);
    putNext();
}

void BundleUpload::assemble()
{
    QJsonArray files;
    for (const auto& file : m_bundle.files) {
        files << QJsonObject{{"path", QString::fromStdString(file.path)},
                             {"mode", file.executable ? "0755" : "0644"},
                             {"sha256", QString::fromStdString(file.sha256)}};
    }
    m_target->call({{"op", "assemble"}, {"bundle", QString::fromStdString(m_bundle.id)}, {"files", files}},
                   this, [this](const Result<QJsonObject>& reply) {
                       if (reply.ok())
                           finish({});
                       else
                           handle(reply.error());
                   });
}

/// A lost link comes back by itself, and onState goes on then. An upload whose place another desk has moved
/// in the meantime is asked for anew, a few times.
void BundleUpload::handle(const Error& error)
{
    if (m_done ||
        (error.kind == ErrorKind::Unreachable && m_target && m_target->state() == Target::State::Lost))
        return;
    if (error.kind == ErrorKind::Refused && m_repeats++ < kMostRepeats)
        return askWhatIsMissing();
    finish(error);
}

void BundleUpload::finish(const Status& result)
{
    if (std::exchange(m_done, true))
        return;
    if (m_current) {
        m_current->stop();
        m_current.release()->deleteLater(); // we may be in its signal
    }
    emit finished(result);
}

} // namespace trainyard
