#include <QJsonArray>
#include <QTest>

#include "remote/launch/inventory.h"

using namespace trainyard;

namespace {

/// A probe with interfaces "address/prefix".
QJsonObject probe(const QStringList& interfaces)
{
    QJsonArray entries;
    for (const QString& text : interfaces)
        entries << QJsonObject{
            {"name", "eth"}, {"address", text.section('/', 0, 0)}, {"prefix", text.section('/', 1).toInt()}};
    return {{"interfaces", entries}};
}

} // namespace

class TestInventory : public QObject {
    Q_OBJECT

private slots:
    void findsTheNetworkOfAllHosts_data()
    {
        QTest::addColumn<QStringList>("first");
        QTest::addColumn<QStringList>("second");
        QTest::addColumn<QString>("network");
        QTest::addRow("one network") << QStringList{"10.1.2.3/16"} << QStringList{"10.1.9.9/16"}
                                     << "10.1.0.0/16";
        QTest::addRow("beside containers") << QStringList{"10.1.2.3/16", "172.17.0.1/16"}
                                           << QStringList{"192.168.0.4/24", "10.1.9.9/16"} << "10.1.0.0/16";
        QTest::addRow("ambiguous") << QStringList{"10.1.2.3/16", "172.17.0.1/16"}
                                   << QStringList{"10.1.9.9/16", "172.17.0.1/16"} << "";
        QTest::addRow("none") << QStringList{"10.1.2.3/16"} << QStringList{"10.2.9.9/16"} << "";
        QTest::addRow("other mask") << QStringList{"10.1.2.3/16"} << QStringList{"10.1.2.4/24"} << "";
        QTest::addRow("nonsense") << QStringList{"host/16", "10.1.2.3/99"} << QStringList{"10.1.2.4/99"}
                                  << "";
        QTest::addRow("single address")
            << QStringList{"10.1.2.3/32"} << QStringList{"10.1.2.3/32"} << "10.1.2.3/32";
    }
    void findsTheNetworkOfAllHosts()
    {
        QFETCH(QStringList, first);
        QFETCH(QStringList, second);
        QTEST(commonNetwork({probe(first), probe(second)}), "network");
    }

    void listsEveryHostThatCannotDoIt()
    {
        HostReport good{"a", {{"MPI", "4.1", Verdict::Ok, ""}}, {}};
        HostReport slow{"b", {{"clock", "late", Verdict::Warn, "set it"}}, {}};
        HostReport bad{"c", {{"MPI", "no mpirun", Verdict::Fail, "install OpenMPI"}}, {}};
        HostReport worse{"d", {{"MPI", "no mpirun", Verdict::Fail, "install OpenMPI"}}, {}};
        QVERIFY(judgeHosts({good, slow}).ok());
        const Status status = judgeHosts({good, bad, slow, worse});
        QCOMPARE(status.error().kind, ErrorKind::Refused);
        QCOMPARE(status.error().text(),
                 std::string("c: MPI: no mpirun; d: MPI: no mpirun — install OpenMPI"));
    }
};

QTEST_APPLESS_MAIN(TestInventory)
#include "tst_inventory.moc"
