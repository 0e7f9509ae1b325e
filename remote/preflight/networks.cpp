#include "remote/preflight/networks.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <tuple>

#include <QJsonArray>
#include <QMap>
#include <QSet>
#include <arpa/inet.h>

namespace trainyard {

namespace {

/// An IPv4 address as its last four bytes, or an IPv6 address.
struct Address {
    std::array<std::uint8_t, 16> bytes{};
    int size = 4; ///< bytes: 4 or 16

    static std::optional<Address> parse(const QString& text)
    {
        Address address;
        if (::inet_pton(AF_INET, text.toLatin1().constData(), address.bytes.data()) == 1)
            return address;
        address.size = 16;
        return ::inet_pton(AF_INET6, text.toLatin1().constData(), address.bytes.data()) == 1
                   ? std::optional(address)
                   : std::nullopt;
    }

    bool isIpv6() const { return size == 16; }

    /// With zeros behind the first `prefix` bits.
    Address masked(int prefix) const
    {
        Address network = *this;
        for (int bit = prefix; bit < 8 * size; ++bit)
            network.bytes[static_cast<std::size_t>(bit / 8)] &= static_cast<std::uint8_t>(~(0x80 >> bit % 8));
        return network;
    }

    QString text() const
    {
        std::array<char, INET6_ADDRSTRLEN> text{};
        ::inet_ntop(isIpv6() ? AF_INET6 : AF_INET, bytes.data(), text.data(), text.size());
        return QString::fromLatin1(text.data());
    }

    bool operator==(const Address&) const = default;
};

/// "10.1.0.0/16"
struct Network {
    Address address;
    int prefix = 0;

    static std::optional<Network> parse(const QString& text)
    {
        const auto address = Address::parse(text.section('/', 0, 0));
        bool isNumber = false;
        const int prefix = text.section('/', 1).toInt(&isNumber);
        if (!address || !isNumber || prefix < 1 || prefix > 8 * address->size)
            return std::nullopt;
        return Network{address->masked(prefix), prefix};
    }
    bool contains(const Network& other) const
    {
        return other.address.size == address.size && other.prefix >= prefix &&
               other.address.masked(prefix) == address;
    }
    QString text() const { return QString("%1/%2").arg(address.text()).arg(prefix); }
};

struct Interface {
    QString name;
    QString address;
    QString network;
    qint64 speed = 0;
    qint64 mtu = 0;
    bool ipv6 = false;
};

std::optional<Interface> readInterface(const QJsonObject& facts)
{
    Interface interface;
    interface.name = facts.value("name").toString();
    interface.address = facts.value("address").toString();
    interface.speed = facts.value("speed").toInteger();
    interface.mtu = facts.value("mtu").toInteger();
    const auto network =
        Network::parse(QString("%1/%2").arg(interface.address).arg(facts.value("prefix").toInt()));
    if (!network)
        return std::nullopt;
    interface.network = network->text();
    interface.ipv6 = network->address.isIpv6();
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
            if (names.contains(interface.name) && interface.network != network.network &&
                interface.ipv6 == network.ipv6)
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
        result.ipv6 = interface->ipv6;
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
        return std::tuple(a.infiniband, a.speed, !a.ipv6) > std::tuple(b.infiniband, b.speed, !b.ipv6);
    });
    return networks;
}

/// OpenMPI 4.1 takes no IPv6 networks, and ignores all names where a host lacks one of them.
QString CommonNetwork::forMpi() const
{
    if (!network.isEmpty() && !ipv6)
        return network;
    return plainNames.size() == 1 ? plainNames.front() : QString();
}

namespace {

/// The addresses of the interface of that name, if every host has it.
std::optional<CommonNetwork> byName(const QString& name, const QList<QList<Interface>>& hosts)
{
    CommonNetwork network;
    for (const QList<Interface>& interfaces : hosts) {
        const auto found = std::find_if(interfaces.begin(), interfaces.end(),
                                        [&](const Interface& interface) { return interface.name == name; });
        if (found == interfaces.end() || network.addresses.contains(found->address))
            return std::nullopt;
        network.addresses << found->address;
        network.interfaces << name;
        network.ipv6 = found->ipv6;
    }
    network.plainNames = QStringList{name};
    return network;
}

} // namespace

QList<CommonNetwork> chosenNetworks(const QList<CommonNetwork>& networks,
                                    const std::vector<QJsonObject>& probes, const QString& choice)
{
    const auto range = Network::parse(choice);
    QList<CommonNetwork> chosen;
    for (const CommonNetwork& network : networks) {
        const auto own = Network::parse(network.network);
        if (range ? own && range->contains(*own) : network.interfaces.contains(choice))
            chosen << network;
    }
    if (range)
        return chosen;
    QList<QList<Interface>> hosts;
    for (const QJsonObject& probe : probes)
        hosts << interfacesOf(probe);
    if (auto network = byName(choice, hosts); network && chosen.isEmpty())
        chosen << *std::move(network);
    return chosen;
}

QStringList ownAddresses(const std::vector<QJsonObject>& probes)
{
    QMap<QString, int> owners;
    for (const QJsonObject& probe : probes) {
        for (const Interface& interface : interfacesOf(probe))
            ++owners[interface.address];
    }
    const auto addressesOf = [&](bool ipv6) {
        QStringList addresses;
        for (const QJsonObject& probe : probes) {
            const QList<Interface> interfaces = interfacesOf(probe);
            const auto own =
                std::find_if(interfaces.begin(), interfaces.end(), [&](const Interface& interface) {
                    return interface.ipv6 == ipv6 && owners[interface.address] == 1;
                });
            addresses << (own == interfaces.end() ? QString() : own->address);
        }
        return addresses;
    };
    const QStringList four = addressesOf(false);
    const QStringList six = addressesOf(true);
    return four.contains(QString()) && !six.contains(QString()) ? six : four;
}

} // namespace trainyard
