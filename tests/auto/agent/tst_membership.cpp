#include <sys/wait.h>

// Before Qt, whose macro "slots" would cut the field of that name.
#include "engine/base/file.h"
#include "engine/records/journal.h"
#include "engine/spec/spec_json.h"
#include "remote/agent/supervise/elastic_world.h"
#include "remote/agent/supervise/membership.h"
#include "remote/agent/supervise/run_log.h"
#include "tests/support/patience.h"

#include <QTemporaryDir>

using namespace trainyard;
using namespace trainyard::agent;
using std::chrono::milliseconds;
namespace fs = std::filesystem;

namespace {

/// Stands in for ssh: a host is up when there is a file of its name beside it. What is asked of it goes
/// there.
constexpr const char* kShell = R"(#!/bin/sh
[ -e "$(dirname "$0")/$1" ] && echo "$@" > "$(dirname "$0")/$1" && exit 0
exit 255
)";

/// Two pipelines of two ranks, on hosts a and b with one rank each and c with two; a and any other one can go
/// on with one pipeline. With the supervisor's part in their membership.
class SampleRun {
public:
    explicit SampleRun(bool elastic = true, milliseconds lookForHosts = milliseconds(10))
        : m_folder(path() / "root", "r")
    {
        for (const char* part : {"journal", "control", "checkpoints"})
            [[maybe_unused]] const Status made = makeFolder(m_folder.path() / part);
        RunSpec spec;
        spec.dataset.path = "/data/wiki";
        spec.layout.data = 2;
        spec.layout.pipeline = 2;
        spec.batch = {48, 8, 3};
        spec.cluster.nodes = {{"a", 1, 0}, {"b", 1, 0}, {"c", 2, 0}};
        m_work.ranks = spec.layout.worldSize();
        m_work.restart.elastic = elastic;
        write(m_folder.spec(), toJson(spec));
        write(path() / "shell", kShell);
        fs::permissions(path() / "shell", fs::perms::owner_all);
        whole.nodes = {{"a", 1, 0, {}}, {"b", 1, 0, {}}, {"c", 2, 0, {}}};
        whole.rsh = path() / "shell";
        whole.lookForHosts = lookForHosts;
        small = whole;
        small.away = {"c"};
        log.emplace(RunLog::open(m_folder, 1, 100).value());
        membership.emplace(m_folder, m_work, whole, *log);
        setUp("b");
        setUp("c");
    }

    void setUp(const std::string& host) const { write(path() / host, {}); }
    void setDown(const std::string& host) const { fs::remove(path() / host); }
    void publish(const std::string& checkpoint) const
    {
        write(m_folder.path() / "checkpoints" / "latest", checkpoint + "\n");
    }
    bool isAskedForACheckpoint() const { return fs::exists(m_folder.checkpointRequest()); }

    void reap()
    {
        int status = 0;
        for (pid_t child = 0; (child = ::waitpid(-1, &status, WNOHANG)) > 0;)
            membership->childEnded(child, status);
    }
    bool hasAnswers()
    {
        reap();
        return membership->hasAnswers();
    }
    bool shouldEnd()
    {
        reap();
        return membership->shouldEnd();
    }
    /// Also on a machine so slow that the hosts are asked once more before.
    bool shouldEndSoon()
    {
        return QTest::qWaitFor([this] { return shouldEnd(); }, kPatienceMs);
    }
    QStringList events(const std::string& kind) const
    {
        QStringList messages;
        for (const Record& record : readJournal(m_folder.journal() / "run").value().records) {
            const auto* event = std::get_if<EventRecord>(&record.payload);
            if (event && event->kind == kind)
                messages << QString::fromStdString(event->message);
        }
        return messages;
    }

private:
    fs::path path() const { return m_place.path().toStdString(); }
    static void write(const fs::path& file, const std::string& text)
    {
        [[maybe_unused]] const Status written = writeFileAtomically(file, text);
    }

    QTemporaryDir m_place;
    RunFolder m_folder;
    RunWork m_work;

public:
    LaunchRequest whole;
    LaunchRequest small; ///< without c
    std::optional<RunLog> log;
    std::optional<Membership> membership;
};

/// Hosts that the next attempt does without.
QString awayAfterAsking(SampleRun& run, const LaunchRequest& next)
{
    run.membership->ask(next);
    [&] { AWAIT(run.hasAnswers()); }();
    QStringList away;
    for (const std::string& host : run.membership->fit(next).value().away)
        away << QString::fromStdString(host);
    return away.join(' ');
}

Verdict failed(FailureKind kind, const std::string& host = {})
{
    Verdict verdict;
    verdict.failure = kind;
    verdict.host = host;
    return verdict;
}

} // namespace

/// Who takes part in the attempts of a run whose hosts come and go.
class TestMembership : public QObject {
    Q_OBJECT

private slots:
    void goesOnWithoutAHostThatIsAway()
    {
        SampleRun run;
        run.setDown("c");
        QCOMPARE(awayAfterAsking(run, run.whole), QString("c"));
        QCOMPARE(run.events("hosts-away"), QStringList{"no answer from c"});
        run.setUp("c");
        run.setDown("b");
        QCOMPARE(awayAfterAsking(run, run.small), QString("b"));
        run.setUp("b");
        QCOMPARE(awayAfterAsking(run, run.small), QString());
    }

    void waitsForEveryHostWhenTheRunIsNotElastic()
    {
        SampleRun run(/*elastic=*/false);
        run.setDown("c");
        run.membership->ask(run.whole);
        AWAIT(run.hasAnswers());
        const auto next = run.membership->fit(run.whole);
        QCOMPARE(next.error().kind, ErrorKind::Unreachable);
        QCOMPARE(next.error().message, std::string("no answer from c"));
        QCOMPARE(run.events("hosts-away"), QStringList{"no answer from c"});
        run.setUp("c");
        QCOMPARE(awayAfterAsking(run, run.whole), QString());
    }

    void makesRoomOnceACheckpointIsThere()
    {
        SampleRun run(/*elastic=*/true, std::chrono::seconds(2)); // longer than the checkpoint takes
        run.publish("step-000000040");
        run.membership->attemptBegins(run.small);
        AWAIT(run.isAskedForACheckpoint() || run.shouldEnd());
        QVERIFY(run.membership->returned().empty());
        QVERIFY(!run.shouldEnd());
        run.publish("step-000000047");
        QVERIFY(run.shouldEndSoon());
        QCOMPARE(run.membership->returned(), std::string("c can run ranks again"));
        QVERIFY(!run.shouldEnd());
        run.membership->attemptBegins(run.whole);
        QVERIFY(run.membership->returned().empty());
    }

    void asksAgainForHostsThatCouldNotBeTakenIn()
    {
        SampleRun run(/*elastic=*/true, std::chrono::seconds(2)); // longer than the checkpoint takes
        run.membership->attemptBegins(run.small);
        AWAIT(run.isAskedForACheckpoint() || run.shouldEnd());
        run.publish("step-000000047");
        QVERIFY(run.shouldEndSoon());
        const auto asked = run.events("hosts-returned").size();
        run.membership->postpone(trainyard::failed("No space left on device"));
        QVERIFY(run.membership->returned().empty());
        QCOMPARE(run.events("hosts-not-taken-in"),
                 QStringList{"c not rejoined yet: No space left on device"});
        AWAIT(run.shouldEnd() || run.events("hosts-returned").size() > asked);
        run.publish("step-000000053");
        QVERIFY(run.shouldEndSoon());
        QCOMPARE(run.membership->returned(), std::string("c can run ranks again"));
    }

    void tellsOnceOfAHostThatStaysAway()
    {
        SampleRun run;
        run.setDown("c");
        run.membership->attemptBegins(run.small);
        for (int i = 0; i < 20; ++i) {
            QVERIFY(!run.shouldEnd());
            QTest::qWait(20); // several looks, 10 ms apart
        }
        QVERIFY(!run.isAskedForACheckpoint());
        QCOMPARE(run.events("hosts-away").size(), 1);
    }

    void leavesAReturnedHostAloneThatBroughtNothing()
    {
        SampleRun run(/*elastic=*/true, std::chrono::minutes(1));
        run.membership->attemptBegins(run.small);
        run.membership->attemptBegins(run.whole);
        Verdict verdict = failed(FailureKind::Work);
        run.membership->judge(verdict, /*finishedAStep=*/false);
        QCOMPARE(verdict.failure, FailureKind::Infrastructure); // the run was good before
        QCOMPARE(awayAfterAsking(run, run.whole), QString("c"));
        QCOMPARE(run.events("hosts-left-alone"),
                 QStringList{"c not retried for 2 min 0 s: with it attempt 1 failed"});
    }

    void leavesAReturnedHostAloneThatIsGoneAgain()
    {
        SampleRun run(/*elastic=*/true, std::chrono::seconds(2)); // longer than the checkpoint takes
        run.membership->attemptBegins(run.small);
        AWAIT(run.shouldEnd() || run.isAskedForACheckpoint());
        run.publish("step-000000047");
        QVERIFY(run.shouldEndSoon());
        run.setDown("c");
        run.membership->attemptBegins(run.small);
        QCOMPARE(run.events("hosts-left-alone"),
                 QStringList{"c not retried for 4.00 s: attempt 1 started without it"});
    }

    void aReturnedHostThatBroughtACheckpointIsFineAgain()
    {
        SampleRun run;
        run.membership->attemptBegins(run.small);
        run.membership->attemptBegins(run.whole);
        run.publish("step-000000050");
        Verdict verdict = failed(FailureKind::Work);
        run.membership->judge(verdict, /*finishedAStep=*/true);
        QCOMPARE(verdict.failure, FailureKind::Work);
        QCOMPARE(run.events("hosts-left-alone"), QStringList());
    }

    void whatFailsInTheTrainingIsNoReturnedHostsFault()
    {
        SampleRun run;
        run.membership->attemptBegins(run.small);
        run.membership->attemptBegins(run.whole);
        Verdict verdict = failed(FailureKind::Work, "c"); // a loss that is not finite
        run.membership->judge(verdict, /*finishedAStep=*/true);
        QCOMPARE(verdict.failure, FailureKind::Work);
        QCOMPARE(run.events("hosts-left-alone"), QStringList());
    }

    void goesOnWithoutTheHostWhoseRankCannotBegin()
    {
        SampleRun run(/*elastic=*/true, std::chrono::minutes(1));
        LaunchRequest restarted = run.whole;
        restarted.restarts.restarts = 1;
        run.membership->attemptBegins(restarted);
        Verdict verdict = failed(FailureKind::Work, "b");
        run.membership->judge(verdict, /*finishedAStep=*/false);
        QCOMPARE(verdict.failure, FailureKind::Infrastructure);
        QCOMPARE(awayAfterAsking(run, restarted), QString("b"));
        run.setDown("c"); // a alone is too little: better with b than not at all
        QCOMPARE(awayAfterAsking(run, restarted), QString("c"));
    }

    void needsAllHostsWhenItsCheckpointDoes()
    {
        SampleRun run;
        run.setDown("c");
        run.membership->attemptBegins(run.small);
        Verdict verdict = failed(FailureKind::Infrastructure, "b");
        verdict.lacksHosts = true;
        run.membership->judge(verdict, /*finishedAStep=*/false);
        QVERIFY(run.membership->needsAbsentHosts());
        QCOMPARE(run.events("hosts-left-alone"), QStringList());
        run.membership->ask(run.small);
        AWAIT(run.hasAnswers());
        QCOMPARE(run.membership->fit(run.small).error().kind, ErrorKind::Unreachable);
        run.setUp("c");
        QCOMPARE(awayAfterAsking(run, run.small), QString());
        run.membership->attemptBegins(run.whole);
        QVERIFY(!run.membership->needsAbsentHosts());
        run.membership->judge(verdict, /*finishedAStep=*/false); // nobody is absent: waiting would not help
        QVERIFY(!run.membership->needsAbsentHosts());
    }

    void whatIsWrongFromTheBeginningIsNobodysFault()
    {
        SampleRun run;
        run.membership->attemptBegins(run.whole);
        Verdict verdict = failed(FailureKind::Work, "b");
        run.membership->judge(verdict, /*finishedAStep=*/false);
        QCOMPARE(verdict.failure, FailureKind::Work);
        QCOMPARE(awayAfterAsking(run, run.whole), QString());
    }
};

QTEST_GUILESS_MAIN(TestMembership)
#include "tst_membership.moc"
