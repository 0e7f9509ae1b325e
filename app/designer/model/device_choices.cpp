#include "app/designer/model/device_choices.h"

#include <algorithm>

#include <QObject>
#include <QStringList>

#include "app/base/display_text.h"

namespace trainyard {

namespace {

std::string nameOf(const DeviceFacts& device)
{
    return device.isInstance() ? device.uuid.toStdString() : std::to_string(device.index);
}

/// The node may name it by its index or by the beginning of its UUID.
bool names(const std::string& name, const DeviceFacts& device)
{
    return name == nameOf(device) ||
           (name.size() > 4 && device.uuid.startsWith(QString::fromStdString(name)));
}

QString textOf(const DeviceFacts& device)
{
    QStringList parts{oneLine(device.name), displayBytes(double(device.memoryBytes))};
    for (const UsedBy& user : device.users) {
        const QString who = !user.run.isEmpty() ? user.run : user.user.isEmpty() ? user.program : user.user;
        parts << QObject::tr("used by %1").arg(oneLine(who));
    }
    return QStringLiteral("%1: %2").arg(device.index).arg(parts.join(QStringLiteral(", ")));
}

} // namespace

std::vector<GpuChoice> gpuChoices(const NodeSpec& node, const HostReport* report)
{
    std::vector<GpuChoice> choices;
    std::vector<std::string> unknown = node.devices;
    const QList<DeviceFacts> devices = report ? report->facts.devices : QList<DeviceFacts>();
    for (const DeviceFacts& device : devices) {
        const auto isIt = [&](const std::string& name) { return names(name, device); };
        const bool chosen = std::erase_if(unknown, isIt) > 0;
        choices.push_back({nameOf(device), textOf(device), chosen});
    }
    for (const std::string& name : unknown) {
        const QString text = oneLine(QString::fromStdString(name));
        choices.push_back({name, devices.isEmpty() ? text : QObject::tr("%1: not on this host").arg(text),
                           true, devices.isEmpty()});
    }
    return choices;
}

std::vector<std::string> devicesWith(const std::vector<GpuChoice>& choices, const std::string& name,
                                     bool chosen)
{
    std::vector<std::string> devices;
    for (const GpuChoice& choice : choices) {
        if (choice.name == name ? chosen : choice.isChosen)
            devices.push_back(choice.name);
    }
    return devices;
}

} // namespace trainyard
