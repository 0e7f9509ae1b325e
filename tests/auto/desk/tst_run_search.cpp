#include <QDateTime>
#include <QTest>

#include "app/runs/run_database.h"
#include "app/runs/run_query.h"

using namespace trainyard;

namespace {

qint64 localMs(int year, int month, int day)
{
    return QDateTime(QDate(year, month, day), QTime(12, 0)).toMSecsSinceEpoch();
}

RunEntry lamb()
{
    RunEntry e;
    e.id = "20261120T101010Z-bert-large-00aa";
    e.name = "bert-large";
    e.hosts = {"gpu-01.cluster", "gpu-02.cluster"};
    e.state = RunState::Finished;
    e.step = 7038;
    e.steps = 7038;
    e.loss = 2.25;
    e.bestHeldOutLoss = 2.5;
    e.sequencesPerSecond = 812.5;
    e.worldSize = 16;
    e.createdMs = localMs(2026, 11, 20);
    e.tags = {"paper", "phase one"};
    e.notes = "Warm-up of 2000 steps";
    return e;
}

} // namespace

class TestRunSearch : public QObject {
    Q_OBJECT

private slots:
    void finds_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<bool>("found");
        const auto row = [](const char* text, bool found) {
            QTest::addRow("%s", text) << QString(text) << found;
        };
        row("", true);
        row("   ", true);
        row("BERT paper", true);
        row("bert gpt", false);
        row("warm-up", true);
        row("\"phase one\"", true);
        row("\"phase one", true); // still being typed
        row("\"one phase\"", false);
        row("tag:paper", true);
        row("tag:\"phase one\"", true);
        row("tag:pap", false); // tags are whole
        row("tag:", true);     // still being typed
        row("-tag:paper", false);
        row("-tag:draft", true);
        row("-gpt", true);
        row("state:done", true);
        row("state:finished", true);
        row("state:failed", false);
        row("host:gpu-02", true);
        row("name:large", true);
        row("name:gpu", false);
        row("id:00aa", true);
        row("notes:2000", true);
        row("loss<2.5", true);
        row("loss<2.25", false);
        row("held-out<2.75", true);
        row("held-out<2.5", false);
        row("-held-out<2.75", false);
        row("loss<=2.25", true);
        row("loss!=2.25", false);
        row("step=7038", true);
        row("-steps>=7038", false);
        row("ranks>1 SEQ/S>800 attempt=1", true);
        row("after:2026-11-20", true);
        row("after:2026-11-21", false);
        row("before:2026-11-20", false);
        row("before:2026-12", true);
        row("on:2026-11", true);
        row("on:2025", false);
        row("is:imported", false);
        row("is:archived", false);
        row("-is:archived", true);
        row("b.*", false); // pattern characters mean themselves
    }

    void finds()
    {
        QFETCH(QString, text);
        const RunQuery search(text);
        QVERIFY2(search.problem().isEmpty(), qPrintable(search.problem()));
        QTEST(search.matches(lamb()), "found");
    }

    void hidesArchivedRunsUntilAskedForThem()
    {
        RunEntry archived = lamb();
        archived.isArchived = true;
        QVERIFY(!RunQuery("bert").matches(archived));
        QVERIFY(RunQuery("bert is:archived").matches(archived));
        QVERIFY(!RunQuery("-is:archived").matches(archived));
    }

    void aRunWithoutLossHasNoneToCompare()
    {
        RunEntry fresh = lamb();
        fresh.loss = fresh.bestHeldOutLoss = std::nan("");
        QVERIFY(!RunQuery("loss<100").matches(fresh));
        QVERIFY(!RunQuery("held-out<100").matches(fresh));
        QVERIFY(!RunQuery("loss>=0").matches(fresh));
    }

    void saysWhatItCannotUseAndLeavesItOut_data()
    {
        QTest::addColumn<QString>("text");
        QTest::newRow("no number") << "loss<low";
        QTest::newRow("no date") << "after:yesterday";
        QTest::newRow("no such kind") << "is:green";
    }

    void saysWhatItCannotUseAndLeavesItOut()
    {
        QFETCH(QString, text);
        const RunQuery search("bert " + text);
        QVERIFY(!search.problem().isEmpty());
        QVERIFY(search.matches(lamb()));
    }
};

QTEST_GUILESS_MAIN(TestRunSearch)
#include "tst_run_search.moc"
