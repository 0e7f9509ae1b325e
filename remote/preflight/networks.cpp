#include "remote/preflight/networks.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include <QJsonArray>
#include <QMap>
#include <QSet>
#include <arpa/inet.h>

namespace trainyard {

namespace {

struct Interface {
    QString name;
    QString address;
    QString network;
    qint64 speed = 0;
    qint64 mtu = 0;
};

QString textOf(const in_addr& address)
{
    std::array<char, INET_ADDRSTRLEN> text{};
    ::inet_ntop(AF_INET, &address, text.data(), text.size());
    return QString::fromLatin1(text.data());
}

std::optional<Interface> readInterface(const QJsonObject& facts)
{
    Interface interface;
    interface.name = facts.value("name").toString();
    interface.address = facts.value("address").toString();
    interface.speed = facts.value("speed").toInteger();
    interface.mtu = facts.value("mtu").toInteger();
    in_addr address{};
    const int prefix = facts.value("prefix").toInt();
    if (::inet_pton(AF_INET, interface.address.toLatin1().constData(), &address) != 1 || prefix < 1 ||
        prefix > 32)
        return std::nullopt;
    address.s_addr &= htonl(~std::uint32_t{0} << (32 - prefix));
    interface.network = QString("%1/%2").arg(textOf(address)).arg(prefix);
    return interface;
}

QList<Interface> interfacesOf(const QJsonObject& probe)
{
    QList<Interface> interfaces;
    for (const auto& entry : probe.value("interfaces").toArray()) {
        if (const auto interface = readInterface(entry.toObject()))
            interfaces << *interface;
    }
    return interfaces;
}

/// The host's interface in that network; of several the first.
const Interface* inNetwork(const QList<Interface>& interfaces, const QString& network)
{
    const auto found = std::find_if(interfaces.begin(), interfaces.end(),
                                    [&](const Interface& interface) { return interface.network == network; });
    return found == interfaces.end() ? nullptr : &*found;
}

QStringList plainNames(const CommonNetwork& network, const QList<QList<Interface>>& hosts)
{
    QStringList names = network.interfaces;
    names.removeDuplicates();
    for (const QList<Interface>& interfaces : hosts) {
        for (const Interface& interface : interfaces) {
            if (names.contains(interface.name) && interface.network != network.network)
                return {};
        }
    }
    return names;
}

std::optional<CommonNetwork> common(const QString& network, const QList<QList<Interface>>& hosts)
{
    CommonNetwork result;
    result.network = network;
    result.infiniband = true;
    qint64 slowest = INT64_MAX;
    for (const QList<Interface>& interfaces : hosts) {
        const Interface* interface = inNetwork(interfaces, network);
        if (!interface || result.addresses.contains(interface->address))
            return std::nullopt;
        result.addresses << interface->address;
        result.interfaces << interface->name;
        slowest = std::min(slowest, interface->speed);
        result.infiniband = result.infiniband && interface->name.startsWith("ib");
        const bool first = result.addresses.size() == 1;
        result.smallestMtu = first ? interface->mtu : std::min(result.smallestMtu, interface->mtu);
        result.largestMtu = std::max(result.largestMtu, interface->mtu);
    }
    result.speed = slowest;
    result.plainNames = plainNames(result, hosts);
    return result;
}

} // namespace

QList<CommonNetwork> commonNetworks(const std::vector<QJsonObject>& probes)
{
    QList<QList<Interface>> hosts;
    for (const QJsonObject& probe : probes)
        hosts << interfacesOf(probe);
    QList<CommonNetwork> networks;
    QSet<QString> seen;
    for (const Interface& interface : hosts.isEmpty() ? QList<Interface>() : hosts.front()) {
        if (seen.contains(interface.network))
            continue;
        seen << interface.network;
        if (auto network = common(interface.network, hosts))
            networks << *std::move(network);
    }
    std::stable_sort(networks.begin(), networks.end(), [](const CommonNetwork& a, const CommonNetwork& b) {
        return std::pair(a.infiniband, a.speed) > std::pair(b.infiniband, b.speed);
    });
    return networks;
}

QStringList ownAddresses(const std::vector<QJsonObject>& probes)
{
    QMap<QString, int> owners;
    for (const QJsonObject& probe : probes) {
        for (const Interface& interface : interfacesOf(probe))
            ++owners[interface.address];
    }
    QStringList addresses;
    for (const QJsonObject& probe : probes) {
        const QList<Interface> interfaces = interfacesOf(probe);
        const auto own = std::find_if(interfaces.begin(), interfaces.end(), [&](const Interface& interface) {
            return owners[interface.address] == 1;
        });
        addresses << (own == interfaces.end() ? QString() : own->address);
    }
    return addresses;
}

} // namespace trainyard
