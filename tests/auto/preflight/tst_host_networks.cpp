#include <QSignalSpy>
#include <QTest>

#include "remote/preflight/preflight.h"
#include "tests/support/lab/netns_lab.h"
#include "tests/support/patience.h"

using namespace trainyard;

namespace {

constexpr int kNetworkedHosts = 2;

/// Lets ssh in, what is asked from inside, and `further`.
QByteArray firewall(const QByteArray& further = {})
{
    return "flush ruleset\ntable inet f {\n chain in {\n  type filter hook input priority 0; policy drop;\n"
           "  iif lo accept\n  ct state established,related accept\n  icmpv6 type { nd-neighbor-solicit, "
           "nd-neighbor-advert } accept\n  tcp dport 22 accept\n" +
           further + " }\n}\n";
}

CheckRow networkRow(const PreflightReport& report)
{
    for (const CheckRow& row : report.hosts.value(0).rows) {
        if (row.check == "network")
            return row;
    }
    return {"none", "there is no row \"network\"", Verdict::Fail};
}

} // namespace

/// Networks between hosts as administrators make them.
class TestHostNetworks : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (const QString why = lab::NetnsLab::whyNot(); !why.isEmpty())
            QSKIP(qPrintable(why));
        m_lab = std::make_unique<lab::NetnsLab>(lab::NetnsLab::Options{kNetworkedHosts, "128m", {}});
        const QString trouble = m_lab->start();
        QVERIFY2(trouble.isEmpty(), qPrintable(trouble));
        m_lab->trustHosts();
        m_hasNft = host(0).run({"nft", "-f", "-"}, "flush ruleset\n").ok();
        for (int i = 0; i < kNetworkedHosts; ++i) {
            const QByteArray number = QByteArray::number(i + 1);
            QVERIFY(host(i).run({"ip", "addr", "add", "10.88.0." + number + "/24", "dev", "eth0"}).ok());
            m_hasIpv6 =
                host(i).run({"ip", "addr", "add", "fd00:77::" + number + "/64", "dev", "eth0", "nodad"}).ok();
        }
    }
    void cleanupTestCase() { m_lab.reset(); }
    void cleanup()
    {
        for (int i = 0; i < kNetworkedHosts && m_hasNft; ++i)
            QVERIFY(host(i).run({"nft", "flush", "ruleset"}).ok());
    }

    void aFirewallThatLetsOnlySshThroughIsOneSentence()
    {
        if (!m_hasNft)
            QSKIP("needs nft");
        setFirewall(firewall());
        const PreflightReport report = check({});
        const CheckRow row = networkRow(report);
        QCOMPARE(row.verdict, Verdict::Fail);
        QVERIFY2(row.found.contains("a firewall lets ssh through and nothing else"), qPrintable(row.found));
        QVERIFY2(row.fix.contains("launch.ports"), qPrintable(row.fix));
        QVERIFY(!report.judge().ok());
    }

    void portsThatAreOpenAreEnough()
    {
        if (!m_hasNft)
            QSKIP("needs nft");
        setFirewall(firewall("  tcp dport 20000-20003 accept\n"));
        QCOMPARE(networkRow(check({{}, 20000, 20003})).verdict, Verdict::Ok);
        const CheckRow closed = networkRow(check({{}, 30000, 30003}));
        QCOMPARE(closed.verdict, Verdict::Fail);
        QVERIFY2(closed.found.contains("30000-30003 of launch.ports"), qPrintable(closed.found));
    }

    void hostsNeedNotReachThisComputer()
    {
        if (!m_hasNft)
            QSKIP("needs nft");
        const QString desk = host(0).address().section('.', 0, 2) + ".254";
        setFirewall(
            "flush ruleset\ntable inet f {\n chain out {\n  type filter hook output priority 0;\n  ip "
            "daddr " +
            desk.toLatin1() + " ct state new drop\n }\n}\n");
        const PreflightReport report = check({});
        QVERIFY2(report.judge().ok(), report.judge().ok() ? "" : report.judge().error().text().c_str());
    }

    void theNetworkCanBeChosen()
    {
        const PreflightReport report = check({"10.88.0.0/24"});
        QCOMPARE(networkRow(report).verdict, Verdict::Ok);
        QVERIFY2(networkRow(report).found.contains("as launch.network says"),
                 qPrintable(networkRow(report).found));
        QCOMPARE(report.interface, QString("10.88.0.0/24"));
        QVERIFY(report.hosts[0].links[0].latencyMs > 0);
    }

    void anotherNetworkThanTheyHaveIsRefused()
    {
        const PreflightReport report = check({"192.168.0.0/16"});
        const CheckRow row = networkRow(report);
        QCOMPARE(row.verdict, Verdict::Fail);
        QVERIFY2(row.found.contains("10.88.0.0/24 (eth0)"), qPrintable(row.found));
        QVERIFY(!report.judge().ok());
    }

    void ipv6IsUsedWhereItIsChosen()
    {
        if (!m_hasIpv6)
            QSKIP("this machine has no IPv6");
        QVERIFY(!check({}).ipv6); // of a dual-stack network
        const PreflightReport report = check({"fd00:77::/64"});
        QVERIFY2(report.judge().ok(), report.judge().ok() ? "" : report.judge().error().text().c_str());
        QVERIFY(report.ipv6);
        QCOMPARE(report.interface, QString("eth0"));
        QVERIFY(report.hosts[1].links[0].latencyMs > 0);
    }

private:
    lab::LabHost& host(int index) { return m_lab->host(index); }
    void setFirewall(const QByteArray& rules)
    {
        for (int i = 0; i < kNetworkedHosts; ++i) {
            const auto set = host(i).run({"nft", "-f", "-"}, rules);
            QVERIFY2(set.ok(), set.errors.constData());
        }
    }
    PreflightReport check(const NetworkChoice& choice)
    {
        TargetPool pool(m_lab->targetOptions());
        PreflightOptions options;
        options.engine = EngineNeeds();
        options.mpi = false; // logins are tried elsewhere
        options.streaming = std::chrono::milliseconds(20);
        options.network = choice;
        Preflight preflight({host(0).address(), host(1).address()}, pool, options);
        QSignalSpy finished(&preflight, &Preflight::finished);
        preflight.start();
        return finished.wait(kPatienceMs) || !finished.isEmpty() ? finished[0][0].value<PreflightReport>()
                                                                 : PreflightReport();
    }

    std::unique_ptr<lab::NetnsLab> m_lab;
    bool m_hasNft = false;
    bool m_hasIpv6 = false;
};

QTEST_GUILESS_MAIN(TestHostNetworks)
#include "tst_host_networks.moc"
