#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTest>

#include "remote/preflight/preflight.h"
#include "tests/support/lab/netns_lab.h"
#include "tests/support/patience.h"

using namespace trainyard;

namespace {

constexpr int kFleetHosts = 64;

} // namespace

/// Sixty-four hosts at once, every pair of them.
class TestPreflightScale : public QObject {
    Q_OBJECT

private slots:
    void looksAtEveryPairOfManyHosts()
    {
        if (const QString why = lab::NetnsLab::whyNot(); !why.isEmpty())
            QSKIP(qPrintable(why));
        lab::NetnsLab lab({kFleetHosts, "256m", {}});
        const QString trouble = lab.start();
        QVERIFY2(trouble.isEmpty(), qPrintable(trouble));
        lab.trustHosts();
        TargetPool pool(lab.targetOptions());
        QStringList hosts;
        for (int i = 0; i < kFleetHosts; ++i)
            hosts << lab.host(i).address();
        for (const char* round : {"the first time, agents sent", "again"}) {
            QElapsedTimer timer;
            timer.start();
            PreflightOptions options;
            options.engine = {};
            options.patience = std::chrono::minutes(3);
            Preflight preflight(hosts, pool, options);
            QSignalSpy finished(&preflight, &Preflight::finished);
            QElapsedTimer links;
            connect(&preflight, &Preflight::progress, this, [&](const QString&, int done, int total) {
                if (done == total && !links.isValid())
                    links.start();
            });
            preflight.start();
            QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 1, 3 * kPatienceMs);
            const auto report = finished[0][0].value<PreflightReport>();
            QVERIFY2(report.judge().ok(), report.judge().ok() ? "" : report.judge().error().text().c_str());
            qsizetype tried = 0;
            for (const HostReport& host : report.hosts)
                tried += host.links.size();
            QCOMPARE(tried, kFleetHosts * (kFleetHosts - 1) + kFleetHosts -
                                1); // the head logs in to the others as well
            qInfo() << kFleetHosts << "hosts," << round << ":" << timer.elapsed() << "ms, of these"
                    << links.elapsed() << "ms for the links";
        }
    }
};

QTEST_GUILESS_MAIN(TestPreflightScale)
#include "tst_preflight_scale.moc"
