#include "remote/preflight/host_rows.h"

#include <cmath>

namespace trainyard::preflight {

namespace {

constexpr double kSlowUpload = 1e6; ///< bytes/s: the engine takes minutes then
constexpr double kMaxOffsetMs = 1000;
constexpr qint64 kSlowShellMs = 2000;

CheckRow connectionRow(const HostFacts& facts)
{
    if (facts.isThisMachine())
        return row("connection", "this machine");
    const double rate = facts.link.uploadBytesPerSecond;
    QString found = "answers in " + latencyText(facts.link.clock.latencyMs);
    if (rate > 0)
        found += ", upload " + rateText(rate);
    return row("connection", found, rate > 0 && rate < kSlowUpload ? Verdict::Warn : Verdict::Ok,
               "the first upload of the engine will take minutes; a computer closer to the host is faster");
}

/// The offset is known to half of the round trip: only what is surely off is a warning.
CheckRow clockRow(const HostFacts& facts)
{
    const ClockReading& clock = facts.link.clock;
    const double error = clock.latencyMs / 2;
    const QString found = QString("%1%2 ms ± %3 ms relative to this computer")
                              .arg(std::round(clock.offsetMs) < 0 ? "−" : "+")
                              .arg(std::abs(clock.offsetMs), 0, 'f', 0)
                              .arg(std::ceil(error), 0, 'f', 0);
    return row("clock", found, std::abs(clock.offsetMs) - error > kMaxOffsetMs ? Verdict::Warn : Verdict::Ok,
               "timestamps from this host will be off; start its time service (chrony, systemd-timesyncd)");
}

CheckRow shellRow(const HostFacts& facts)
{
    const QJsonObject shell = facts.raw.value("shell").toObject();
    const qint64 noise = shell.value("noise").toInteger();
    const qint64 milliseconds = shell.value("ms").toInteger();
    QString found = shell.value("path").toString();
    if (noise > 0)
        found += QString(", its start-up files print %1").arg(bytesText(noise));
    if (milliseconds > kSlowShellMs)
        found += QString(", its start-up files take %1 s").arg(double(milliseconds) / 1000, 0, 'f', 1);
    return row("login shell", found, noise > 0 || milliseconds > kSlowShellMs ? Verdict::Warn : Verdict::Ok,
               "return early from the start-up files in sessions without a terminal (case $- in *i*) ;; *) "
               "return;; esac): "
               "every login waits for them, and their output breaks other tools (scp, rsync)");
}

} // namespace

QString rateText(double bytesPerSecond)
{
    if (bytesPerSecond >= 1e9)
        return QString("%1 GB/s").arg(bytesPerSecond / 1e9, 0, 'f', 1);
    if (bytesPerSecond >= 1e7)
        return QString("%1 MB/s").arg(bytesPerSecond / 1e6, 0, 'f', 0);
    return QString("%1 MB/s").arg(bytesPerSecond / 1e6, 0, 'f', 2);
}

QString latencyText(double milliseconds)
{
    return QString("%1 ms").arg(milliseconds, 0, 'f', milliseconds < 1 ? 2 : milliseconds < 10 ? 1 : 0);
}

QList<CheckRow> connectionRows(const HostFacts& facts)
{
    QList<CheckRow> rows{connectionRow(facts)};
    if (!facts.isThisMachine())
        rows << row("host key", "known and unchanged");
    if (!facts.raw.value("shell").toObject().isEmpty())
        rows << shellRow(facts);
    rows << row("agent", QString("version %1 in %2").arg(facts.link.agent.version, facts.link.agent.root))
         << clockRow(facts);
    return rows;
}

} // namespace trainyard::preflight
