#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTest>

#include "remote/preflight/preflight.h"
#include "tests/support/lab/netns_lab.h"
#include "tests/support/patience.h"

using namespace trainyard;

namespace {

constexpr int kHosts = 3;

/// TCP sockets that something listens on inside, by their local ports.
QByteArray listeningPorts(const lab::LabHost& host)
{
    QByteArray ports;
    for (const QByteArray& line : host.run({"cat", "/proc/net/tcp"}).output.split('\n')) {
        const QList<QByteArray> words = line.simplified().split(' ');
        if (words.value(3) == "0A")
            ports += words[1].split(':').value(1) + ' ';
    }
    return ports;
}

constexpr const char* kSshPort = "0016 ";

} // namespace

/// Hosts as they should be. What is wrong with others: tests/faults/tst_preflight_faults.cpp.
class TestPreflight : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (const QString why = lab::NetnsLab::whyNot(); !why.isEmpty())
            QSKIP(qPrintable(why));
        m_lab = std::make_unique<lab::NetnsLab>(lab::NetnsLab::Options{kHosts, "128m", {}});
        const QString trouble = m_lab->start();
        QVERIFY2(trouble.isEmpty(), qPrintable(trouble));
        m_lab->trustHosts();
    }
    void cleanupTestCase() { m_lab.reset(); }

    void healthyHostsMayBeACluster()
    {
        TargetPool pool(m_lab->targetOptions());
        Preflight preflight(hosts(), pool, options());
        QSignalSpy progress(&preflight, &Preflight::progress);
        QSignalSpy checked(&preflight, &Preflight::hostChecked);
        QSignalSpy finished(&preflight, &Preflight::finished);
        preflight.start();
        AWAIT_EQUAL(finished.size(), 1);
        const auto report = finished[0][0].value<PreflightReport>();
        QVERIFY2(report.judge().ok(), report.judge().ok() ? "" : report.judge().error().text().c_str());
        QCOMPARE(report.interface, m_lab->host(0).address().section('.', 0, 2) + ".0/24");
        QCOMPARE(checked.size(), kHosts);
        QVERIFY(progress.size() > kHosts);
        for (int i = 0; i < kHosts; ++i) {
            const HostReport& host = report.hosts[i];
            QCOMPARE(host.host, m_lab->host(i).address());
            QVERIFY(host.facts.link.uploadBytesPerSecond > 0);
            // The head has the logins as well; every host has a link to every other one, and the speed of
            // one.
            QCOMPARE(host.links.size(), kHosts - 1 + (i == 0 ? kHosts - 1 : 0));
            QCOMPARE(std::count_if(host.links.begin(), host.links.end(),
                                   [](const LinkRow& link) { return link.bytesPerSecond > 0; }),
                     1);
            QVERIFY(std::all_of(host.links.begin(), host.links.end(), [](const LinkRow& link) {
                return link.way == LinkRow::Way::Ssh || link.latencyMs > 0;
            }));
        }
        for (int i = 0; i < kHosts; ++i)
            AWAIT_EQUAL(listeningPorts(m_lab->host(i)), QByteArray(kSshPort));
    }

    void endsAtOnceAndClosesItsPorts()
    {
        TargetPool pool(m_lab->targetOptions());
        auto preflight = std::make_unique<Preflight>(hosts(), pool, options(std::chrono::seconds(5)));
        QString text;
        connect(preflight.get(), &Preflight::progress, this, [&](const QString& now) { text = now; });
        preflight->start();
        AWAIT(text.startsWith("measuring"));
        QVERIFY(listeningPorts(m_lab->host(0)) != kSshPort);
        preflight.reset();
        for (int i = 0; i < kHosts; ++i)
            AWAIT_EQUAL(listeningPorts(m_lab->host(i)), QByteArray(kSshPort));
    }

    void aHostThatIsNamedTwiceIsLookedAtOnce()
    {
        TargetPool pool(m_lab->targetOptions());
        Preflight preflight({hosts()[0], hosts()[0]}, pool, options());
        QSignalSpy finished(&preflight, &Preflight::finished);
        preflight.start();
        AWAIT_EQUAL(finished.size(), 1);
        QCOMPARE(finished[0][0].value<PreflightReport>().hosts.size(), 1);
    }

private:
    static PreflightOptions options(std::chrono::milliseconds streaming = std::chrono::milliseconds(100))
    {
        PreflightOptions options;
        options.streaming = streaming;
        options.engine = {};
        return options;
    }
    QStringList hosts() const
    {
        QStringList hosts;
        for (int i = 0; i < kHosts; ++i)
            hosts << m_lab->host(i).address();
        return hosts;
    }

    std::unique_ptr<lab::NetnsLab> m_lab;
};

QTEST_GUILESS_MAIN(TestPreflight)
#include "tst_preflight.moc"
