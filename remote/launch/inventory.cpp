#include "remote/launch/inventory.h"

#include <array>
#include <cstdint>

#include <QJsonArray>
#include <QSet>
#include <arpa/inet.h>

namespace trainyard {

namespace {

QString textOf(const in_addr& address)
{
    std::array<char, INET_ADDRSTRLEN> text{};
    ::inet_ntop(AF_INET, &address, text.data(), text.size());
    return QString::fromLatin1(text.data());
}

QSet<QString> networksOf(const QJsonObject& probe)
{
    QSet<QString> networks;
    for (const auto& entry : probe.value("interfaces").toArray()) {
        const QJsonObject interface = entry.toObject();
        in_addr address{};
        const int prefix = interface.value("prefix").toInt();
        const QByteArray text = interface.value("address").toString().toLatin1();
        if (::inet_pton(AF_INET, text.constData(), &address) != 1 || prefix < 1 || prefix > 32)
            continue;
        address.s_addr &= htonl(~std::uint32_t{0} << (32 - prefix));
        networks << QString("%1/%2").arg(textOf(address)).arg(prefix);
    }
    return networks;
}

} // namespace

NodeMemory memoryOf(const HostFacts& facts)
{
    const auto main =
        facts.memoryBytes > 0 ? std::optional(static_cast<Bytes>(facts.memoryBytes)) : std::nullopt;
    std::vector<Bytes> devices;
    for (const DeviceFacts& device : facts.devices)
        devices.push_back(static_cast<Bytes>(device.memoryBytes));
    return {main, std::move(devices)};
}

QJsonObject inventoryOf(const QStringList& hosts, const std::vector<QJsonObject>& probes,
                        const QString& bundle)
{
    QJsonArray entries;
    for (int node = 0; node < hosts.size(); ++node)
        entries << QJsonObject{
            {"node", node}, {"host", hosts[node]}, {"probe", probes[static_cast<std::size_t>(node)]}};
    return {{"hosts", entries}, {"bundle", bundle}, {"version", TRAINYARD_VERSION}};
}

Status judgeHosts(const std::vector<HostReport>& reports)
{
    QStringList complaints, fixes;
    for (const HostReport& report : reports) {
        for (const CheckRow& row : report.rows) {
            if (row.verdict != Verdict::Fail)
                continue;
            complaints << QString("%1: %2: %3").arg(report.host, row.check, row.found);
            fixes << row.fix;
        }
    }
    if (complaints.isEmpty())
        return {};
    fixes.removeDuplicates();
    return refused(complaints.join("; ").toStdString(), fixes.join("; ").toStdString());
}

QString commonNetwork(const std::vector<QJsonObject>& probes)
{
    QSet<QString> common;
    for (std::size_t i = 0; i < probes.size(); ++i)
        common = i == 0 ? networksOf(probes[i]) : common.intersect(networksOf(probes[i]));
    return common.size() == 1 ? *common.begin() : QString();
}

} // namespace trainyard
