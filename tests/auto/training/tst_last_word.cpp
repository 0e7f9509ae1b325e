#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <cstdlib>
#include <functional>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/file.h"
#include "engine/records/journal.h"
#include "engine/training/step_journal.h"
#include "engine/worker/final_event_writer.h"
#include "engine/worker/rank_log.h"

using namespace trainyard;

namespace fs = std::filesystem;

/// What a process that dies leaves behind. Each one is forked here, and is rank 3 of a run.
class TestLastWord : public QObject {
    Q_OBJECT

private slots:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void ofABrokenInvariantIsInLogAndJournal()
    {
        QCOMPARE(signalThatEnds([](FinalEventWriter&) { std::abort(); }), SIGABRT);
        QVERIFY(log().find("error: a broken invariant stopped the worker") != std::string::npos);
        QCOMPARE(events().size(), std::size_t(1));
        QCOMPARE(events().front().kind, std::string("worker-aborted"));
        QCOMPARE(events().front().rank, std::optional<int>(3));
    }

    void ofAFaultIsInTheLog()
    {
        QCOMPARE(signalThatEnds([](FinalEventWriter&) { std::raise(SIGSEGV); }), SIGSEGV);
        QVERIFY(log().find("error: the worker was ended by a memory or arithmetic fault") !=
                std::string::npos);
        QVERIFY(events().empty());
    }

    void isSaidOnce()
    {
        QCOMPARE(signalThatEnds([](FinalEventWriter& finalEventWriter) {
                     finalEventWriter.say("run-failed", "no room");
                     std::abort();
                 }),
                 SIGABRT);
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

    /// Runs `body` with a last word in a process of its own; 0 when no signal ended it.
    int signalThatEnds(const std::function<void(FinalEventWriter&)>& body) const
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
        return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_GUILESS_MAIN(TestLastWord)
#include "tst_last_word.moc"
