#include <csignal>

#include <QDir>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "tests/support/journal/fed_run.h"
#include "tests/support/patience.h"

using namespace trainyard;
using namespace trainyard::support;
using namespace std::chrono_literals;

namespace {
constexpr auto kLookInterval = 200ms;
}

/// With the local agent; the links are broken by killing it.
class TestRunFollower : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_dir = std::make_unique<QTemporaryDir>();
        TargetOptions options;
        options.agentPath = QStringLiteral(TRAINYARD_BIN_DIR "/trainyard-agent");
        options.agentRoot = m_dir->filePath("agent");
        m_pool = std::make_unique<TargetPool>(options);
        AWAIT_EQUAL(m_pool->target("localhost").state(), Target::State::Ready);
        makeRun();
    }
    void cleanup()
    {
        m_run.reset();
        m_pool.reset();
        m_dir.reset();
    }

    void handsOutWhatIsThereAndWhatComes()
    {
        m_run->steps(100);
        auto follower = follow();
        RecordLedger ledger(*follower);
        QVERIFY(!follower->caughtUp());
        AWAIT(follower->caughtUp());
        QCOMPARE(ledger.count("steps"), 100u);
        m_run->steps(50);
        AWAIT_EQUAL(ledger.count("steps"), 150u);
        QVERIFY2(ledger.complaints().isEmpty(), qPrintable(ledger.complaints()));
        QCOMPARE(mirror("steps"), original("steps"));
        AWAIT_EQUAL(follower->linkState(), LinkState::Live);
    }

    void losesAndDoublesNothingOverManyBreaks()
    {
        auto follower = follow();
        RecordLedger ledger(*follower);
        m_run->feedEvery(2ms);
        AWAIT(ledger.count("steps") > 10);
        for (int i = 0; i < 10; ++i) {
            killAgent();
            AWAIT_EQUAL(m_pool->target("localhost").state(), Target::State::Ready);
            const auto before = ledger.count("steps");
            AWAIT(ledger.count("steps") > before);
            m_pool->target("localhost").close(); // a fresh back-off for the next round
            m_pool->target("localhost").open();
            AWAIT_EQUAL(m_pool->target("localhost").state(), Target::State::Ready);
        }
        m_run->pause();
        AWAIT_EQUAL(ledger.count("steps"), quint64(m_run->written()));
        QVERIFY2(ledger.complaints().isEmpty(), qPrintable(ledger.complaints()));
        QCOMPARE(mirror("steps"), original("steps"));
    }

    void showsTheWholeRunAgainAfterTheDeskRestarted()
    {
        m_run->steps(300);
        for (int round = 1; round <= 3; ++round) {
            auto follower = follow();
            RecordLedger ledger(*follower);
            AWAIT_EQUAL(ledger.count("steps"), quint64(300 * round));
            m_run->steps(300);
            AWAIT_EQUAL(ledger.count("steps"), quint64(300 * (round + 1)));
            QVERIFY2(ledger.complaints().isEmpty(), qPrintable(ledger.complaints()));
        }
        QCOMPARE(mirror("steps"), original("steps"));
    }

    void showsTheMirrorWhenNoHostAnswers()
    {
        m_run->steps(40);
        {
            auto follower = follow();
            RecordLedger ledger(*follower);
            AWAIT_EQUAL(ledger.count("steps"), 40u);
        }
        TargetOptions nowhere;
        nowhere.agentPath = "/nonexistent";
        TargetPool other(nowhere);
        RunFollower follower(m_id, {"localhost"}, other, m_dir->filePath("mirror"));
        RecordLedger ledger(follower);
        follower.start();
        AWAIT_EQUAL(ledger.count("steps"), 40u);
        QCOMPARE(follower.linkState(), LinkState::Lost);
    }

    void keepsTheOldMirrorWhenTheHostHasAnotherJournal()
    {
        m_run->steps(40);
        {
            auto follower = follow();
            RecordLedger ledger(*follower);
            AWAIT_EQUAL(ledger.count("steps"), 40u);
        }
        const QByteArray old = mirror("steps");
        m_run = std::make_unique<FedRun>(runFolder());
        QVERIFY(QFile::remove(runFolder() + "/journal/steps"));
        m_run->steps(60);
        auto follower = follow();
        QSignalSpy restarted(follower.get(), &RunFollower::streamRestarted);
        RecordLedger ledger(*follower);
        AWAIT_EQUAL(restarted.size(), 1);
        AWAIT_EQUAL(ledger.count("steps"), 60u);
        QVERIFY2(ledger.complaints().isEmpty(), qPrintable(ledger.complaints()));
        QCOMPARE(mirror("steps.orig"), old);
        QCOMPARE(mirror("steps"), original("steps"));
    }

    void finishesWhenTheRunIsOverAndAllIsHere()
    {
        m_run->state(RunState::Running);
        m_run->steps(5000);
        m_run->state(RunState::Finished);
        auto follower = follow();
        RecordLedger ledger(*follower);
        quint64 stepsAtTheEnd = 0;
        connect(follower.get(), &RunFollower::finished, this, [&] { stepsAtTheEnd = ledger.count("steps"); });
        AWAIT_EQUAL(stepsAtTheEnd, 5000u);
        QCOMPARE(ledger.count("run"), 2u);
    }

    void finishesAgainAfterEachAttempt()
    {
        m_run->steps(20);
        m_run->state(RunState::Stopped);
        auto follower = follow();
        RecordLedger ledger(*follower);
        QSignalSpy finished(follower.get(), &RunFollower::finished);
        AWAIT_EQUAL(finished.size(), 1);
        m_run->resume();
        workAndFallSilent();
        QCOMPARE(finished.size(), 1); // silence is not an end while the next attempt is at work
        m_run->state(RunState::Finished);
        AWAIT_EQUAL(finished.size(), 2);
        QCOMPARE(ledger.count("steps"), 40u);
        QVERIFY2(ledger.complaints().isEmpty(), qPrintable(ledger.complaints()));
    }

    void doesNotTakeTheEndOfAnEarlierAttemptForThisOne()
    {
        m_run->steps(20);
        m_run->state(RunState::Stopped);
        {
            auto before = follow();
            RecordLedger ledger(*before);
            AWAIT_EQUAL(ledger.count("run"), 1u); // the mirror ends with the first attempt
            AWAIT_EQUAL(ledger.count("steps"), 20u);
        }
        m_run->resume();
        m_run->state(RunState::Starting); // a resume is answered when this is written
        auto follower = follow();
        QSignalSpy finished(follower.get(), &RunFollower::finished);
        workAndFallSilent();
        QCOMPARE(finished.size(), 0);
        m_run->state(RunState::Finished);
        AWAIT_EQUAL(finished.size(), 1);
    }

    void aTornRecordDoesNotHoldTheEndUp()
    {
        m_run->state(RunState::Running);
        m_run->steps(20);
        m_run->tear("steps");
        m_run->state(RunState::Failed, "rank 0 was killed");
        auto follower = follow();
        RecordLedger ledger(*follower);
        QSignalSpy finished(follower.get(), &RunFollower::finished);
        AWAIT_EQUAL(finished.size(), 1);
        QCOMPARE(ledger.count("steps"), 20u);
    }

    void keepsWhatTheNewestAttemptWasAskedToDo()
    {
        m_run->event("attempt-started");
        m_run->steps(20);
        auto follower = follow();
        RecordLedger ledger(*follower);
        QSignalSpy arrived(follower.get(), &RunFollower::attemptArrived);
        AWAIT(follower->caughtUp());
        m_run->resume();
        const QByteArray request = R"({"attempt": 2, "replicas": 1, "nodes": [{"host": "localhost"}]})";
        writeAttempt("0002.json", request);
        m_run->event("attempt-started");
        AWAIT_EQUAL(arrived.size(), 1);
        QCOMPARE(arrived.first().first().toUInt(), 2u);
        QCOMPARE(read(m_dir->filePath("mirror/attempts/0002.json")), request);
        QVERIFY(!QFile::exists(m_dir->filePath("mirror/attempts/0001.json")));
    }

    void anAttemptWhoseRequestIsGoneIsToldAndFollowed()
    {
        m_run->resume();
        m_run->event("attempt-started");
        m_run->steps(20);
        m_run->state(RunState::Finished);
        auto follower = follow();
        QSignalSpy problem(follower.get(), &RunFollower::problem);
        QSignalSpy finished(follower.get(), &RunFollower::finished);
        AWAIT_EQUAL(finished.size(), 1);
        QCOMPARE(problem.size(), 1);
    }

private:
    void writeAttempt(const QString& name, const QByteArray& content)
    {
        QVERIFY(QDir(runFolder()).mkpath("attempts"));
        QFile file(runFolder() + "/attempts/" + name);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(content);
    }
    /// For longer than a follower waits after the end of a run.
    void workAndFallSilent()
    {
        m_run->state(RunState::Running);
        m_run->steps(20);
        QTest::qWait(static_cast<int>((10 * kLookInterval).count()));
    }
    void makeRun()
    {
        m_id = "20261121T090000Z-test-0001";
        std::optional<Result<QJsonObject>> reply;
        m_pool->target("localhost").call(createRunRequest(m_id), [&](const Result<QJsonObject>& r) {
            reply = r;
        });
        AWAIT(reply.has_value());
        QVERIFY2(reply->ok(), reply->ok() ? "" : reply->error().text().c_str());
        m_run = std::make_unique<FedRun>(runFolder());
    }
    std::unique_ptr<RunFollower> follow()
    {
        auto follower =
            std::make_unique<RunFollower>(m_id, QStringList{"localhost"}, *m_pool, m_dir->filePath("mirror"));
        follower->setLookInterval(kLookInterval);
        follower->start();
        return follower;
    }
    void killAgent()
    {
        std::optional<Result<QJsonObject>> reply;
        m_pool->target("localhost").call({{"op", "hello"}}, [&](const Result<QJsonObject>& r) { reply = r; });
        AWAIT(reply.has_value());
        QVERIFY(reply->ok());
        // The link may be up again before anybody looks, so the changes are counted.
        QSignalSpy changes(&m_pool->target("localhost"), &Target::stateChanged);
        QCOMPARE(::kill(static_cast<pid_t>((*reply)->value("pid").toInteger()), SIGKILL), 0);
        AWAIT(!changes.isEmpty());
    }
    QString runFolder() const { return m_dir->filePath("agent/runs/" + m_id); }
    static QByteArray read(const QString& path)
    {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    QByteArray mirror(const QString& stream) const
    {
        return read(m_dir->filePath("mirror/journal/" + stream));
    }
    QByteArray original(const QString& stream) const { return read(runFolder() + "/journal/" + stream); }

    std::unique_ptr<QTemporaryDir> m_dir;
    std::unique_ptr<TargetPool> m_pool;
    std::unique_ptr<FedRun> m_run;
    QString m_id;
};

QTEST_GUILESS_MAIN(TestRunFollower)
#include "tst_run_follower.moc"
