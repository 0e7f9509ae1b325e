#include <QTemporaryDir>
#include <QTest>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <new>
#include <stdexcept>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <c10/util/Exception.h>

#include "engine/base/file.h"
#include "engine/comm/collective_watchdog.h"
#include "engine/comm/mpi_process.h"
#include "engine/comm/work.h"
#include "engine/records/journal.h"
#include "engine/training/step_journal.h"
#include "engine/worker/final_event_writer.h"
#include "engine/worker/rank_device.h"
#include "engine/worker/rank_log.h"

using namespace trainyard;

namespace fs = std::filesystem;

namespace {

/// As ATen throws what CUDA returns.
void failOnDevice(int code)
{
    throw c10::AcceleratorError({__func__, __FILE__, __LINE__}, code, "CUDA error: " + std::to_string(code));
}

class WorkOnABrokenDevice final : public DeviceWork {
public:
    void wait() override {}
    bool isDone() override
    {
        failOnDevice(700);
        return false;
    }
};

} // namespace

/// What a process that dies leaves behind. Each one is forked here, and is rank 3 of a run.
class TestLastWord : public QObject {
    Q_OBJECT

private slots:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void ofABrokenInvariantIsInLogAndJournal()
    {
        QCOMPARE(endOf([](FinalEventWriter&) { std::abort(); }), "status 5");
        QVERIFY(log().find("error: a broken invariant stopped the worker") != std::string::npos);
        QCOMPARE(events().size(), std::size_t(1));
        QCOMPARE(events().front().kind, std::string("worker-aborted"));
        QCOMPARE(events().front().rank, std::optional<int>(3));
    }

    void ofAnAbortFromOutsideIsASignal()
    {
        QCOMPARE(endOf([](FinalEventWriter&) {
                     const pid_t other = ::fork();
                     if (other == 0) {
                         ::kill(::getppid(), SIGABRT);
                         ::_exit(0);
                     }
                     for (;;)
                         ::pause();
                 }),
                 QString("signal %1").arg(SIGABRT));
        QCOMPARE(events().size(), std::size_t(1));
    }

    // 4 is resumed by the supervisor, 3 and 5 are not.
    void ofAnExceptionHasItsStatus_data()
    {
        QTest::addColumn<std::function<void()>>("fail");
        QTest::addColumn<QString>("end");
        QTest::addColumn<QString>("said");
        const auto row = [](const char* name, std::function<void()> fail, const char* end, const char* said) {
            QTest::newRow(name) << std::move(fail) << end << said;
        };
        row(
            "broken group", [] { throw CommunicationError("remote process exited"); }, "status 4",
            "remote process exited");
        row(
            "memory error of a GPU", [] { failOnDevice(214); }, "status 4", "CUDA error: 214");
        row(
            "broken link of a GPU", [] { failOnDevice(220); }, "status 4", "CUDA error: 220");
        row(
            "launch failure", [] { failOnDevice(719); }, "status 4", "CUDA error: 719");
        row(
            "illegal address", [] { failOnDevice(700); }, "status 5", "CUDA error: 700");
        row(
            "product on a broken GPU",
            [] { TORCH_CHECK(false, "CUDA error: CUBLAS_STATUS_EXECUTION_FAILED"); }, "status 4",
            "CUBLAS_STATUS_EXECUTION_FAILED");
        row(
            "no device memory", [] { TORCH_CHECK_WITH(OutOfMemoryError, false, "CUDA out of memory"); },
            "status 3", "CUDA out of memory");
        row(
            "no host memory", [] { throw std::bad_alloc(); }, "status 3", "no memory left on the host");
        row(
            "wrong shapes", [] { TORCH_CHECK(false, "shapes do not match"); }, "status 5",
            "shapes do not match");
        row(
            "another exception", [] { throw std::runtime_error("what nobody expected"); }, "status 5",
            "what nobody expected");
    }
    void ofAnExceptionHasItsStatus()
    {
        QFETCH(std::function<void()>, fail);
        QFETCH(QString, said);
        QTEST(endOf([&](FinalEventWriter&) { std::thread(fail).join(); }), "end");
        QCOMPARE(events().size(), std::size_t(1));
        QCOMPARE(events().front().kind, std::string("worker-exception"));
        QVERIFY2(events().front().message.find(said.toStdString()) != std::string::npos,
                 events().front().message.c_str());
    }

    // The group breaks, and the training thread falls over what that leaves, in its own way.
    void isThatOfTheThreadThatEndsTheProcess()
    {
        QCOMPARE(endOf([](FinalEventWriter& finalEventWriter) {
                     finalEventWriter.beginEnd("collective-failed", "all-reduce 3 of group 1 failed");
                     std::atomic<int> begun{0};
                     for (int thread = 0; thread < 2; ++thread)
                         std::thread([&, thread] {
                             ++begun;
                             if (thread == 0)
                                 throw std::runtime_error("what followed");
                             finalEventWriter.say("run-failed", "the loss is not finite");
                             ::_exit(99);
                         }).detach();
                     while (begun < 2)
                         std::this_thread::yield();
                     std::this_thread::sleep_for(std::chrono::milliseconds(200)); // the others' chance
                     MpiProcess::abort(exitStatus(ErrorKind::Unreachable));
                 }),
                 "status 4");
        QCOMPARE(events().size(), std::size_t(1));
        QCOMPARE(events().front().kind, std::string("collective-failed"));
    }

    // An illegal address, say, is no matter of the collective in which it is noticed.
    void ofADeviceThatBreaksUnderTheWatchdogIsTheDevices()
    {
        QCOMPARE(endOf([](FinalEventWriter& finalEventWriter) {
                     CollectiveWatchdog watchdog(std::chrono::minutes(1), endOfRank(finalEventWriter));
                     CollectiveWatchdog::Call(watchdog, "all-reduce 1 of group 0")
                         .handedOver(std::make_shared<WorkOnABrokenDevice>(), [] {});
                     for (;;)
                         ::pause();
                 }),
                 "status 5");
        QCOMPARE(events().front().kind, std::string("worker-exception"));
    }

    void ofACollectiveThatHangsIsThatOfALostRank()
    {
        QCOMPARE(endOf([](FinalEventWriter& finalEventWriter) {
                     CollectiveWatchdog watchdog(std::chrono::milliseconds(50), endOfRank(finalEventWriter));
                     const CollectiveWatchdog::Call call(watchdog, "connecting group 7");
                     for (;;)
                         ::pause();
                 }),
                 "status 4");
        QCOMPARE(events().size(), std::size_t(1));
        QCOMPARE(events().front().kind, std::string("collective-failed"));
        QVERIFY2(events().front().message.starts_with("connecting group 7 did not finish within 50 ms"),
                 events().front().message.c_str());
    }

    void ofAFaultIsInTheLog()
    {
        QCOMPARE(endOf([](FinalEventWriter&) { std::raise(SIGSEGV); }), QString("signal %1").arg(SIGSEGV));
        QVERIFY(log().find("error: the worker was ended by a memory or arithmetic fault") !=
                std::string::npos);
        QVERIFY(events().empty());
    }

    void isSaidOnce()
    {
        QCOMPARE(endOf([](FinalEventWriter& finalEventWriter) {
                     finalEventWriter.say("run-failed", "no room");
                     std::abort();
                 }),
                 "status 5");
        QCOMPARE(events().size(), std::size_t(1));
        QCOMPARE(events().front().message, std::string("no room"));
        QVERIFY(log().find("broken invariant") == std::string::npos);
    }

private:
    fs::path folder() const { return m_folder->path().toStdString(); }
    std::string log() const { return readFile(folder() / "log").value(); }
    std::vector<EventRecord> events() const
    {
        std::vector<EventRecord> events;
        for (const Record& record : readJournal(folder() / "steps").value().records) {
            if (const auto* event = std::get_if<EventRecord>(&record.payload))
                events.push_back(*event);
        }
        return events;
    }

    /// Runs `body` with a last word in a process of its own: "status 5", "signal 6".
    QString endOf(const std::function<void(FinalEventWriter&)>& body) const
    {
        const pid_t child = ::fork();
        if (child == 0) {
            const RankLog rankLog = RankLog::redirect(folder() / "log", "begins").value();
            FinalEventWriter finalEventWriter(Rank(3), rankLog);
            const auto journal = StepJournal::open(folder(), 1).value();
            finalEventWriter.attach(journal.get());
            body(finalEventWriter);
            ::_exit(0);
        }
        int status = 0;
        ::waitpid(child, &status, 0);
        return WIFSIGNALED(status) ? QString("signal %1").arg(WTERMSIG(status))
                                   : QString("status %1").arg(WEXITSTATUS(status));
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_GUILESS_MAIN(TestLastWord)
#include "tst_last_word.moc"
