#include "remote/preflight/host_check.h"

#include <QElapsedTimer>
#include <QJsonArray>

#include "engine/base/clock.h"
#include "engine/base/units.h"

namespace trainyard {

namespace {

constexpr int kPings = 8;
constexpr double kNsPerMs = 1e6;
constexpr double kNsPerSecond = 1e9;

// How fast bytes get there is asked with few of them first, so that a slow link is not kept busy for long.
constexpr qint64 kFirstUpload = 64 * qint64(kKiB);
constexpr qint64 kMaxUpload = 4 * qint64(kMiB); // what may be under way at once
constexpr qint64 kQuickNs = 50'000'000;
constexpr qint64 kPiece = 64 * qint64(kKiB);

} // namespace

HostCheck::HostCheck(Target& target, EngineNeeds engine, QObject* parent)
    : QObject(parent), m_target(&target), m_engine(std::move(engine)), m_pingsLeft(kPings)
{
    m_patience.setSingleShot(true);
    connect(&target, &Target::stateChanged, this, &HostCheck::onState);
    connect(&target, &Target::attemptFailed, this, &HostCheck::fail);
    // Whoever makes progress is not late, and a person who is asked may take her time.
    const auto goOnWaiting = [this] {
        if (m_patience.interval() > 0 && !m_done)
            m_patience.start();
    };
    connect(&target, &Target::progress, this, goOnWaiting);
    connect(&target, &Target::stateChanged, this, goOnWaiting);
    connect(&target, &Target::hostKeyUnknown, &m_patience, &QTimer::stop);
    connect(&target, &Target::loginNeeded, &m_patience, &QTimer::stop);
    connect(&m_patience, &QTimer::timeout, this,
            [this] { fail(unreachable("the host did not answer in time")); });
}

void HostCheck::start(std::chrono::milliseconds patience)
{
    m_patience.start(patience);
    m_target->open();
    m_target->retryNow();
    QMetaObject::invokeMethod(this, &HostCheck::onState, Qt::QueuedConnection);
}

void HostCheck::onState()
{
    if (m_target && m_target->state() == Target::State::Ready && !std::exchange(m_asking, true))
        ping();
}

void HostCheck::fail(const Error& error)
{
    finish(unreachableReport(m_target ? m_target->host() : QString(), error));
}

void HostCheck::ping()
{
    const qint64 sent = systemClock().now().wallNs;
    m_target->call({{"op", "ping"}}, this,
                   [this, sent](const Result<QJsonObject>& reply) { onPing(sent, reply); });
}

/// The offset at the smallest round trip is the least disturbed one.
void HostCheck::onPing(qint64 sentWallNs, const Result<QJsonObject>& reply)
{
    if (!reply.ok())
        return fail(reply.error());
    const qint64 now = systemClock().now().wallNs;
    const double latencyMs = double(now - sentWallNs) / kNsPerMs;
    const qint64 theirs = reply->value("time").toObject().value("wall_ns").toInteger();
    if (!m_clock || latencyMs < m_clock->latencyMs)
        m_clock = ClockReading{latencyMs, double(theirs - (sentWallNs + now) / 2) / kNsPerMs};
    if (--m_pingsLeft > 0)
        return ping();
    m_target->isLocal() ? findEngine() : measureUpload(kFirstUpload);
}

void HostCheck::measureUpload(qint64 bytes)
{
    QElapsedTimer timer;
    timer.start();
    const auto id = m_target->call({{"op", "discard"}, {"bytes", bytes}}, this,
                                   [this, bytes, timer](const Result<QJsonObject>& reply) {
                                       onUploaded(bytes, timer.nsecsElapsed(), reply);
                                   });
    for (qint64 sent = 0; sent < bytes; sent += kPiece)
        m_target->sendChunk(id, QByteArray(std::min(kPiece, bytes - sent), '\0'));
}

void HostCheck::onUploaded(qint64 bytes, qint64 nanoseconds, const Result<QJsonObject>& reply)
{
    if (!reply.ok())
        return fail(reply.error());
    m_link.uploadBytesPerSecond = double(bytes) * kNsPerSecond / double(std::max<qint64>(1, nanoseconds));
    bytes < kMaxUpload&& nanoseconds < kQuickNs ? measureUpload(kMaxUpload) : findEngine();
}

void HostCheck::findEngine()
{
    m_target->call({{"op", "bundles"}}, this, [this](const Result<QJsonObject>& reply) {
        if (!reply.ok())
            return fail(reply.error());
        m_link.hasEngine = reply->value("bundles").toArray().contains(m_engine.bundle);
        probe();
    });
}

void HostCheck::probe()
{
    QJsonObject request{{"op", "probe"}};
    if (!m_target->isLocal())
        request.insert("needs", m_engine.request());
    m_target->call(request, this, [this](const Result<QJsonObject>& reply) {
        if (!reply.ok())
            return fail(reply.error());
        m_link.clock = *m_clock;
        m_link.agent = m_target->agent().value_or(AgentFacts());
        finish(evaluateHost(readFacts(m_target->host(), *reply, m_link), m_engine));
    });
}

void HostCheck::finish(const HostReport& report)
{
    if (std::exchange(m_done, true))
        return;
    m_patience.stop();
    emit finished(report);
}

} // namespace trainyard
