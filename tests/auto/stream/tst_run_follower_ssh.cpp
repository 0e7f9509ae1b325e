#include <QElapsedTimer>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "tests/support/journal/fed_run.h"
#include "tests/support/lab/netns_lab.h"
#include "tests/support/patience.h"

using namespace trainyard;
using namespace trainyard::support;
using namespace std::chrono_literals;

/// Over real SSH, with links that are reset, cut and frozen while records flow.
class TestRunFollowerSsh : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (const QString why = lab::NetnsLab::whyNot(); !why.isEmpty())
            QSKIP(qPrintable(why));
        m_lab = std::make_unique<lab::NetnsLab>(lab::NetnsLab::Options{1, "128m", {}});
        const QString trouble = m_lab->start();
        QVERIFY2(trouble.isEmpty(), qPrintable(trouble));
        m_lab->trustHosts();
    }
    void cleanupTestCase() { m_lab.reset(); }

    void init()
    {
        m_dir = std::make_unique<QTemporaryDir>();
        m_pool = std::make_unique<TargetPool>(m_lab->targetOptions());
        AWAIT_EQUAL(target().state(), Target::State::Ready);
        makeRun();
    }
    void cleanup()
    {
        m_run.reset();
        m_pool.reset();
    }

    void losesNothingWhenConnectionsAreReset()
    {
        auto follower = follow();
        RecordLedger ledger(*follower);
        m_run->feedEvery(5ms);
        QList<qint64> pauses;
        for (int i = 0; i < 8; ++i) {
            AWAIT(ledger.count("steps") + 20 > quint64(m_run->written()));
            const auto before = ledger.count("steps");
            QElapsedTimer timer;
            timer.start();
            m_lab->host(0).resetConnections();
            AWAIT(ledger.count("steps") > before + 50);
            pauses << timer.elapsed();
        }
        finishAndCompare(ledger);
        qInfo() << "ms from reset to 50 records later:" << pauses;
    }

    void losesNothingWhenTheLinkIsCut()
    {
        TargetOptions options = m_lab->targetOptions();
        options.pingInterval = 500ms;
        options.lostAfter = 3000ms; // users have 13 s: see tst_network_faults
        m_pool = std::make_unique<TargetPool>(options);
        auto follower = follow();
        RecordLedger ledger(*follower);
        QSignalSpy links(follower.get(), &RunFollower::linkChanged);
        m_run->feedEvery(10ms);
        AWAIT(ledger.count("steps") > 50);
        m_lab->host(0).cutLink();
        QElapsedTimer cut;
        cut.start();
        AWAIT_EQUAL(follower->linkState(), LinkState::Lost);
        qInfo() << "ms until the cut was noticed:" << cut.elapsed();
        AWAIT(quint64(m_run->written()) > ledger.count("steps") + 100);
        const auto written = quint64(m_run->written());
        m_lab->host(0).restoreLink();
        QElapsedTimer restored;
        restored.start();
        AWAIT(ledger.count("steps") >= written);
        qInfo() << "ms from restore to the records of the cut:" << restored.elapsed();
        finishAndCompare(ledger);
        AWAIT_EQUAL(follower->linkState(), LinkState::Live);
    }

    void drainsALongAbsenceQuickly()
    {
        m_run->steps(100'000);
        const double mib = double(QFile(original()).size()) / (1024 * 1024);
        auto follower = follow();
        RecordLedger ledger(*follower);
        QElapsedTimer timer;
        timer.start();
        AWAIT_EQUAL(ledger.count("steps"), 100'000u);
        qInfo() << mib << "MiB in" << timer.elapsed() << "ms";
        QVERIFY2(ledger.complaints().isEmpty(), qPrintable(ledger.complaints()));
    }

private:
    Target& target() { return m_pool->target(m_lab->host(0).address()); }
    void makeRun()
    {
        m_id = QString("20261121T090000Z-test-%1").arg(++m_number, 4, 10, QChar('0'));
        std::optional<Result<QJsonObject>> reply;
        target().call(createRunRequest(m_id), [&](const Result<QJsonObject>& r) { reply = r; });
        AWAIT(reply.has_value());
        QVERIFY2(reply->ok(), reply->ok() ? "" : reply->error().text().c_str());
        m_run = std::make_unique<FedRun>(runFolder());
    }
    std::unique_ptr<RunFollower> follow()
    {
        auto follower = std::make_unique<RunFollower>(m_id, QStringList{m_lab->host(0).address()}, *m_pool,
                                                      m_dir->path());
        follower->start();
        return follower;
    }
    void finishAndCompare(RecordLedger& ledger)
    {
        m_run->pause();
        AWAIT_EQUAL(ledger.count("steps"), quint64(m_run->written()));
        QVERIFY2(ledger.complaints().isEmpty(), qPrintable(ledger.complaints()));
        QFile mirror(m_dir->filePath("journal/steps")), host(original());
        QVERIFY(mirror.open(QIODevice::ReadOnly) && host.open(QIODevice::ReadOnly));
        QCOMPARE(mirror.readAll(), host.readAll());
    }
    QString runFolder() const { return m_lab->host(0).path("/root/.trainyard/runs/" + m_id); }
    QString original() const { return runFolder() + "/journal/steps"; }

    std::unique_ptr<lab::NetnsLab> m_lab;
    std::unique_ptr<QTemporaryDir> m_dir;
    std::unique_ptr<TargetPool> m_pool;
    std::unique_ptr<FedRun> m_run;
    QString m_id;
    int m_number = 0;
};

QTEST_GUILESS_MAIN(TestRunFollowerSsh)
#include "tst_run_follower_ssh.moc"
