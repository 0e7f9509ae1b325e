#include "app/monitor/model/device_stats.h"

#include <map>

#include <QObject>
#include <QStringList>

#include "app/base/display_text.h"
#include "app/runs/recorded_run.h"

namespace trainyard {

namespace {

/// Newest samples by node and device index.
using Samples = std::map<std::pair<int, int>, DeviceSample>;

Samples samplesOf(const RunSeries& series)
{
    Samples samples;
    for (const NodeDevice& device : series.devices()) {
        if (device.sample.device >= 0)
            samples[{device.node(), device.sample.device}] = device.sample;
    }
    return samples;
}

/// Fills in the place and the sample: a rank computes on the device with the index of its slot.
void place(DeviceStats& stats, const MappedDevice& mapped, const Samples& samples)
{
    stats.slot = mapped.slot;
    stats.stage = mapped.at.pipeline;
    stats.groups = mapped.groups;
    if (const auto found = samples.find({mapped.node, mapped.slot}); found != samples.end())
        stats.sample = found->second;
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
    }
    if (!facts.specNow())
        return devices;
    const Samples samples = samplesOf(series);
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
        parts << QObject::tr("%1\u00a0°C").arg(displayNumber(*sample.celsius));
    if (sample.watts)
        parts << QObject::tr("%1 W").arg(displayNumber(*sample.watts));
    return parts.join(QStringLiteral(" · "));
}

QString placeText(const DeviceStats& device)
{
    QStringList parts{QObject::tr("rank %1").arg(device.rank)};
    if (!device.memory.host.isEmpty())
        parts << (device.slot >= 0
                      ? QObject::tr("%1, device %2").arg(oneLine(device.memory.host)).arg(device.slot)
                      : oneLine(device.memory.host));
    QStringList groups;
    for (const GroupAxis axis : kGroupAxes)
        groups << letterOf(axis) + QLatin1Char(' ') + QString::number(device.groupOf(axis));
    parts << groups.join(QLatin1Char(' '));
    return parts.join(QStringLiteral(" · "));
}

} // namespace trainyard
