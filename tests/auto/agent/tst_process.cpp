#include <csignal>

#include <QElapsedTimer>
#include <QTest>

#include "engine/base/process.h"
#include "remote/agent/host/process_table.h"
#include "tests/support/patience.h"

using namespace trainyard;
using namespace trainyard::agent;
using namespace std::chrono_literals;

/// Programs that the agent asks, well-behaved and not.
class TestProcess : public QObject {
    Q_OBJECT

private slots:
    void collectsWhatAProgramPrints()
    {
        const auto output = runCommand({"sh", "-c", "echo out; echo err >&2; exit 7"}, 60s);
        QVERIFY2(output.ok(), output.ok() ? "" : output.error().text().c_str());
        QCOMPARE(output->text, std::string("out\nerr\n"));
        QCOMPARE(output->status, 7);
    }

    void keepsABoundedPartOfTheOutput()
    {
        const auto output = runCommand({"sh", "-c", "head -c 1000000 /dev/zero"}, 60s);
        QCOMPARE(output->status, 0);
        QCOMPARE(output->text.size(), std::size_t(256 * 1024));
    }

    void saysWhatCannotBeStarted()
    {
        for (const char* program : {"no-such-program", "/nonexistent/program", "/etc/passwd"}) {
            const auto output = runCommand({program}, 60s);
            QVERIFY(!output.ok());
            QVERIFY2(output.error().message.find(program) != std::string::npos,
                     output.error().message.c_str());
        }
    }

    void killsAProgramThatDoesNotAnswerWithItsChildren()
    {
        const auto output = runCommand({"sh", "-c", "sleep 311 & sleep 311"}, 500ms);
        QVERIFY(!output.ok());
        QVERIFY(output.error().message.find("did not answer") != std::string::npos);
        AWAIT(descendantsOf(::getpid()).empty());
    }

    /// SIGCONT interrupts poll(2), also where no handler is.
    void keepsItsTimeLimitWhenItWasStopped()
    {
        QElapsedTimer timer;
        timer.start();
        const auto output =
            runCommand({"sh", "-c", "kill -STOP $PPID; sleep 0.2; kill -CONT $PPID; exec sleep 312"}, 2s);
        QVERIFY(!output.ok());
        QVERIFY(timer.elapsed() < kPatienceMs);
    }
};

QTEST_GUILESS_MAIN(TestProcess)
#include "tst_process.moc"
