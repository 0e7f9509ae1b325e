#include "app/designer/model/cluster_labels.h"

#include <algorithm>

#include <QObject>
#include <QStringList>

#include "app/base/display_text.h"

namespace trainyard {

namespace {

const QString kSeparator = QStringLiteral(" · ");

QString counted(int n, const char* one, const char* many)
{
    return n == 1 ? QObject::tr(one) : QObject::tr(many).arg(displayCount(n));
}

QString hostsOf(const GroupSpread& spread)
{
    return spread.hosts == 1 ? QObject::tr("on this host") : QObject::tr("on %1 hosts").arg(spread.hosts);
}

QString coordinates(const DeviceMap& map, const GridCoord& at)
{
    QString text = QObject::tr("D %1 P %2 T %3").arg(at.data).arg(at.pipeline).arg(at.tensor);
    if (map.layout().context > 1)
        text += QObject::tr(" C %1").arg(at.context);
    return text;
}

/// "stage 2", "stages 1 to 3", "5 stages".
QString stagesOf(const MemoryGroup& group, bool severalEach)
{
    const int first = group.stages.front();
    const int last = group.stages.back();
    const int count = static_cast<int>(group.stages.size());
    if (count == 1)
        return (severalEach ? QObject::tr("pipeline rank %1") : QObject::tr("stage %1")).arg(first);
    if (last - first + 1 == count)
        return (severalEach ? QObject::tr("pipeline ranks %1 to %2") : QObject::tr("stages %1 to %2"))
            .arg(first)
            .arg(last);
    return (severalEach ? QObject::tr("%1 pipeline ranks") : QObject::tr("%1 stages")).arg(count);
}

bool sharesAStage(const MemoryGroup& a, const MemoryGroup& b)
{
    return std::ranges::any_of(a.stages,
                               [&](int stage) { return std::ranges::binary_search(b.stages, stage); });
}

} // namespace

QString describeCluster(const DeviceMap& map, const GroupedMemory& memory)
{
    const auto used =
        std::ranges::count_if(map.nodes(), [](const MappedNode& node) { return node.used > 0; });
    QStringList parts{QObject::tr("%1 on %2")
                          .arg(counted(map.worldSize(), "1 rank", "%1 ranks"),
                               counted(static_cast<int>(used), "1 host", "%1 hosts"))};
    if (map.worldSize() == 0)
        parts = QStringList{QObject::tr("this layout has no ranks")};
    if (map.homelessRanks() > 0)
        parts << QObject::tr("✕ %1").arg(
            counted(map.homelessRanks(), "1 rank has no slot", "%1 ranks have no slot"));
    int tooSmall = 0;
    for (const MemoryGroup& group : memory.groups)
        tooSmall += group.fits() ? 0 : group.devices;
    if (tooSmall > 0)
        parts << QObject::tr("✕ %1").arg(
            counted(tooSmall, "1 device is too small", "%1 devices are too small"));
    return parts.join(kSeparator);
}

QString describeNode(const MappedNode& node)
{
    return oneLine(node.host) + kSeparator +
           QObject::tr("%1 of %2 get a rank")
               .arg(node.used)
               .arg(counted(node.slotCount, "1 slot", "%1 slots"));
}

QString describeDevice(const DeviceMap& map, const GroupedMemory& memory, int device)
{
    const MappedDevice& mapped = map.device(device);
    const QString place = QObject::tr("%1, slot %2").arg(oneLine(map.nodeOf(device).host)).arg(mapped.slot);
    if (mapped.isFree())
        return place + kSeparator + QObject::tr("free");
    const int group = memory.ofDevice[static_cast<std::size_t>(device)];
    return QStringList{QObject::tr("rank %1").arg(mapped.rank), place, coordinates(map, mapped.at),
                       capacityText(memory.groups[static_cast<std::size_t>(group)])}
        .join(kSeparator);
}

QString describePartners(const DeviceMap& map, int device)
{
    QStringList parts;
    for (const GroupAxis axis :
         {GroupAxis::Tensor, GroupAxis::Pipeline, GroupAxis::Expert, GroupAxis::Data}) {
        if (map.device(device).isFree())
            break;
        const GroupSpread spread = map.spreadAround(device, axis);
        if (spread.size > 1)
            parts << QObject::tr("%1 of %2 %3").arg(letterOf(axis)).arg(spread.size).arg(hostsOf(spread));
    }
    return parts.join(kSeparator);
}

QString describeGroup(const GroupedMemory& memory, const MemoryGroup& group, const ParallelLayout& layout)
{
    const bool alone = std::ranges::none_of(memory.groups, [&](const MemoryGroup& other) {
        return other != group && sharesAStage(other, group);
    });
    QStringList parts;
    if (layout.pipeline > 1)
        parts << stagesOf(group, layout.virtualStages > 1);
    if (!alone || layout.pipeline == 1)
        parts << (group.hosts.size() == 1
                      ? oneLine(group.hosts.front())
                      : counted(static_cast<int>(group.hosts.size()), "1 host", "%1 hosts"));
    parts << counted(group.devices, "1 device", "%1 devices");
    return parts.join(kSeparator);
}

QString capacityText(const MemoryGroup& group)
{
    const QString needed = displayBytes(static_cast<double>(group.needed));
    if (!group.capacity)
        return QObject::tr("%1 of unknown capacity").arg(needed);
    const QString room = displayBytes(static_cast<double>(*group.capacity));
    return (group.fits() ? QObject::tr("%1 of %2") : QObject::tr("✕ %1 of %2")).arg(needed, room);
}

QString axisLabel(GroupAxis axis)
{
    switch (axis) {
    case GroupAxis::Data:
        return QObject::tr("replicas; gradients are all-reduced each step");
    case GroupAxis::Pipeline:
        return QObject::tr("stages of one model, passing activations on");
    case GroupAxis::Tensor:
        return QObject::tr("shards of the same layers, communicating in each");
    case GroupAxis::Expert:
        return QObject::tr("replicas that share the experts of each layer, sending tokens to them");
    }
    return {};
}

QString describePlacement(const DeviceMap& map, GroupAxis axis, int position)
{
    static constexpr const char* kSpeeds[] = {
        QT_TR_NOOP("%1 varies slowest with the rank."),
        QT_TR_NOOP("%1 varies faster than the letter on its left."),
        QT_TR_NOOP("%1 varies fastest: the ranks of its groups are neighbours.")};
    const GroupSpread spread = map.widestSpread(axis);
    const QString where =
        spread.size == 1 ? QObject::tr("Its degree is 1: no communication.")
        : spread.hosts == 1
            ? QObject::tr("Every group of %1 ranks is within one host.").arg(spread.size)
            : QObject::tr("A group of %1 spans up to %2 hosts: it communicates over the network.")
                  .arg(spread.size)
                  .arg(spread.hosts);
    return QObject::tr("%1\nA group has %2.\n%3")
        .arg(QObject::tr(kSpeeds[position]).arg(letterOf(axis)), axisLabel(axis), where);
}

} // namespace trainyard
