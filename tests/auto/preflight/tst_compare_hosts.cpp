#include <QTest>

#include "remote/preflight/compare_hosts.h"

using namespace trainyard;

namespace {

HostReport host(const QString& name)
{
    HostReport report;
    report.host = report.facts.host = name;
    report.facts.hostName = "node-" + name;
    report.facts.mpi = "4.1.4";
    report.facts.link.agent.root = "/home/a/.trainyard";
    report.facts.devices = {{"H200", 1}};
    report.facts.raw = {{"boot_id", "boot-" + name}, {"network_namespace", "net:[1]"}};
    return report;
}

/// The rows of a host that are not fine: "MPI versions".
QString complaints(const HostReport& report)
{
    QStringList checks;
    for (const CheckRow& row : report.rows) {
        if (row.verdict != Verdict::Ok)
            checks << row.check + (row.verdict == Verdict::Fail ? "!" : "") +
                          (row.fix.isEmpty() ? " without a fix" : "");
    }
    return checks.join(", ");
}

} // namespace

class TestCompareHosts : public QObject {
    Q_OBJECT

private slots:
    void equalHostsAreFine()
    {
        QList<HostReport> reports{host("a"), host("b"), host("c")};
        compareHosts(reports);
        for (const HostReport& report : reports) {
            QCOMPARE(complaints(report), QString());
            QVERIFY(!report.rows.isEmpty());
        }
    }

    void findsWhatOnlyShowsBesideOthers_data()
    {
        QTest::addColumn<int>("what");
        QTest::addColumn<QString>("head");
        QTest::addColumn<QString>("other");
        QTest::addRow("one machine under two names") << 0 << "machine!"
                                                     << "machine!";
        QTest::addRow("two containers of one machine") << 1 << ""
                                                       << "";
        QTest::addRow("two hosts of one name") << 2 << "host name!"
                                               << "host name!";
        QTest::addRow("another MPI") << 3 << ""
                                     << "MPI versions!";
        QTest::addRow("a patched MPI") << 4 << ""
                                       << "MPI versions";
        QTest::addRow("another Slurm") << 5 << ""
                                       << "Slurm versions";
        QTest::addRow("another folder") << 6 << ""
                                        << "agent's folder!";
        QTest::addRow("other devices") << 7 << ""
                                       << "equal devices";
        QTest::addRow("no device") << 8 << ""
                                   << "equal devices";
        QTest::addRow("no name of its own") << 9 << ""
                                            << "host name!";
    }
    void findsWhatOnlyShowsBesideOthers()
    {
        QFETCH(int, what);
        HostReport other = host("b");
        const std::function<void()> changes[]{
            [&] { other.facts.raw.insert("boot_id", "boot-a"); },
            [&] {
                other.facts.raw.insert("boot_id", "boot-a");
                other.facts.raw.insert("network_namespace", "net:[2]");
            },
            [&] { other.facts.hostName = "node-a"; },
            [&] { other.facts.mpi = "5.0.3"; },
            [&] { other.facts.mpi = "4.1.6"; },
            [&] { other.facts.slurm = "22.05.8"; },
            [&] { other.facts.link.agent.root = "/var/tmp/trainyard-0"; },
            [&] {
                other.facts.devices = {{"A100", 1}};
            },
            [&] { other.facts.devices.clear(); },
            [&] { other.facts.hostName = "localhost.localdomain"; },
        };
        changes[what]();
        QList<HostReport> reports{host("a"), other};
        compareHosts(reports);
        QTEST(complaints(reports[0]), "head");
        QTEST(complaints(reports[1]), "other");
    }

    void leavesUnreachableHostsAlone()
    {
        QList<HostReport> reports{host("a"), unreachableReport("b", unreachable("off")), host("c")};
        compareHosts(reports);
        QCOMPARE(complaints(reports[0]) + complaints(reports[2]), QString());
        QCOMPARE(reports[1].rows.size(), 1);
    }

    void oneHostIsComparedWithNobody()
    {
        QList<HostReport> reports{host("a")};
        compareHosts(reports);
        QVERIFY(reports[0].rows.isEmpty());
    }
};

QTEST_APPLESS_MAIN(TestCompareHosts)
#include "tst_compare_hosts.moc"
