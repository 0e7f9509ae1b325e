#include "remote/target/host_check.h"

#include <gnu/libc-version.h>

#include "engine/base/clock.h"

namespace trainyard {

namespace {

constexpr int kPings = 8;
constexpr double kNsPerMs = 1e6;

} // namespace

HostCheck::HostCheck(Target& target, QObject* parent)
    : QObject(parent), m_target(&target), m_pingsLeft(kPings)
{
    m_patience.setSingleShot(true);
    connect(&target, &Target::stateChanged, this, &HostCheck::onState);
    connect(&target, &Target::attemptFailed, this, &HostCheck::fail);
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
        ping();
    else
        probe();
}

void HostCheck::probe()
{
    m_target->call({{"op", "probe"}}, this, [this](const Result<QJsonObject>& reply) {
        if (!reply.ok())
            return fail(reply.error());
        const HostFacts facts = readFacts(m_target->host(), *reply, *m_clock);
        const QString version = m_target->agent() ? m_target->agent()->version : QString();
        finish(judgeHost(facts, version, ::gnu_get_libc_version()));
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
