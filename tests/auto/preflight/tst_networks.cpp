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
    }

    void takesNoHosts() { QVERIFY(commonNetworks({}).isEmpty()); }
};

QTEST_APPLESS_MAIN(TestNetworks)
#include "tst_networks.moc"
