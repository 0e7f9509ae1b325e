#include <QJsonArray>
#include <QTest>

#include "remote/preflight/networks.h"

using namespace trainyard;

namespace {

/// A probe with interfaces "name address/prefix speed".
QJsonObject probe(const QStringList& interfaces)
{
    QJsonArray entries;
    for (const QString& text : interfaces) {
        const QStringList words = text.split(' ');
        entries << QJsonObject{
            {"name", words[0]},
            {"address", words[1].section('/', 0, 0)},
            {"prefix", words[1].section('/', 1).toInt()},
            {"speed", words.value(2).isEmpty() ? QJsonValue() : QJsonValue(words[2].toInt())},
            {"mtu", words.value(3, "1500").toInt()}};
    }
    return {{"interfaces", entries}};
}

QString names(const QList<CommonNetwork>& networks)
{
    QStringList names;
    for (const CommonNetwork& network : networks)
        names << network.network;
    return names.join(' ');
}

} // namespace

class TestNetworks : public QObject {
    Q_OBJECT

private slots:
    void findsTheNetworksOfAllHosts_data()
    {
        QTest::addColumn<QStringList>("first");
        QTest::addColumn<QStringList>("second");
        QTest::addColumn<QString>("networks");
        QTest::addRow("one") << QStringList{"e 10.1.2.3/16"} << QStringList{"f 10.1.9.9/16"} << "10.1.0.0/16";
        QTest::addRow("beside others") << QStringList{"e 10.1.2.3/16", "d 172.17.0.1/16"}
                                       << QStringList{"w 192.168.0.4/24", "e 10.1.9.9/16"} << "10.1.0.0/16";
        QTest::addRow("a bridge on each")
            << QStringList{"docker0 172.17.0.1/16", "e 10.1.2.3/16"}
            << QStringList{"docker0 172.17.0.1/16", "e 10.1.9.9/16"} << "10.1.0.0/16";
        QTest::addRow("the faster first")
            << QStringList{"e 10.1.2.3/16 1000", "f 10.2.0.1/16 100000"}
            << QStringList{"e 10.1.9.9/16 1000", "f 10.2.0.2/16 100000"} << "10.2.0.0/16 10.1.0.0/16";
        QTest::addRow("as fast as its slowest")
            << QStringList{"e 10.1.2.3/16 1000", "f 10.2.0.1/16 100000"}
            << QStringList{"e 10.1.9.9/16 1000", "f 10.2.0.2/16 100"} << "10.1.0.0/16 10.2.0.0/16";
        QTest::addRow("InfiniBand first")
            << QStringList{"e 10.1.2.3/16 100000", "ib0 10.2.0.1/16"}
            << QStringList{"e 10.1.9.9/16 100000", "ib1 10.2.0.2/16"} << "10.2.0.0/16 10.1.0.0/16";
        QTest::addRow("unknown speeds in the head's order")
            << QStringList{"e 10.1.2.3/16", "f 10.2.0.1/16"} << QStringList{"f 10.2.0.2/16", "e 10.1.9.9/16"}
            << "10.1.0.0/16 10.2.0.0/16";
        QTest::addRow("none") << QStringList{"e 10.1.2.3/16"} << QStringList{"e 10.2.9.9/16"} << "";
        QTest::addRow("other mask") << QStringList{"e 10.1.2.3/16"} << QStringList{"e 10.1.2.4/24"} << "";
        QTest::addRow("IPv6 alone") << QStringList{"e fd00:1::2/64"} << QStringList{"f fd00:1::3/64"}
                                    << "fd00:1::/64";
        QTest::addRow("IPv4 before IPv6")
            << QStringList{"e fd00:1::2/64", "e 10.1.2.3/16"}
            << QStringList{"e fd00:1::3/64", "e 10.1.2.4/16"} << "10.1.0.0/16 fd00:1::/64";
        QTest::addRow("the faster IPv6")
            << QStringList{"e 10.1.2.3/16 1000", "f fd00:1::2/64 100000"}
            << QStringList{"e 10.1.2.4/16 1000", "f fd00:1::3/64 100000"} << "fd00:1::/64 10.1.0.0/16";
        QTest::addRow("odd prefix") << QStringList{"e fd00:1::ff02/121"} << QStringList{"e fd00:1::ff7f/121"}
                                    << "fd00:1::ff00/121";
        QTest::addRow("too long a prefix")
            << QStringList{"e fd00:1::2/129"} << QStringList{"e fd00:1::2/129"} << "";
        QTest::addRow("nonsense") << QStringList{"e host/16", "e 10.1.2.3/99"} << QStringList{"e 10.1.2.4/99"}
                                  << "";
    }
    void findsTheNetworksOfAllHosts()
    {
        QFETCH(QStringList, first);
        QFETCH(QStringList, second);
        const auto networks = commonNetworks({probe(first), probe(second)});
        QTEST(names(networks), "networks");
        for (const CommonNetwork& network : networks)
            QCOMPARE(network.addresses.size(), 2);
    }

    /// NCCL takes names alone: a name that is another network's elsewhere would lead there.
    void namesInterfacesWhereNamesAreEnough()
    {
        QCOMPARE(
            commonNetworks({probe({"eth0 10.1.2.3/16"}), probe({"ens3 10.1.2.4/16"})}).front().plainNames,
            (QStringList{"eth0", "ens3"}));
        QCOMPARE(
            commonNetworks({probe({"eth0 10.1.2.3/16"}), probe({"eth0 192.168.0.1/24", "eth1 10.1.2.4/16"})})
                .front()
                .plainNames,
            QStringList());
    }

    void mpiIsToldOneNameWithIpv6()
    {
        const auto forMpi = [](const QString& first, const QString& second) {
            return commonNetworks({probe({first + " fd00:1::2/64"}), probe({second + " fd00:1::3/64"})})
                .front()
                .forMpi();
        };
        QCOMPARE(forMpi("eth0", "eth0"), QString("eth0"));
        QCOMPARE(forMpi("eth0", "ens3"), QString());
    }

    void takesTheChosenNetworkOrInterface_data()
    {
        QTest::addColumn<QString>("choice");
        QTest::addColumn<QString>("addresses"); // of the second host in what is left
        QTest::addColumn<QString>("forMpi");
        QTest::addRow("network") << "10.2.0.0/16"
                                 << "10.2.0.2"
                                 << "10.2.0.0/16";
        QTest::addRow("larger network") << "10.0.0.0/8"
                                        << "10.1.0.2 10.2.0.2"
                                        << "10.1.0.0/16";
        QTest::addRow("an address of it") << "10.2.7.7/16"
                                          << "10.2.0.2"
                                          << "10.2.0.0/16";
        QTest::addRow("smaller network") << "10.2.0.0/24"
                                         << ""
                                         << "";
        QTest::addRow("another network") << "192.168.0.0/16"
                                         << ""
                                         << "";
        QTest::addRow("interface of one host") << "ens3"
                                               << "10.2.0.2"
                                               << "10.2.0.0/16";
        QTest::addRow("IPv6 by names") << "fd00::/16"
                                       << "fd00:1::3"
                                       << "six";
        QTest::addRow("no interface") << "eth9"
                                      << ""
                                      << "";
        QTest::addRow("interface in networks that differ") << "wan"
                                                           << "8.8.4.2"
                                                           << "wan";
    }
    void takesTheChosenNetworkOrInterface()
    {
        QFETCH(QString, choice);
        QFETCH(QString, forMpi);
        const std::vector<QJsonObject> hosts{
            probe({"eth0 10.1.0.1/16", "eth1 10.2.0.1/16", "six fd00:1::2/64", "wan 8.8.8.1/24"}),
            probe({"eth0 10.1.0.2/16", "ens3 10.2.0.2/16", "six fd00:1::3/64", "wan 8.8.4.2/24"})};
        const auto chosen = chosenNetworks(commonNetworks(hosts), hosts, choice);
        QStringList addresses;
        for (const CommonNetwork& network : chosen)
            addresses << network.addresses[1];
        QTEST(addresses.join(' '), "addresses");
        QCOMPARE(chosen.isEmpty() ? QString() : chosen.front().forMpi(), forMpi);
    }

    void tellsUnequalMtus()
    {
        const auto networks =
            commonNetworks({probe({"e 10.1.2.3/16 1000 9000"}), probe({"e 10.1.2.4/16 1000 1500"})});
        QCOMPARE(networks.front().smallestMtu, 1500);
        QCOMPARE(networks.front().largestMtu, 9000);
    }

    void findsAddressesThatNoOtherHas()
    {
        QCOMPARE(ownAddresses(
                     {probe({"docker0 172.17.0.1/16", "e 10.1.2.3/32"}), probe({"docker0 172.17.0.1/16"})}),
                 (QStringList{"10.1.2.3", ""}));
        QCOMPARE(ownAddresses({probe({"e 10.1.2.3/32", "e fd00::1/64"}), probe({"e fd00:1::1/64"})}),
                 (QStringList{"fd00::1", "fd00:1::1"}));
    }

    void takesNoHosts() { QVERIFY(commonNetworks({}).isEmpty()); }
};

QTEST_APPLESS_MAIN(TestNetworks)
#include "tst_networks.moc"
