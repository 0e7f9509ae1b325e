#include "remote/launch/named_devices.h"

#include <algorithm>

#include <QStringList>

#include <fmt/format.h>

namespace trainyard {

namespace {

bool isNamed(const DeviceFacts& device, const std::string& name)
{
    const QString text = QString::fromStdString(name);
    bool isIndex = false;
    const int index = text.toInt(&isIndex);
    return isIndex ? device.index == index : device.uuid.startsWith(text);
}

/// "0 (NVIDIA H100), 1 (NVIDIA H100)".
std::string listOf(const QList<DeviceFacts>& devices)
{
    QStringList texts;
    for (const DeviceFacts& device : devices)
        texts << QStringLiteral("%1 (%2)").arg(
            device.isInstance() ? device.uuid : QString::number(device.index), device.name);
    return texts.join(QStringLiteral(", ")).toStdString();
}

} // namespace

QList<DeviceFacts> devicesOf(const HostFacts& facts, const NodeSpec& node)
{
    if (node.devices.empty())
        return facts.devices;
    QList<DeviceFacts> devices;
    for (const std::string& name : node.devices) {
        for (const DeviceFacts& device : facts.devices) {
            if (isNamed(device, name))
                devices << device;
        }
    }
    return devices;
}

Status haveNamedDevices(const HostFacts& facts, const NodeSpec& node, std::size_t index)
{
    if (facts.devices.isEmpty())
        return {};
    for (const std::string& name : node.devices) {
        const bool found = std::any_of(facts.devices.begin(), facts.devices.end(),
                                       [&](const DeviceFacts& device) { return isNamed(device, name); });
        if (!found)
            return refused(
                fmt::format("cluster.nodes[{}].devices: {} has no device {}", index, node.host, name),
                "it has " + listOf(facts.devices));
    }
    return {};
}

} // namespace trainyard
