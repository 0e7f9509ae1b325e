#include "app/monitor/model/device_stats.h"

#include <algorithm>
#include <utility>

#include <QObject>
#include <QStringList>

#include "app/base/display_text.h"
#include "app/runs/recorded_run.h"
#include "engine/spec/device_name.h"

namespace trainyard {

namespace {

bool isUuid(const std::string& device)
{
    return device.starts_with(kGpuNamePrefix) || device.starts_with(kInstanceNamePrefix);
}

/// The newest sample of the rank's device. Where its UUID is unknown, as in an older run, a rank computes on
/// the device with the index of its slot.
std::optional<DeviceSample> sampleFor(const DeviceStats& stats, int node,
                                      const std::vector<NodeDevice>& samples)
{
    const auto isMeant = [&](const NodeDevice& found) {
        if (found.node() != node || found.sample.device < 0)
            return false;
        return isUuid(stats.device.device) && !found.sample.health.uuid.empty()
                   ? found.sample.health.uuid == stats.device.device
                   : found.sample.device == stats.slot;
    };
    const auto found = std::ranges::find_if(samples, isMeant);
    return found == samples.end() ? std::nullopt : std::optional(found->sample);
}

/// Fills in the place and the sample.
void place(DeviceStats& stats, const MappedDevice& mapped, const std::vector<NodeDevice>& samples)
{
    stats.slot = mapped.slot;
    stats.stage = mapped.at.pipeline;
    stats.groups = mapped.groups;
    stats.sample = sampleFor(stats, mapped.node, samples);
}

QString degreesText(double celsius)
{
    return QObject::tr("%1\u00a0°C").arg(displayNumber(celsius));
}

/// "284 W of 700 W", with what is known.
QString ofMaximum(const std::optional<double>& value, const std::optional<double>& maximum,
                  const QString& unit)
{
    if (!value)
        return {};
    const QString now = QStringLiteral("%1\u00a0%2").arg(displayNumber(*value), unit);
    return maximum ? QObject::tr("%1 of %2\u00a0%3").arg(now, displayNumber(*maximum), unit) : now;
}

/// Why it does not run at its highest clock; empty = it does, or nobody knows.
QString limitText(const DeviceHealth& health)
{
    QStringList reasons;
    for (const auto& [limit, reason] : {std::pair(ClockLimit::Power, QObject::tr("its power limit")),
                                        {ClockLimit::Heat, QObject::tr("heat")},
                                        {ClockLimit::PowerBrake, QObject::tr("the power supply")},
                                        {ClockLimit::Hardware, QObject::tr("the hardware")}}) {
        if (health.isLimitedBy(limit))
            reasons << reason;
    }
    return reasons.join(QObject::tr(" and "));
}

QString clockText(const DeviceHealth& health)
{
    const QString clock = ofMaximum(health.clockMhz, health.maxClockMhz, QStringLiteral("MHz"));
    const QString limit = limitText(health);
    return clock.isEmpty() || limit.isEmpty() ? clock : QObject::tr("%1, limited by %2").arg(clock, limit);
}

QString errorsText(const DeviceHealth& health)
{
    if (!health.uncorrectedErrors)
        return {};
    return QObject::tr("ECC errors: %1 corrected, %2 uncorrected")
        .arg(displayCount(qint64(health.correctedErrors.value_or(0))),
             displayCount(qint64(*health.uncorrectedErrors)));
}

QString linksText(const DeviceHealth& health)
{
    if (!health.linkSent || !health.linkReceived)
        return {};
    const QString rates = QObject::tr("NVLink: %1/s sent, %2/s received")
                              .arg(displayBytes(*health.linkSent), displayBytes(*health.linkReceived));
    return health.linkErrors.value_or(0) == 0
               ? rates
               : QObject::tr("%1, %2").arg(rates, displayCounted(qint64(*health.linkErrors), "error"));
}

/// "NVIDIA H100 80GB HBM3, 79.6 GiB".
QString deviceText(const RankDevice& device)
{
    const QString name = oneLine(QString::fromStdString(device.name));
    return name.isEmpty() || device.memory == 0
               ? name
               : QObject::tr("%1, %2").arg(name, displayBytes(double(device.memory)));
}

} // namespace

std::vector<DeviceStats> deviceStats(const RunFacts& facts, const RunSeries& series,
                                     const std::vector<MemoryByCategory>& planned)
{
    const QList<DeviceMemory> memory = deviceMemory(facts, series, planned);
    std::vector<DeviceStats> devices(series.ranks().size());
    for (std::size_t rank = 0; rank < devices.size(); ++rank) {
        devices[rank].rank = static_cast<int>(rank);
        devices[rank].memory = memory[static_cast<qsizetype>(rank)];
        devices[rank].time = series.ranks()[rank];
        if (rank < series.rankDevices().ranks.size())
            devices[rank].device = series.rankDevices().ranks[rank];
    }
    if (!facts.specNow())
        return devices;
    const std::vector<NodeDevice> samples = series.devices();
    const DeviceMap map(*facts.specNow());
    for (const MappedDevice& mapped : map.devices()) {
        if (!mapped.isFree() && static_cast<std::size_t>(mapped.rank) < devices.size())
            place(devices[static_cast<std::size_t>(mapped.rank)], mapped, samples);
    }
    return devices;
}

QString loadText(const DeviceSample& sample)
{
    QStringList parts{displayPercent(sample.utilisation)};
    if (sample.celsius)
        parts << degreesText(*sample.celsius);
    if (sample.watts)
        parts << QObject::tr("%1 W").arg(displayNumber(*sample.watts));
    return parts.join(QStringLiteral(" · "));
}

QString troubleText(const DeviceSample& sample)
{
    const DeviceHealth& health = sample.health;
    if (health.uncorrectedErrors.value_or(0) > 0)
        return displayCounted(qint64(*health.uncorrectedErrors), "uncorrected memory error");
    if (health.isLimitedBy(ClockLimit::Heat))
        return QObject::tr("throttled by heat");
    if (health.isLimitedBy(ClockLimit::PowerBrake))
        return QObject::tr("throttled by the power supply");
    return health.isLimitedBy(ClockLimit::Hardware) ? QObject::tr("throttled by hardware protection") : QString();
}

QStringList healthTexts(const DeviceStats& device)
{
    QStringList texts{deviceText(device.device)};
    if (device.sample) {
        const DeviceHealth& health = device.sample->health;
        if (health.memoryCelsius)
            texts << QObject::tr("memory %1").arg(degreesText(*health.memoryCelsius));
        if (health.limitWatts)
            texts << ofMaximum(device.sample->watts, health.limitWatts, QStringLiteral("W"));
        texts << clockText(health) << errorsText(health) << linksText(health);
    }
    texts.removeAll(QString());
    return texts;
}

QString placeText(const DeviceStats& device)
{
    QStringList parts{QObject::tr("rank %1").arg(device.rank)};
    if (!device.memory.host.isEmpty())
        parts << (device.slot >= 0 ? QObject::tr("%1, device %2")
                                         .arg(oneLine(device.memory.host))
                                         .arg(device.sample ? device.sample->device : device.slot)
                                   : oneLine(device.memory.host));
    QStringList groups;
    for (const GroupAxis axis : kPlacedAxes)
        groups << letterOf(axis) + QLatin1Char(' ') + QString::number(device.groupOf(axis));
    parts << groups.join(QLatin1Char(' '));
    return parts.join(QStringLiteral(" · "));
}

} // namespace trainyard
