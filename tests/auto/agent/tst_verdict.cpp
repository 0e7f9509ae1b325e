#include <algorithm>
#include <csignal>
#include <sys/resource.h>

// Before Qt, whose macro "slots" would cut the field of that name.
#include "engine/base/file.h"
#include "remote/agent/supervise/launcher_log.h"
#include "remote/agent/supervise/stop_sequence.h"
#include "remote/agent/supervise/stream_watcher.h"
#include "remote/agent/supervise/verdict.h"
#include "tests/auto/agent/launch_pieces.h"

#include <QTemporaryDir>
#include <QTest>

using namespace trainyard;
using namespace trainyard::agent;

namespace {

int exited(int status)
{
    return status << 8; // as waitpid packs it
}

// As OpenMPI 4.1.4 wrote them.
constexpr const char* kKilledRank =
    "--------------------------------------------------------------------------\n"
    "Primary job  terminated normally, but 1 process returned\na non-zero exit code. Per user-direction, the "
    "job has "
    "been aborted.\n--------------------------------------------------------------------------\n"
    "mpirun noticed that process rank 1 with PID 0 on node vm exited on signal 9 (Killed).\n";
constexpr const char* kAbortingRank =
    "--------------------------------------------------------------------------\n"
    "MPI_ABORT was invoked on rank 2 in communicator MPI_COMM_WORLD\nwith errorcode 4.\n";
constexpr const char* kFailedRank =
    "mpirun detected that one or more processes exited with non-zero status, thus causing\n"
    "the job to be terminated. The first process to do so was:\n\n  Process name: [[3970,1],3]\n  Exit code: "
    "   5\n";

} // namespace

/// What the supervisor makes of the end of a job, and how it ends one.
class TestVerdict : public QObject {
    Q_OBJECT

private slots:
    void readsWhatMpirunSays()
    {
        const auto killed = firstRankExit(kKilledRank).value();
        QCOMPARE(killed.rank, 1);
        QCOMPARE(killed.signal, 9);
        QCOMPARE(killed.node, std::string("vm"));
        const auto failed = firstRankExit(kFailedRank).value();
        QCOMPARE(failed.rank, 3);
        QCOMPARE(failed.status, 5);
        const auto aborting = firstRankExit(kAbortingRank).value();
        QCOMPARE(aborting.rank, 2);
        QCOMPARE(aborting.status, 4);
        QVERIFY(!firstRankExit("hello").has_value());
        QVERIFY(!firstRankExit("process rank 99999999999 with PID 0 on node vm exited on signal 9 (Killed).")
                     .has_value()); // what a rank prints may look like anything
    }

    void findsTheLastErrorLine()
    {
        QCOMPARE(lastErrorLine("error: one\nstep 2\nerror: two\nbye\n"), std::string("two"));
        QCOMPARE(lastErrorLine("error: one"), std::string("one"));
        QCOMPARE(lastErrorLine("some error: not at the start\n"), std::string());
        QCOMPARE(lastErrorLine(""), std::string());
    }

    void namesHostRankAndCause_data()
    {
        QTest::addColumn<QString>("mpirunSays");
        QTest::addColumn<bool>("outOfMemory");
        QTest::addColumn<QString>("reason");
        QTest::addRow("killed") << kKilledRank << false
                                << "rank 1 on b was killed by signal 9 (Killed), for example by hand, or by "
                                   "the kernel for lack of memory: bad shard";
        QTest::addRow("killed for memory")
            << kKilledRank << true
            << "rank 1 on b was killed by signal 9 (Killed); the kernel killed processes for lack of memory "
               "while it ran: bad shard";
        QTest::addRow("failed") << QString(kFailedRank).replace(",1],3]", ",1],1]") << false
                                << "rank 1 on b ended with status 5: bad shard";
        QTest::addRow("mpirun does not say who")
            << "Primary job  terminated normally, but 1 process returned\n"
            << false << "rank 1 on b ended with status 5: bad shard";
    }
    void namesHostRankAndCause()
    {
        QFETCH(QString, mpirunSays);
        QFETCH(QString, reason);
        QTemporaryDir root;
        const RunFolder run(std::filesystem::path(root.path().toStdString()), "r");
        std::filesystem::create_directories(run.attempts());
        std::filesystem::create_directories(run.ranks());
        QVERIFY(writeFileAtomically(run.jobLog(1), mpirunSays.toStdString()).ok());
        QVERIFY(writeFileAtomically(run.rankLog(0), "error: of an earlier attempt\n").ok());
        const auto before = rankLogSizes(run, 2);
        QVERIFY(writeFileAtomically(run.rankLog(1), "started\nerror: bad shard\n").ok());
        JobEnd end;
        end.waitStatus = exited(5);
        end.throughMpi = true;
        QFETCH(bool, outOfMemory);
        end.outOfMemory = outOfMemory;
        const Verdict verdict = judge(run, training(2), requestFor({node("a"), node("b")}), end, before);
        QCOMPARE(verdict.state, RunState::Failed);
        QCOMPARE(QString::fromStdString(verdict.reason), reason);
        QCOMPARE(verdict.events.size(), std::size_t(1));
    }

    void tellsWhatWouldComeAgainFromWhatMayPass_data()
    {
        QTest::addColumn<int>("status");
        QTest::addColumn<QString>("words");
        QTest::addColumn<bool>("finishedAStep");
        QTest::addColumn<int>("kind");
        QTest::addRow("says why") << 5 << "error: bad shard\n" << true << int(FailureKind::Work);
        QTest::addRow("another rank did not come") << 4 << "error: all-reduce 7 of group 0 has not ended\n"
                                                   << true << int(FailureKind::Infrastructure);
        QTest::addRow("no word after a step") << 17 << "step 1\n" << true << int(FailureKind::Infrastructure);
        QTest::addRow("no word at the start") << 17 << "" << false << int(FailureKind::Work);
    }
    void tellsWhatWouldComeAgainFromWhatMayPass()
    {
        QFETCH(int, status);
        QFETCH(QString, words);
        QFETCH(bool, finishedAStep);
        QTemporaryDir root;
        const RunFolder run(std::filesystem::path(root.path().toStdString()), "r");
        std::filesystem::create_directories(run.attempts());
        std::filesystem::create_directories(run.ranks());
        QVERIFY(writeFileAtomically(run.rankLog(0), words.toStdString()).ok());
        JobEnd end;
        end.waitStatus = exited(status);
        end.finishedAStep = finishedAStep;
        for (const bool throughMpi : {false, true}) {
            end.throughMpi = throughMpi;
            const Verdict verdict = judge(run, training(1), requestFor({node("a")}), end, {});
            QTEST(int(verdict.failure), "kind");
        }
    }

    void tellsHostsThatTheCheckpointLacksFromThoseThatDoNotAnswer_data()
    {
        QTest::addColumn<QString>("event"); // empty = none
        QTest::addColumn<bool>("finishedAStep");
        QTest::addColumn<bool>("lacksHosts");
        QTest::addRow("loading fails") << "run-failed" << false << true;
        QTest::addRow("no answer in training") << "run-failed" << true << false;
        QTest::addRow("no answer at the start") << "" << false << false;
        QTest::addRow("another event") << "rank-silent" << false << false;
    }
    void tellsHostsThatTheCheckpointLacksFromThoseThatDoNotAnswer()
    {
        QFETCH(QString, event);
        QFETCH(bool, finishedAStep);
        QTemporaryDir root;
        const RunFolder run(std::filesystem::path(root.path().toStdString()), "r");
        std::filesystem::create_directories(run.attempts());
        JobEnd end;
        end.waitStatus = exited(exitStatus(ErrorKind::Unreachable));
        end.finishedAStep = finishedAStep;
        if (!event.isEmpty())
            end.lastError = EventRecord{Severity::Error, event.toStdString(), "shard 2 is on none", {}, 0};
        for (const bool throughMpi : {false, true}) {
            end.throughMpi = throughMpi;
            const Verdict verdict = judge(run, training(1), requestFor({node("a")}), end, {});
            QTEST(verdict.lacksHosts, "lacksHosts");
        }
    }

    void readsAStreamAgainThatCouldNotBeReadOnce()
    {
        QTemporaryDir folder;
        const std::filesystem::path path(folder.path().toStdString());
        auto journal = JournalWriter::open(path, "steps", 2).value();
        StepRecord step;
        step.step = 7;
        QVERIFY(journal.append(step).ok());
        StreamWatcher watcher(path / "steps", 2);
        rlimit before{};
        QCOMPARE(::getrlimit(RLIMIT_NOFILE, &before), 0);
        const rlimit none{0, before.rlim_max};
        QCOMPARE(::setrlimit(RLIMIT_NOFILE, &none), 0);
        watcher.look();
        QCOMPARE(::setrlimit(RLIMIT_NOFILE, &before), 0);
        QVERIFY(!watcher.finishedAStep());
        watcher.look();
        QCOMPARE(watcher.lastStep(), 7);
    }

    void readsADamagedTailOnce()
    {
        const QTemporaryDir place;
        const std::filesystem::path file = std::filesystem::path(place.path().toStdString()) / "steps";
        {
            auto journal = JournalWriter::open(place.path().toStdString(), "steps", 1);
            QVERIFY(journal.ok() && journal->append(StepRecord{}).ok());
        }
        const std::string whole = readFile(file).value();
        JournalTail tail(file, whole.size());
        QVERIFY(writeFileAtomically(file, whole + std::string(64, '\xff')).ok());
        QVERIFY(!tail.read(4096).ok());
        QCOMPARE(tail.read(4096).value(), std::string());
        QCOMPARE(tail.offset(), whole.size());
    }

    void judgesTheEnd_data()
    {
        QTest::addColumn<int>("waitStatus");
        QTest::addColumn<bool>("asked");
        QTest::addColumn<bool>("terminated");
        QTest::addColumn<int>("state");
        QTest::addRow("done") << exited(0) << false << false << int(RunState::Finished);
        QTest::addRow("done although asked to stop") << exited(0) << true << false << int(RunState::Finished);
        QTest::addRow("stopped") << exited(130) << true << false << int(RunState::Stopped);
        QTest::addRow("terminated") << SIGTERM << true << true << int(RunState::Stopped);
        QTest::addRow("failed while stopping") << exited(5) << true << false << int(RunState::Failed);
        QTest::addRow("killed by a stranger") << SIGTERM << false << false << int(RunState::Failed);
    }
    void judgesTheEnd()
    {
        QFETCH(int, waitStatus);
        QFETCH(bool, asked);
        QFETCH(bool, terminated);
        QFETCH(int, state);
        JobEnd end;
        end.waitStatus = waitStatus;
        end.stopAsked = asked;
        end.terminated = terminated;
        const RunFolder nowhere("/nonexistent", "r");
        QCOMPARE(int(judge(nowhere, training(1), requestFor({node("a")}), end, {}).state), state);
    }

    void stopsInThreeSteps()
    {
        using Action = StopSequence::Action;
        QTemporaryDir root;
        const RunFolder run(std::filesystem::path(root.path().toStdString()), "r");
        std::filesystem::create_directories(run.control());
        StopSequence stop(run, std::chrono::seconds(15));
        const StopSequence::TimePoint start{};
        QCOMPARE(stop.next(start), Action::None);
        QVERIFY(writeFileAtomically(run.stopRequest(), R"({"grace_ms":3000})").ok());
        QCOMPARE(stop.next(start), Action::Announce);
        QCOMPARE(stop.next(start + std::chrono::milliseconds(2999)), Action::None);
        QCOMPARE(stop.next(start + std::chrono::milliseconds(3000)), Action::Terminate);
        QCOMPARE(stop.next(start + std::chrono::milliseconds(4999)), Action::None);
        QCOMPARE(stop.next(start + std::chrono::milliseconds(5000)), Action::Kill);
        QCOMPARE(stop.next(start + std::chrono::hours(1)), Action::None);
    }
};

QTEST_APPLESS_MAIN(TestVerdict)
#include "tst_verdict.moc"
