#include <QTest>

#include "engine/spec/phases/phase_edits.h"
#include "engine/spec/phases/phase_rules.h"
#include "engine/spec/phases/phases.h"
#include "engine/spec/spec_json.h"
#include "engine/spec/validate.h"

using namespace trainyard;

namespace {

RunSpec plainRun()
{
    RunSpec run;
    run.dataset.path = "/data/wiki-128";
    run.batch = {8, 4, 2};
    run.launch.steps = 30;
    return run;
}

/// 30 steps as the run, then 10 of a smaller batch with another peak learning rate.
RunSpec runOfTwoPhases()
{
    RunSpec run = plainRun();
    addPhase(run);
    setPhaseSteps(run, 1, 10);
    RunSpec second = specOfPhase(run, 1);
    second.batch = {4, 2, 2};
    second.optimizer.learningRate = 4e-3;
    overrideInPhase(run, 1, second);
    return run;
}

QStringList namesOf(const RunSpec& run)
{
    QStringList names;
    for (const PhaseSpec& phase : run.phases)
        names << QString::fromStdString(phase.name);
    return names;
}

} // namespace

/// What a user does to the phases of a run.
class TestPhaseEdits : public QObject {
    Q_OBJECT

private slots:
    void theRunBecomesTheFirstPhase()
    {
        RunSpec run = plainRun();
        addPhase(run);
        QCOMPARE(phaseCount(run), 2);
        QCOMPARE(specOfPhase(run, 0).launch.steps, 30);
        QCOMPARE(run.launch.steps, 60);
        QVERIFY(validate(run).empty());
        removePhase(run, 1);
        QCOMPARE(run.launch.steps, 30);
        removePhase(run, 0);
        QVERIFY(run == plainRun());
    }

    void overridesWhatDiffersAndNothingElse()
    {
        const RunSpec run = runOfTwoPhases();
        QCOMPARE(run.launch.steps, 40);
        QCOMPARE(run.phases[1].named,
                 (std::set<std::string>{"batch.global", "batch.micro", "optimizer.learning_rate"}));
        QVERIFY(run.batch == plainRun().batch);
        QVERIFY(isOverridden(run, 1, "batch.micro"));
        QVERIFY(!isOverridden(run, 1, "batch.accumulation"));
        QVERIFY(!isOverridden(run, 0, "batch.micro"));
        QVERIFY(specOfPhase(run, 1).batch == (BatchSpec{4, 2, 2}));
    }

    void aFileHasWhatWasEdited()
    {
        const RunSpec run = runOfTwoPhases();
        const ParsedSpec parsed = parseSpec(toJson(run));
        QVERIFY(parsed.diagnostics.empty());
        QVERIFY(parsed.spec == run);
    }

    void aValueThatIsTheRunsAgainStaysOverridden()
    {
        RunSpec run = runOfTwoPhases();
        RunSpec second = specOfPhase(run, 1);
        second.batch.micro = run.batch.micro;
        overrideInPhase(run, 1, second);
        QVERIFY(isOverridden(run, 1, "batch.micro"));
        run.batch.micro = 1;
        QCOMPARE(specOfPhase(run, 1).batch.micro, 4);
    }

    void inheritsAgain()
    {
        RunSpec run = runOfTwoPhases();
        for (const char* field : {"batch.global", "batch.micro", "optimizer.learning_rate"})
            inheritFromRun(run, 1, field);
        RunSpec untouched = plainRun();
        addPhase(untouched);
        setPhaseSteps(untouched, 1, 10);
        QVERIFY(run == untouched);
    }

    void overridesEvaluationLikeTheRest()
    {
        RunSpec run = runOfTwoPhases();
        RunSpec second = specOfPhase(run, 1);
        second.evaluation.target = 2;
        overrideInPhase(run, 1, second);
        QVERIFY(isOverridden(run, 1, "evaluation.target"));
        QCOMPARE(run.evaluation.target, 0.0);
        inheritFromRun(run, 1, "evaluation.target");
        QVERIFY(run == runOfTwoPhases());
        applyInPhase(run, 1, second); // the phase inherits it
        QCOMPARE(run.evaluation.target, 2.0);
        QVERIFY(!isOverridden(run, 1, "evaluation.target"));
    }

    void movesAndCopiesWithWhatTheyOverride()
    {
        RunSpec run = runOfTwoPhases();
        run.phases[0].name = "a";
        run.phases[1].name = "b";
        duplicatePhase(run, 1);
        QCOMPARE(namesOf(run), (QStringList{"a", "b", ""}));
        QCOMPARE(run.launch.steps, 50);
        QVERIFY(specOfPhase(run, 2).batch == (BatchSpec{4, 2, 2}));
        movePhase(run, 2, 0);
        QCOMPARE(namesOf(run), (QStringList{"", "a", "b"}));
        QVERIFY(specOfPhase(run, 0).batch == (BatchSpec{4, 2, 2}));
        movePhase(run, 0, 2);
        QCOMPARE(namesOf(run), (QStringList{"a", "b", ""}));
    }

    /// A suggested setting is one of the phase's specification, and is written where the user writes it.
    void appliesToTheRunWhatThePhaseInherits()
    {
        RunSpec run = runOfTwoPhases();
        RunSpec wanted = specOfPhase(run, 1);
        wanted.layout.data = 2;
        wanted.batch.accumulation = 1;
        wanted.memory.zeroStage = 1;
        applyInPhase(run, 1, wanted);
        QCOMPARE(run.layout.data, 2);
        QCOMPARE(run.memory.zeroStage, 1);
        QCOMPARE(run.batch.accumulation, 2);
        QVERIFY(isOverridden(run, 1, "batch.accumulation"));
        QCOMPARE(run.launch.steps, 40);
        RunSpec now = specOfPhase(run, 1);
        QVERIFY(now == wanted);
    }

    void appliesToARunWithoutPhases()
    {
        RunSpec run = plainRun();
        RunSpec wanted = run;
        wanted.batch = {16, 8, 2};
        applyInPhase(run, 0, wanted);
        QVERIFY(run == wanted);
    }

    void stepsBeyondAllNumbersAreReported()
    {
        RunSpec run = runOfTwoPhases();
        setPhaseSteps(run, 0, 2'000'000'000);
        setPhaseSteps(run, 1, 2'000'000'000);
        const Diagnostics problems = validate(run);
        QVERIFY(!problems.empty());
        QCOMPARE(problems.front().path, "phases");
    }
};

QTEST_APPLESS_MAIN(TestPhaseEdits)
#include "tst_phase_edits.moc"
