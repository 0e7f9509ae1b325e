#include "remote/launch/inventory.h"

#include <algorithm>

#include <QJsonArray>

#include "remote/launch/named_devices.h"
#include "remote/preflight/report_json.h"

namespace trainyard {

NodeMemory memoryOf(const HostFacts& facts, const NodeSpec& node)
{
    const qint64 limit = facts.raw.value("limits").toObject().value("memory").toInteger(-1);
    const qint64 bytes = limit > 0 ? std::min(limit, facts.memoryBytes) : facts.memoryBytes;
    const auto main = bytes > 0 ? std::optional(static_cast<Bytes>(bytes)) : std::nullopt;
    std::vector<Bytes> devices;
    for (const DeviceFacts& device : devicesOf(facts, node))
        devices.push_back(static_cast<Bytes>(device.memoryBytes));
    return {main, std::move(devices), facts.math};
}

QJsonObject inventoryOf(const QStringList& hosts, const QStringList& streamHosts,
                        const std::vector<QJsonObject>& probes, const QString& bundle,
                        const PreflightReport& preflight)
{
    QJsonArray entries;
    for (int node = 0; node < hosts.size(); ++node)
        entries << QJsonObject{
            {"node", node}, {"host", hosts[node]}, {"probe", probes[static_cast<std::size_t>(node)]}};
    return {{"hosts", entries},
            {"stream_hosts", QJsonArray::fromStringList(streamHosts)},
            {"bundle", bundle},
            {"version", TRAINYARD_VERSION},
            {"preflight", toJson(preflight)}};
}

} // namespace trainyard
