#include <QTest>

#include "engine/spec/elastic.h"
#include "engine/spec/field_changes.h"
#include "engine/spec/layout_change.h"
#include "engine/spec/phases/phase_rules.h"
#include "engine/spec/phases/phases.h"
#include "engine/spec/recipes.h"
#include "engine/spec/remarks.h"
#include "engine/spec/spec_json.h"
#include "engine/spec/validate.h"
#include "tests/auto/spec/problem_text.h"

using namespace trainyard;

namespace {

/// BERT's two phases, small: 30 steps of 8 short sequences, then 10 of 4 long ones.
constexpr const char* kTwoPhases = R"("dataset":{"path":"/data/wiki-128"},
    "batch":{"global":8,"micro":4,"accumulation":2},
    "optimizer":{"kind":"lamb","learning_rate":6e-3,"warmup_steps":9,"beta2":0.98},
    "phases":[{"name":"short","steps":30},
              {"name":"long","steps":10,"keep_optimizer":false,
               "dataset":{"path":"/data/wiki-512"},"batch":{"global":4,"micro":2},
               "optimizer":{"learning_rate":4e-3,"warmup_steps":1},"memory":{"recompute":"full"}}])";

ParsedSpec parse(const char* fields)
{
    return parseSpec(QString(R"({"trainyard":1,%1})").arg(fields).toStdString());
}

RunSpec twoPhases()
{
    return parse(kTwoPhases).spec;
}

} // namespace

/// Phases of one run: what each is, and what they must keep to.
class TestPhases : public QObject {
    Q_OBJECT

private slots:
    void laysPhasesOverTheRun()
    {
        const ParsedSpec parsed = parse(kTwoPhases);
        QCOMPARE(textOf(parsed.diagnostics), QString());
        const RunSpec& run = parsed.spec;
        QCOMPARE(textOf(validate(run)), QString());
        QCOMPARE(run.launch.steps, 40); // derived
        QCOMPARE(phaseCount(run), 2);
        const RunSpec first = specOfPhase(run, 0);
        QVERIFY(first.phases.empty());
        QCOMPARE(first.launch.steps, 30);
        QCOMPARE(first.dataset.path, "/data/wiki-128");
        QVERIFY(first.batch == (BatchSpec{8, 4, 2}));
        const RunSpec second = specOfPhase(run, 1);
        QCOMPARE(second.launch.steps, 10);
        QCOMPARE(second.dataset.path, "/data/wiki-512");
        QVERIFY(second.batch == (BatchSpec{4, 2, 2}));
        QCOMPARE(second.optimizer.learningRate, 4e-3);
        QCOMPARE(second.optimizer.beta2, 0.98); // the run's
        QCOMPARE(int(second.memory.recompute), int(RecomputeKind::Full));
        QVERIFY(second.model == run.model);
    }

    void aRunWithoutPhasesIsItsOnlyPhase()
    {
        const RunSpec run = parse(R"("dataset":{"path":"/d"},"launch":{"steps":7})").spec;
        QCOMPARE(phaseCount(run), 1);
        QVERIFY(specOfPhase(run, 0) == run);
        QCOMPARE(stepsOfPhases(run), std::int64_t(7));
        QCOMPARE(phaseOfStep(run, 7), 0);
        QCOMPARE(phaseName(run, 0), "phase 1");
        QVERIFY(!QString::fromStdString(toJson(run)).contains("phases"));
    }

    void knowsThePhaseOfEveryStep()
    {
        const RunSpec run = twoPhases();
        QCOMPARE(stepsBefore(run, 1), std::int64_t(30));
        for (const auto& [step, phase] : {std::pair{1, 0}, {30, 0}, {31, 1}, {40, 1}, {41, 1}})
            QCOMPARE(phaseOfStep(run, step), phase);
        QCOMPARE(specOfStep(run, 31).batch.global, 4);
        QCOMPARE(samplesBefore(run, 1), std::uint64_t(240));
        QCOMPARE(firstSample(run, 1), std::uint64_t(0)); // of another data set
    }

    /// A batch that grows reads on where it was.
    void continuesADataSetThatAnEarlierPhaseRead()
    {
        const RunSpec run = parse(R"("dataset":{"path":"/d"},"batch":{"global":8,"micro":4,"accumulation":2},
            "phases":[{"steps":3},{"steps":2,"dataset":{"path":"/e"}},
                      {"steps":1,"batch":{"global":16,"accumulation":4}}])")
                                .spec;
        QCOMPARE(textOf(validate(run)), QString());
        QCOMPARE(firstSample(run, 1), std::uint64_t(0));
        QCOMPARE(firstSample(run, 2), std::uint64_t(24));
        QCOMPARE(samplesBefore(run, 2), std::uint64_t(40));
        QCOMPARE(phaseName(run, 2), "phase 3");
    }

    void writesWhatPhasesOverrideAndNoMore()
    {
        const RunSpec run = twoPhases();
        const ParsedSpec again = parseSpec(toJson(run));
        QCOMPARE(textOf(again.diagnostics), QString());
        QVERIFY(again.spec == run);
        const auto texts = fieldTexts(run);
        const auto count = [&](const char* path) {
            return std::ranges::count(texts, path, &FieldChange::path);
        };
        QCOMPARE(count("phases[1].optimizer.warmup_steps"), 1);
        QCOMPARE(count("phases[1].optimizer.beta2"), 0);
        QCOMPARE(count("phases[0].steps"), 1);
        RunSpec single = run;
        single.phases.clear();
        QCOMPARE(textOf(changesBetween(run, single)), "phases []");
        QVERIFY(QString::fromStdString(textOf(changesBetween(single, run))).startsWith("phases [{\"name\":"));
    }

    void refusesPhasesThatCannotBeRead_data()
    {
        QTest::addColumn<QString>("phases");
        QTest::addColumn<QString>("said");
        const auto row = [](const char* phases, const char* said) {
            QTest::addRow("%s", phases) << phases << said;
        };
        row(R"({"steps":3})", R"(phases: must be a list — write it as [ { "name": ..., "steps": ... } ])");
        row(R"([{"steps":3,"model":{"layers":3}}])",
            R"(phases[0].model: a phase cannot change the model of its run — give "model" at the top level, for all phases)");
        row(R"([{"steps":3},{"steps":3,"layout":{"tensor":2}}])",
            R"(phases[1].layout: a phase cannot change the layout of its run — give "layout" at the top level, for all phases)");
        row(R"([{"steps":3,"checkpoint":{"every_steps":2}}])",
            R"(phases[0].checkpoint: a phase cannot change the checkpoint of its run — give "checkpoint" at the top level, for all phases)");
        row(R"([{"steps":3,"evaluation":{"targt":2}}])",
            R"(phases[0].evaluation.targt: unknown key "targt" — did you mean "target"?)");
        row(R"([{"steps":3,"batch":{"globl":3}}])",
            R"(phases[0].batch.globl: unknown key "globl" — did you mean "global"?)");
        row(R"([{"steps":3,"optimizer":{"learning_rate":"high"}}])",
            R"(phases[0].optimizer.learning_rate: must be a number, not "high" — write it without unit or quotes, e.g. 0.001)");
        row(R"([{"steps":3,"seed":3}])",
            R"(phases[0].seed: unknown key "seed" — it belongs at the top level)");
        row(R"([{"name":"short"}])", "phases[0].steps: is missing — give the steps of the phase");
        row(R"([7])", R"(phases[0]: must be an object — write it as { "key": value, ... })");
    }
    void refusesPhasesThatCannotBeRead()
    {
        QFETCH(QString, phases);
        const ParsedSpec parsed =
            parse(qPrintable(QString(R"("dataset":{"path":"/d"},"phases":%1)").arg(phases)));
        QCOMPARE(parsed.diagnostics.size(), std::size_t(1));
        QTEST(textOf(parsed.diagnostics), "said");
    }

    void refusesPhasesThatCannotWork_data()
    {
        QTest::addColumn<QString>("fields");
        QTest::addColumn<QString>("said");
        const auto row = [](const char* fields, const char* said) {
            QTest::addRow("%s", fields) << fields << said;
        };
        row(R"("phases":[{"steps":0}])", "phases[0].steps: is 0 — must be at least 1");
        row(R"("launch":{"steps":7},"phases":[{"steps":3},{"steps":3}])",
            "launch.steps: is 7, but the phases have 6 steps in all — set it to 6, or leave it out");
        row(R"("phases":[{"steps":2000000000},{"steps":2000000000}])",
            "phases: have 4000000000 steps in all — must have at most 2147483647");
        row(R"("phases":[{"steps":3},{"steps":3,"dataset":{"path":"wiki"}}])",
            "phases[1].dataset.path: \"wiki\" is a relative path, and each host would look for it elsewhere "
            "— "
            "give the absolute path of the folder, as every host sees it, e.g. /data/wiki-128");
        row(R"("phases":[{"steps":3},{"steps":3,"batch":{"global":16}}])",
            "phases[1].batch.global: is 16, but micro 8 x accumulation 4 x data-parallel degree 1 = 32 — set "
            "batch.accumulation to 2, or batch.global to 32");
        row(R"("phases":[{"steps":3,"optimizer":{"warmup_steps":4}},{"steps":8}])",
            "phases[0].optimizer.warmup_steps: 4 warm-up steps do not fit into a run of 3 steps — lower "
            "optimizer.warmup_steps or raise phases[0].steps");
        row(R"("optimizer":{"warmup_steps":4},"phases":[{"steps":8},{"steps":3}])",
            "optimizer.warmup_steps: 4 warm-up steps do not fit into a run of 3 steps (in phases[1]) — lower "
            "optimizer.warmup_steps or raise phases[1].steps");
        row(R"("phases":[{"steps":3},{"steps":3,"evaluation":{"metric":"accuracy","target":2}}])",
            "phases[1].evaluation.target: is 2, and no accuracy is above 1 — give the share of tokens "
            "predicted "
            "right, e.g. 0.7, or set evaluation.metric to loss");
        row(R"("phases":[{"steps":3,"memory":{"zero_stage":4}}])",
            "phases[0].memory.zero_stage: is 4 — must be 0, 1, 2 or 3");
        row(R"("phases":[{"steps":3},{"steps":3,"optimizer":{"kind":"lamb"}}])",
            "phases[1].keep_optimizer: is true, and lamb cannot continue with the state of adamw — set it to "
            "false, and lengthen the warm-up of the phase");
        row(R"("optimizer":{"kind":"sgd"},"phases":[{"steps":3},{"steps":3,"optimizer":{"momentum":0}}])",
            "phases[1].keep_optimizer: is true, and only one of the two phases has momentum — set it to "
            "false, and lengthen the warm-up of the phase");
        row(R"("phases":[{"steps":3,"name":"a phase"}])",
            "phases[0].name: \"a phase\" cannot name a phase — use at most 64 letters, digits, '.', '_' and "
            "'-'");
        // What all phases share is said once.
        row(R"("model":{"layers":0},"phases":[{"steps":3},{"steps":3}])",
            "model.layers: is 0 — must be at least 1");
    }
    void refusesPhasesThatCannotWork()
    {
        QFETCH(QString, fields);
        const ParsedSpec parsed = parse(qPrintable(R"("dataset":{"path":"/d"},)" + fields));
        QCOMPARE(textOf(parsed.diagnostics), QString());
        QTEST(textOf(validate(parsed.spec)), "said");
    }

    /// Every phase may name a data set, and the run none.
    void leavesOutWhatAllPhasesName()
    {
        const ParsedSpec parsed = parse(R"("phases":[{"steps":3,"dataset":{"path":"/a"}},
                                                    {"steps":3,"dataset":{"path":"/b"}}])");
        QCOMPARE(textOf(validate(parsed.spec)), QString());
    }

    void remarksOnThePhaseThatNeedsIt()
    {
        RunSpec run = twoPhases();
        run.checkpoint.everySteps = 35; // of 40
        QCOMPARE(textOf(remarksOn(run)), QString());
        run.phases[1].memory.offloadHorizon = 3;
        run.phases[1].named.insert("memory.offload_horizon");
        QCOMPARE(textOf(remarksOn(run)),
                 "phases[1].memory.offload_horizon: has no effect without memory.offload_activations — leave "
                 "it out");
    }

    void evaluatesEachPhaseInItsWay()
    {
        RunSpec run = twoPhases();
        run.evaluation.everySteps = 7;
        run.phases[1].evaluation = {.dataset = "/data/books", .target = 2.5, .keepBest = true};
        run.phases[1].named.insert({"evaluation.dataset", "evaluation.target", "evaluation.keep_best"});
        QCOMPARE(textOf(validate(run)), QString());
        QVERIFY(parseSpec(toJson(run)).spec == run);
        QVERIFY(specOfPhase(run, 0).evaluation == run.evaluation);
        QVERIFY(specOfPhase(run, 1).evaluation ==
                (EvaluationSpec{.everySteps = 7, .dataset = "/data/books", .target = 2.5, .keepBest = true}));
        QCOMPARE(pathInPhase(run, 0, "evaluation"), "evaluation");
        QCOMPARE(pathInPhase(run, 1, "evaluation"), "phases[1].evaluation");
        QCOMPARE(textOf(remarksOn(run)), QString());
        std::swap(run.phases[0], run.phases[1]);
        QCOMPARE(
            textOf(remarksOn(run)),
            "phases[0].evaluation.target: has no effect: only the last phase ends before its last step — "
            "give it in the last phase, or leave it out");
    }

    void keepsEveryBatchOnFewerRanks()
    {
        RunSpec run = parse(R"("dataset":{"path":"/d"},"cluster":{"nodes":[{"slots":4}]},"layout":{"data":4},
            "batch":{"global":32,"micro":4,"accumulation":2},
            "phases":[{"steps":3},{"steps":3,"batch":{"global":16,"accumulation":1}}])")
                          .spec;
        QCOMPARE(textOf(validate(run)), QString());
        const auto fewer = withReplicas(run, 2);
        QVERIFY(fewer.ok());
        QCOMPARE(textOf(validate(*fewer)), QString());
        QVERIFY(specOfPhase(*fewer, 0).batch == (BatchSpec{32, 4, 4}));
        QVERIFY(specOfPhase(*fewer, 1).batch == (BatchSpec{16, 4, 2}));
        QVERIFY(!withReplicas(run, 3).ok());
    }

    void spreadsPhasesInAnotherWay()
    {
        RunSpec run = twoPhases();
        run.cluster.nodes[0].slotCount = 2;
        RunSpec wider = run;
        wider.layout.data = 2;
        wider.batch.accumulation = 1;
        const auto spread = withLayout(run, layoutText(wider));
        QVERIFY(spread.ok());
        QVERIFY(*spread == wider);
        RunSpec other = wider;
        other.phases[1].optimizer.learningRate = 1;
        const auto refused = withLayout(run, layoutText(other));
        QVERIFY(!refused.ok());
        QCOMPARE(QString::fromStdString(refused.error().message),
                 "the phases are not those of the run: it would not be the same training");
        QVERIFY(everyRankHoldsAll(run));
        run.phases[1].memory.zeroStage = 1;
        run.phases[1].named.insert("memory.zero_stage");
        QVERIFY(!everyRankHoldsAll(run));
    }

    void makesRunsOfPublishedRecipes()
    {
        QVERIFY(!recipeNames().empty());
        for (const std::string& name : recipeNames()) {
            const auto recipe = recipeOf(name);
            QVERIFY2(recipe.has_value(), name.c_str());
            QCOMPARE(recipe->run.name, name);
            QCOMPARE(recipe->lengths.size(), std::size_t(phaseCount(recipe->run)));
            const auto run = runOf(*recipe, {"/data/short", "/data/long"});
            QVERIFY(run.ok());
            QCOMPARE(textOf(validate(*run)), QString());
            QCOMPARE(textOf(remarksOn(*run)).contains("no effect"), false);
            QCOMPARE(specOfPhase(*run, 1).dataset.path, "/data/long");
            QVERIFY(!runOf(*recipe, {"/data/short"}).ok());
        }
        QVERIFY(!recipeOf("no-such").has_value());
    }

    /// NVIDIA's scripts: shares of 28.43 % and 12.8 % of the steps, rounded.
    void hasTheTwoPhasesOfLargeBert()
    {
        const RunSpec run = recipeOf("bert-large-lamb")->run;
        const RunSpec first = specOfPhase(run, 0);
        const RunSpec second = specOfPhase(run, 1);
        QCOMPARE(run.launch.steps, 8601);
        QVERIFY(first.batch.global == 65536 && second.batch.global == 32768);
        QVERIFY(first.launch.steps == 7038 && second.launch.steps == 1563);
        QVERIFY(first.optimizer.learningRate == 6e-3 && second.optimizer.learningRate == 4e-3);
        QVERIFY(std::abs(first.optimizer.warmupSteps - 0.2843 * 7038) < 1);
        QVERIFY(std::abs(second.optimizer.warmupSteps - 0.128 * 1563) < 1);
        QVERIFY(second.optimizer.kind == OptimizerKind::Lamb && run.phases[1].keepOptimizer);
    }

    void lowersTheLearningRateOfEveryPhase()
    {
        const RunSpec lower = withLearningRate(twoPhases(), 5e-3);
        QCOMPARE(specOfPhase(lower, 0).optimizer.learningRate, 5e-3);
        QCOMPARE(specOfPhase(lower, 1).optimizer.learningRate, 4e-3);
    }
};

QTEST_APPLESS_MAIN(TestPhases)
#include "tst_phases.moc"
