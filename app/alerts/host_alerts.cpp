#include "app/alerts/alert_rules.h"

#include <algorithm>

#include "app/base/display_text.h"

namespace trainyard {

namespace {

constexpr Bytes kMinHeld = 256 * kMiB; ///< a device that only has a context holds less
constexpr double kMinHeldShare = 0.02; ///< of its memory
constexpr std::int64_t kSecond = 1'000'000'000;

QString hostOf(const ObservedRun& run, const NodeDevice& device)
{
    return oneLine(run.facts.allHosts().value(device.node(), device.stream));
}

QString nameOf(const ObservedRun& run, const NodeDevice& device)
{
    return QObject::tr("%1, device %2").arg(hostOf(run, device)).arg(device.sample.device);
}

double secondsSince(std::int64_t ns, std::int64_t nowNs)
{
    return double(nowNs - ns) / double(kSecond);
}

std::optional<Alert> linkLost(const ObservedRun& run, double patience)
{
    const double silent = double(run.nowMs) / 1000 - double(run.series.newestNs()) / double(kSecond);
    if (run.link != RunLink::Lost || isFinal(run.series.status().state) || silent < patience)
        return std::nullopt;
    return Alert{AlertKind::LinkLost,
                 {},
                 Severity::Warning,
                 QObject::tr("%1 has been unreachable for %2. The run continues on the cluster.")
                     .arg(oneLine(run.facts.hosts.value(0)), displaySeconds(silent))};
}

/// Others are heard: else it is the link.
std::optional<Alert> lostHost(const ObservedRun& run, const NodeDevice& host, double patience)
{
    const double silent = secondsSince(host.time.wallNs, run.series.newestNs());
    if (!run.isLive() || silent < patience)
        return std::nullopt;
    const QString name = hostOf(run, host);
    return Alert{
        AlertKind::LostHost, name, Severity::Error,
        QObject::tr("No data from %1 for %2; other hosts are reporting").arg(name, displaySeconds(silent))};
}

std::optional<Alert> lowDisk(const ObservedRun& run, const NodeDevice& host, Bytes least)
{
    if (host.sample.diskFree >= least)
        return std::nullopt;
    const QString name = hostOf(run, host);
    return Alert{AlertKind::LowDisk, name, Severity::Warning,
                 QObject::tr("%1: %2 free on the disk of the run's folder; a checkpoint needs space")
                     .arg(name, displayBytes(double(host.sample.diskFree)))};
}

std::optional<Alert> lowMemory(const ObservedRun& run, const NodeDevice& host, double leastShare)
{
    const double total = double(host.sample.memoryTotal);
    const double free = total - double(host.sample.memoryUsed);
    if (!(total > 0) || free >= leastShare * total)
        return std::nullopt;
    const QString name = hostOf(run, host);
    return Alert{AlertKind::LowHostMemory, name, Severity::Warning,
                 QObject::tr("%1: %2 of %3 of host memory free; ranks are killed when it runs out")
                     .arg(name, displayBytes(free), displayBytes(total))};
}

std::optional<Alert> idleDevice(const ObservedRun& run, const NodeDevice& device, double patience)
{
    const double idle = secondsSince(device.busyNs, device.time.wallNs);
    const double held = double(device.sample.memoryUsed);
    if (idle < patience || held < double(kMinHeld) ||
        held < kMinHeldShare * double(device.sample.memoryTotal))
        return std::nullopt;
    const QString name = nameOf(run, device);
    return Alert{AlertKind::IdleDevice, name, Severity::Warning,
                 QObject::tr("%1 has been idle for %3 while holding %2")
                     .arg(name, displayBytes(held), displaySeconds(idle))};
}

/// Whether a rank computes on it; true where nobody knows.
bool isUsed(const ObservedRun& run, const NodeDevice& device)
{
    const auto& ranks = run.series.rankDevices().ranks;
    return ranks.empty() || device.sample.health.uuid.empty() ||
           std::ranges::any_of(
               ranks, [&](const RankDevice& rank) { return rank.device == device.sample.health.uuid; });
}

std::optional<Alert> memoryErrors(const ObservedRun& run, const NodeDevice& device)
{
    const auto errors = device.sample.health.uncorrectedErrors.value_or(0);
    if (errors == 0 || !isUsed(run, device))
        return std::nullopt;
    const QString name = nameOf(run, device);
    return Alert{AlertKind::MemoryErrors, name, Severity::Error,
                 QObject::tr("%1: %2 (ECC). Restart the host; if the errors return, replace the GPU.")
                     .arg(name, displayCounted(qint64(errors), "uncorrected memory error"))};
}

std::optional<Alert> slowDevice(const ObservedRun& run, const NodeDevice& device, double patience)
{
    const double slow = secondsSince(device.freeNs, device.time.wallNs);
    const DeviceHealth& health = device.sample.health;
    if (!isSlowedDown(health) || slow < patience || !isUsed(run, device))
        return std::nullopt;
    const QString name = nameOf(run, device);
    QStringList values{displaySeconds(slow)};
    if (device.sample.celsius)
        values << QObject::tr("%1\u00a0°C").arg(displayNumber(*device.sample.celsius));
    if (health.clockMhz && health.maxClockMhz)
        values << QObject::tr("%1 of %2 MHz")
                      .arg(displayNumber(*health.clockMhz), displayNumber(*health.maxClockMhz));
    const QString cause = health.isLimitedBy(ClockLimit::Heat)         ? QObject::tr("heat")
                          : health.isLimitedBy(ClockLimit::PowerBrake) ? QObject::tr("the power supply")
                                                                       : QObject::tr("the hardware");
    return Alert{AlertKind::SlowDevice, name, Severity::Warning,
                 QObject::tr("%1 has been throttled by %2 for %3")
                     .arg(name, cause, values.join(QStringLiteral(", ")))};
}

} // namespace

QList<Alert> hostAlerts(const ObservedRun& run, const AlertThresholds& thresholds)
{
    QList<Alert> alerts;
    const auto add = [&alerts](const std::optional<Alert>& alert) {
        if (alert)
            alerts.append(*alert);
    };
    add(linkLost(run, thresholds.linkSeconds));
    if (!run.isAtWork())
        return alerts;
    for (const NodeDevice& device : run.series.devices()) {
        if (device.sample.device >= 0) {
            add(memoryErrors(run, device));
            add(slowDevice(run, device, thresholds.slowDeviceSeconds));
            add(idleDevice(run, device, thresholds.idleSeconds));
            continue;
        }
        add(lostHost(run, device, thresholds.hostSilentSeconds));
        add(lowDisk(run, device, thresholds.diskFree));
        add(lowMemory(run, device, thresholds.hostMemoryFree));
    }
    return alerts;
}

} // namespace trainyard
