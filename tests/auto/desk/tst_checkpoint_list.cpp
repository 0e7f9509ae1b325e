#include <memory>

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

#include "app/monitor/model/checkpoint_choice.h"
#include "app/monitor/model/checkpoint_list_model.h"
#include "app/runs/recorded_run.h"

using namespace trainyard;

namespace {

using Model = CheckpointListModel;

RunCheckpoint whole(qint64 step)
{
    RunCheckpoint checkpoint;
    checkpoint.step = step;
    checkpoint.folder = QString("step-%1").arg(step, 9, 10, QChar('0'));
    checkpoint.state = "whole";
    checkpoint.bytes = 3 << 20;
    return checkpoint;
}

RunCheckpoint damaged(qint64 step, const QString& reason)
{
    RunCheckpoint checkpoint = whole(step);
    checkpoint.state = "damaged";
    checkpoint.reason = reason;
    return checkpoint;
}

RunCheckpoint ofLine(qint64 step, int line)
{
    RunCheckpoint checkpoint = whole(step);
    checkpoint.folder += QString(".line-%1").arg(line);
    checkpoint.state = "abandoned";
    checkpoint.reason = QString("the run has left branch %1").arg(line);
    return checkpoint;
}

RunFacts factsOf(int everySteps, int steps)
{
    RunFacts facts;
    facts.spec = RunSpec();
    facts.spec->checkpoint.everySteps = everySteps;
    facts.spec->launch.steps = steps;
    return facts;
}

} // namespace

class TestCheckpointList : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_model = std::make_unique<Model>();
        m_tester = std::make_unique<QAbstractItemModelTester>(
            m_model.get(), QAbstractItemModelTester::FailureReportingMode::QtTest);
    }
    void cleanup()
    {
        m_tester.reset();
        m_model.reset();
    }

    void saysInWordsHowEachIs()
    {
        RunCheckpoint newest = damaged(1500, "manifest.json is cut off");
        newest.latest = true;
        RunCheckpoint next = whole(1000);
        next.next = true;
        next.verified = true;
        RunCheckpoint locked = whole(900);
        locked.state = "unreadable";
        locked.reason = "Permission denied";
        m_model->update({newest, next, locked, ofLine(800, 1), whole(700)});
        QCOMPARE(column(Model::State),
                 (QStringList{"✕ damaged", "● complete", "▲ unreadable", "◌ abandoned", "● complete"}));
        QCOMPARE(column(Model::Verified), (QStringList{"–", "✓ yes", "–", "not yet", "not yet"}));
        QCOMPARE(column(Model::Latest), (QStringList{"✓ yes", "", "", "", ""}));
        QCOMPARE(column(Model::Note), (QStringList{"manifest.json is cut off", "used by the next resume",
                                                   "Permission denied", "the run has left branch 1", ""}));
        QCOMPARE(column(Model::Step).first(), QString("1\u202f500"));
        QCOMPARE(column(Model::Size).first(), QString("3.00 MiB"));
        QVERIFY(tip(0, Model::State).contains("Step 1\u202f500 is damaged: manifest.json is cut off."));
        QVERIFY(tip(3, Model::Note).contains("a run resumes from it only when you choose it"));
        QCOMPARE(m_model->usualRow(), 1);
    }

    void marksTheBestByHeldOutEvaluation()
    {
        RunCheckpoint best = whole(1000);
        best.best = true;
        RunCheckpoint both = whole(1500);
        both.best = both.next = true;
        m_model->update({both, best, whole(500)});
        QVERIFY(sentenceOf(both).endsWith("It is the best by held-out evaluation. The next resume uses it."));
        QCOMPARE(column(Model::Note), (QStringList{"★ best held-out evaluation, used by the next resume",
                                                   "★ best held-out evaluation", ""}));
    }

    /// A row has no room for it; the sentence about the checkpoint tells where it lies.
    void theRowLeavesOutTheWayToTheFolder()
    {
        const QString way = "/home/me and you/runs/r1/checkpoints/step-000000100/";
        m_model->update({damaged(100, way + "manifest.json is missing")});
        QCOMPARE(column(Model::Note), QStringList{"manifest.json is missing"});
        QVERIFY(sentenceOf(m_model->checkpoints().first()).contains(way));
        m_model->update({damaged(100, "cannot open " + way + "a.safetensors: Stale file handle")});
        QCOMPARE(column(Model::Note), QStringList{"cannot open a.safetensors: Stale file handle"});
        m_model->update(
            {damaged(100, "tensor model/a: bytes 1 to 2 of /elsewhere/x do not match their hash")});
        QVERIFY(column(Model::Note).first().endsWith("of /elsewhere/x do not match their hash"));
    }

    void aStateOfALaterVersionIsShownAsItIs()
    {
        RunCheckpoint odd = whole(100);
        odd.state = "frozen\nsolid";
        m_model->update({odd});
        QCOMPARE(column(Model::State), QStringList{"frozen solid"});
        QVERIFY(!whyNotFrom(odd, {odd}).isEmpty());
    }

    void aNewCheckpointIsInsertedAndARemovedOneGoes()
    {
        m_model->update({whole(200), whole(100)});
        QSignalSpy inserted(m_model.get(), &Model::rowsInserted);
        QSignalSpy removed(m_model.get(), &Model::rowsRemoved);
        QSignalSpy reset(m_model.get(), &Model::modelReset);
        const QPersistentModelIndex kept = m_model->index(0, 0);
        m_model->update({whole(300), whole(200)});
        QCOMPARE(inserted.size(), 1);
        QCOMPARE(removed.size(), 1);
        QCOMPARE(reset.size(), 0);
        QCOMPARE(kept.row(), 1); // a selection stays
        m_model->update({});
        QCOMPARE(m_model->rowCount(), 0);
        QCOMPARE(m_model->usualRow(), -1);
    }

    void anOrderThatChangesIsTakenAsItIs()
    {
        m_model->update({whole(200), whole(100)});
        m_model->update({whole(100), whole(200)});
        QCOMPARE(column(Model::Step), (QStringList{"100", "200"}));
        m_model->update({whole(100), whole(100), whole(200)}); // no head lists one twice
        QCOMPARE(m_model->rowCount(), 3);
        m_model->clear();
        QCOMPARE(m_model->rowCount(), 0);
    }

    void whatAComparisonFoundOutStaysKnown()
    {
        RunCheckpoint compared = whole(200);
        compared.verified = true;
        m_model->update({damaged(300, "a tensor differs from its hash"), compared});
        RunCheckpoint next = whole(300); // by its index alone
        next.next = true;
        m_model->update({next, whole(200)});
        QCOMPARE(column(Model::State), (QStringList{"✕ damaged", "● complete"}));
        QCOMPARE(column(Model::Note).first(), QString("a tensor differs from its hash"));
        QCOMPARE(column(Model::Verified).last(), QString("✓ yes"));
        RunCheckpoint brought = whole(300);
        brought.verified = true;
        m_model->update({brought, whole(200)});
        QCOMPARE(column(Model::State).first(), QString("● complete")); // somebody has brought it back
    }

    void ofAnotherSizeNothingIsKnown()
    {
        RunCheckpoint compared = whole(200);
        compared.verified = true;
        m_model->update({compared});
        RunCheckpoint grown = whole(200);
        grown.bytes += 1;
        m_model->update({grown});
        QCOMPARE(column(Model::Verified), QStringList{"not yet"});
    }

    void onlyCompleteOnesCanBeResumedFrom()
    {
        RunCheckpoint locked = whole(300);
        locked.state = "unreadable";
        const QList<RunCheckpoint> all{damaged(400, "cut off"), locked, whole(200), ofLine(150, 1)};
        QVERIFY(!whyNotFrom(all[0], all).isEmpty());
        QVERIFY(!whyNotFrom(all[1], all).isEmpty());
        QCOMPARE(whyNotFrom(all[2], all), QString());
        QCOMPARE(whyNotFrom(all[3], all), QString());
    }

    /// `resume --step N` takes the present line's, else the one of the line that was left last.
    void ofEqualStepsOnlyTheOneThatAResumeTakesCanBeChosen()
    {
        const QList<RunCheckpoint> withPresent{whole(200), ofLine(200, 1)};
        QCOMPARE(whyNotFrom(withPresent[0], withPresent), QString());
        QVERIFY(whyNotFrom(withPresent[1], withPresent).contains("another checkpoint of this step"));
        const QList<RunCheckpoint> ofTwoLines{ofLine(200, 1), ofLine(200, 12)};
        QVERIFY(!whyNotFrom(ofTwoLines[0], ofTwoLines).isEmpty());
        QCOMPARE(whyNotFrom(ofTwoLines[1], ofTwoLines), QString());
        RunCheckpoint aside = damaged(200, "set aside: cut off");
        aside.folder += ".damaged";
        const QList<RunCheckpoint> besideOneSetAside{ofLine(200, 1), aside};
        QCOMPARE(whyNotFrom(besideOneSetAside[0], besideOneSetAside), QString());
    }

    void saysWhichLaterOnesAreLeftBehind()
    {
        RunCheckpoint aside = damaged(350, "set aside: cut off");
        aside.folder += ".damaged";
        const QList<RunCheckpoint> all{damaged(400, "cut off"), aside,      whole(300),
                                       ofLine(250, 1),          whole(200), whole(100)};
        QCOMPARE(abandonedBranchText(all[0], all), QString());
        QVERIFY(abandonedBranchText(all[2], all)
                    .startsWith("The later checkpoint becomes an abandoned branch: step 400 (damaged)."));
        QVERIFY(abandonedBranchText(all[5], all)
                    .startsWith("The later checkpoints become an abandoned branch: "
                                "steps 200, 300 and 400 (damaged)."));
        QVERIFY(abandonedBranchText(all[3], all).contains("including steps 300 and 400 (damaged), become"));
        QVERIFY(abandonedBranchText(ofLine(500, 1), all).contains("that do not lead to it become"));
    }

    void manyStepsAreNamedByTheFirstAndTheLast()
    {
        QList<RunCheckpoint> all;
        for (qint64 step = 2000; step > 0; step -= 100)
            all.append(whole(step));
        QVERIFY(
            abandonedBranchText(all.last(), all)
                .startsWith("The later checkpoints become an abandoned branch: steps 200 to 2\u202f000."));
    }

    void saysWhyARunCannotBeResumed()
    {
        RunFacts facts;
        QCOMPARE(whyNotResumed(facts, {RunState::Stopped, {}}), QString());
        QCOMPARE(whyNotResumed(facts, {RunState::Failed, {}}), QString());
        QVERIFY(whyNotResumed(facts, {RunState::Running, {}}).contains("Stop it first"));
        QCOMPARE(whyNotResumed(facts, {RunState::Finished, {}}),
                 QString("The run is finished: all of its steps are done."));
        QCOMPARE(whyNotResumed(facts, {RunState::Finished, "held-out loss 2 at step 3 reaches "
                                                           "evaluation.target 2.5"}),
                 QString("The run is finished: held-out loss 2 at step 3 reaches evaluation.target 2.5."));
        facts.readOnly = true;
        QVERIFY(whyNotResumed(facts, {RunState::Stopped, {}}).contains("attached read-only"));
    }

    void saysWhenTheFirstIsDue()
    {
        QCOMPARE(whenTheFirstIsDue(factsOf(100, 2000), RunState::Running),
                 QString("The first is written after step 100."));
        QCOMPARE(whenTheFirstIsDue(factsOf(0, 2000), RunState::Running),
                 QString("The first is written after step 2\u202f000."));
        QCOMPARE(whenTheFirstIsDue(factsOf(5000, 2000), RunState::Pending),
                 QString("The first is written after step 2\u202f000."));
        QCOMPARE(whenTheFirstIsDue(factsOf(100, 2000), RunState::Failed),
                 QString("The run ended before it wrote one."));
        RunFacts best = factsOf(100, 2000);
        best.spec->evaluation.keepBest = true;
        QCOMPARE(whenTheFirstIsDue(best, RunState::Running),
                 QString("The first is written after the first evaluation, at the latest after step 100."));
        best.spec->evaluation.everySteps = 40;
        QCOMPARE(whenTheFirstIsDue(best, RunState::Running), QString("The first is written after step 40."));
        QVERIFY(!whenTheFirstIsDue(RunFacts(), RunState::Running).isEmpty());
    }

    void aReasonWithoutEndIsShortened()
    {
        const QString sentence = sentenceOf(damaged(1, QString(100'000, QChar('x'))));
        QVERIFY2(sentence.size() < 2000, qPrintable(QString::number(sentence.size())));
    }

private:
    QStringList column(int column) const
    {
        QStringList texts;
        for (int row = 0; row < m_model->rowCount(); ++row)
            texts << m_model->index(row, column).data().toString();
        return texts;
    }

    QString tip(int row, int column) const
    {
        return m_model->index(row, column).data(Qt::ToolTipRole).toString();
    }

    std::unique_ptr<Model> m_model;
    std::unique_ptr<QAbstractItemModelTester> m_tester;
};

QTEST_GUILESS_MAIN(TestCheckpointList)
#include "tst_checkpoint_list.moc"
