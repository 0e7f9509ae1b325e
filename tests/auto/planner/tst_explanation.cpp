#include <QTest>

#include <algorithm>
#include <limits>

#include "engine/planner/explain/explained_problem.h"
#include "engine/planner/explain/plan_problems.h"
#include "engine/spec/validate.h"

using namespace trainyard;

namespace {

using Change = void (*)(RunSpec&);

/// 16 heads, 8 layers; 2 replicas x 4 stages x 2, on 64 slots.
RunSpec working()
{
    RunSpec spec;
    spec.model.layers = 8;
    spec.model.hidden = 1024;
    spec.model.heads = 16;
    spec.model.intermediate = 4096;
    spec.model.dropout = 0;
    spec.cluster.nodes = {{"a", 64, 0}};
    spec.layout.data = 2;
    spec.layout.pipeline = 4;
    spec.layout.tensor = 2;
    spec.batch = {64, 4, 8};
    spec.dataset.path = "/d";
    spec.launch.device = DeviceKind::Cuda;
    return spec;
}

std::vector<HostMemory> roomFor(const RunSpec& spec, Bytes perRank)
{
    return {{"a", spec.layout.worldSize(), perRank, true}};
}

PlanFacts factsWith(Bytes perRank)
{
    return {{512, 76}, {}, [perRank](const RunSpec& spec) { return roomFor(spec, perRank); }};
}

FindProblems rulesWith(Bytes perRank)
{
    return [perRank](const RunSpec& spec) { return planProblems(spec, factsWith(perRank)); };
}

std::vector<ExplainedProblem> explanationsOf(const RunSpec& spec, const FindProblems& find)
{
    return explain(spec, find(spec), find);
}

QString remediesOf(const ExplainedProblem& explanation)
{
    QStringList texts;
    for (const Remedy& remedy : explanation.remedies)
        texts << QString::fromStdString(textOf(remedy.changes));
    return texts.join(" | ");
}

} // namespace

Q_DECLARE_METATYPE(Change)

class TestExplanation : public QObject {
    Q_OBJECT

private slots:
    // Expected equations and settings are worked out by hand. Whatever else is proposed has to work as well.
    void saysTheEquationAndWhatWorks_data()
    {
        QTest::addColumn<Change>("change");
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("equation");
        QTest::addColumn<QStringList>("settings");
        const auto row = [](const char* name, const char* path, const char* equation,
                            const QStringList& settings, Change change) {
            QTest::addRow("%s", name) << change << path << equation << settings;
        };
        row("heads by tensor", "layout.tensor", "heads 16 % tensor 3 = 1, must be 0",
            {"layout.tensor 2", "layout.tensor 4"}, [](RunSpec& s) { s.layout.tensor = 3; });
        row("hidden by heads", "model.heads", "hidden 1024 % heads 12 = 4, must be 0",
            {"model.heads 8", "model.heads 16", "model.hidden 1020", "model.hidden 1032"},
            [](RunSpec& s) { s.model.heads = 12; });
        row("odd heads", "model.heads", "hidden 1024 / heads 1024 = 1, must be even", {"model.heads 512"},
            [](RunSpec& s) {
                s.model.heads = 1024;
                s.model.positions = PositionEncoding::Rotary;
            });
        row("more tensor than rows", "layout.tensor", "tensor 16 > min(intermediate 8, vocabulary 30522)",
            {"layout.tensor 8"}, [](RunSpec& s) {
                s.layout = {};
                s.layout.data = 2;
                s.model.intermediate = 8;
                s.layout.tensor = 16;
            });
        row("too many ranks", "layout", "data 2 x context 9 x tensor 2 x pipeline 4 = 144 > slots 64",
            {"layout.context 4"}, [](RunSpec& s) { s.layout.context = 9; });
        row("global batch", "batch.global", "micro 4 x accumulation 8 x data 2 = 64, must be global 100",
            {"batch.accumulation 12, batch.global 96", "batch.accumulation 13, batch.global 104",
             "batch.accumulation 10, batch.micro 5", "batch.accumulation 25, batch.micro 2",
             "batch.global 64"},
            [](RunSpec& s) { s.batch.global = 100; });
        row("global batch that micro-batches make up", "batch.global",
            "micro 4 x accumulation 8 x data 2 = 64, must be global 128",
            {"batch.accumulation 16", "batch.accumulation 15, batch.global 120",
             "batch.accumulation 4, batch.micro 16", "batch.micro 8", "layout.data 4"},
            [](RunSpec& s) { s.batch.global = 128; });
        row("micro-batches", "batch.accumulation", "micro-batches 2 < pipeline 4",
            {"batch.accumulation 4, batch.micro 8", "batch.accumulation 4, batch.global 128",
             "layout.pipeline 2", "layout.schedule \"gpipe\""},
            [](RunSpec& s) {
                s.batch = {64, 16, 2};
            });
        row("layers by stages", "layout.pipeline", "layers 8 < pipeline 16 x virtual_stages 1 = 16",
            {"layout.pipeline 8", "model.layers 16"}, [](RunSpec& s) {
                s.layout.pipeline = 16;
                s.batch = {64, 2, 16};
            });
        row("chunks", "layout.virtual_stages", "virtual_stages 2, must be 1",
            {"layout.virtual_stages 1", "layout.schedule \"interleaved\""},
            [](RunSpec& s) { s.layout.virtualStages = 2; });
        row("no chunks", "layout.virtual_stages", "virtual_stages 1 < 2",
            {"layout.virtual_stages 2", "layout.schedule \"1f1b\""},
            [](RunSpec& s) { s.layout.schedule = PipelineScheduleKind::Interleaved; });
        row("partition", "layout.partition", "2 + 2 + 2 + 1 = 7, must be layers 8",
            {"model.layers 7", "layout.partition \"layers\""}, [](RunSpec& s) {
                s.layout.partition = {PartitionKind::ByHand, {2, 2, 2, 1}};
            });
        row("partition of other stages", "layout.partition", "entries 3, must be stages 4",
            {"layout.partition \"layers\""}, [](RunSpec& s) {
                s.layout.partition = {PartitionKind::ByHand, {2, 2, 4}};
            });
        row("empty stage", "layout.partition", "layers 0 < 1 in a stage", {"layout.partition \"layers\""},
            [](RunSpec& s) {
                s.layout.partition = {PartitionKind::ByHand, {4, 2, 2, 0}};
            });
        row("no such ZeRO", "memory.zero_stage", "7 > 3", {"memory.zero_stage 3"}, [](RunSpec& s) {
            s.layout.pipeline = 1;
            s.memory.zeroStage = 7;
        });
        row("copies of the states", "layout.shard", "data 2 x context 1 % shard 3 = 2, must be 0",
            {"layout.shard 2", "layout.shard 0"}, [](RunSpec& s) { s.layout.shard = 3; });
        row("offloaded parameters", "memory.offload_parameters", "zero_stage 1, must be 3",
            {"memory.zero_stage 3", "memory.offload_parameters false"}, [](RunSpec& s) {
                s.layout.pipeline = 1;
                s.memory.zeroStage = 1;
                s.memory.offloadParameters = true;
            });
        row("warm-up", "optimizer.warmup_steps", "warmup_steps 200 > steps 100",
            {"optimizer.warmup_steps 100", "launch.steps 200"},
            [](RunSpec& s) { s.optimizer.warmupSteps = 200; });
        row("long warm-up", "optimizer.warmup_steps", "warmup_steps 9000 > steps 100",
            {"optimizer.warmup_steps 100", "launch.steps 9000"},
            [](RunSpec& s) { s.optimizer.warmupSteps = 9000; });
        row("no step", "launch.steps", "-1 < 1", {"launch.steps 1"}, [](RunSpec& s) {
            s.optimizer.warmupSteps = 0;
            s.launch.steps = -1;
        });
        row("none", "layout.context", "0 < 1", {"layout.context 1"},
            [](RunSpec& s) { s.layout.context = 0; });
        row("far beyond", "model.layers", "2000000000 > 1024", {"model.layers 1024"},
            [](RunSpec& s) { s.model.layers = 2'000'000'000; });
    }
    void saysTheEquationAndWhatWorks()
    {
        QFETCH(Change, change);
        QFETCH(QString, path);
        QFETCH(QString, equation);
        QFETCH(QStringList, settings);
        RunSpec spec = working();
        QVERIFY(validate(spec).empty());
        change(spec);
        const auto explanations = explanationsOf(spec, validate);
        QCOMPARE(explanations.size(), std::size_t{1});
        QCOMPARE(QString::fromStdString(explanations[0].problem.path), path);
        QCOMPARE(QString::fromStdString(explanations[0].problem.equation), equation);
        const QString remedies = remediesOf(explanations[0]);
        for (const QString& setting : settings)
            QVERIFY2(remedies.split(" | ").contains(setting), qPrintable(remedies));
        for (const Remedy& remedy : explanations[0].remedies) {
            QVERIFY2(validate(remedy.spec).empty(), textOf(remedy.changes).c_str());
            QCOMPARE(changesBetween(spec, remedy.spec), remedy.changes);
        }
    }

    // The rules that know the length of the sequences.
    void sharesTokens()
    {
        RunSpec spec = working();
        spec.layout.tensor = 8;
        spec.layout.sequence = true;
        spec.batch = {64, 2, 16};
        const auto find = [](const RunSpec& changed) {
            PlanFacts facts = factsWith(1000 * kGiB);
            facts.shape.length = 510;
            return planProblems(changed, facts);
        };
        const auto explanations = explanationsOf(spec, find);
        QCOMPARE(explanations.size(), std::size_t{1});
        QCOMPARE(explanations[0].problem.equation, "micro 2 x tokens 510 % tensor 8 = 4, must be 0");
        const QString remedies = remediesOf(explanations[0]);
        for (const char* expected : {"batch.accumulation 8, batch.micro 4", "layout.sequence false"})
            QVERIFY2(remedies.contains(expected), qPrintable(remedies));
        for (const Remedy& remedy : explanations[0].remedies)
            QVERIFY(find(remedy.spec).empty());
    }

    void addsTheCategoriesOfMemoryUp()
    {
        const RunSpec spec = working();
        const MemoryEstimate estimate = estimateMemory(spec, factsWith(0).shape);
        const Bytes room = estimate.onDevice() - 1;
        const auto find = rulesWith(room);
        const auto explanations = explanationsOf(spec, find);
        QCOMPARE(explanations.size(), std::size_t{1});
        QCOMPARE(explanations[0].problem.path, kMemoryPath);
        const QString equation = QString::fromStdString(explanations[0].problem.equation);
        for (const MemoryCategory category : {MemoryCategory::Weights, MemoryCategory::Gradients,
                                              MemoryCategory::Optimizer, MemoryCategory::Activations}) {
            const Bytes bytes = estimate.bytes[static_cast<std::size_t>(category)];
            const std::string term = std::string(nameOf(category)) + " " + formatBytes(bytes);
            QVERIFY2(equation.contains(QString::fromStdString(term)), qPrintable(equation));
        }
        QVERIFY(equation.endsWith(QString::fromStdString(" > " + formatBytes(room))));
        const QString remedies = remediesOf(explanations[0]);
        for (const char* expected : {"batch.accumulation 16, batch.micro 2", "memory.recompute \"full\""})
            QVERIFY2(remedies.contains(expected), qPrintable(remedies));
        for (const Remedy& remedy : explanations[0].remedies) {
            QVERIFY(validate(remedy.spec).empty());
            QVERIFY(estimateMemory(remedy.spec, factsWith(room).shape).onDevice() <= room);
        }
    }

    // What gives up little comes first: Korthikanti's selective recomputation costs 4 % of a layer, ZeRO 1
    // nothing but a gather, full recomputation a third of the computing, offload the host's link.
    void proposesFirstWhatGivesUpLeast()
    {
        const RunSpec spec = working();
        const auto explanations =
            explanationsOf(spec, rulesWith(estimateMemory(spec, {512, 76}).onDevice() - 1));
        QCOMPARE(remediesOf(explanations.at(0)),
                 "memory.recompute \"selective\" | memory.zero_stage 1 | batch.accumulation 16, batch.micro 2"
                 " | memory.recompute \"full\" | memory.offload_optimizer true"
                 " | memory.offload_activations true"
                 " | memory.offload_parameters true, memory.zero_stage 3"
                 " | batch.accumulation 16, layout.data 1, layout.tensor 4");
    }

    void proposesTwoMovesWhereNoneAloneIsEnough()
    {
        const RunSpec spec = working();
        const std::vector<Change> alone{
            [](RunSpec& s) { s.memory.recompute = RecomputeKind::Full; },
            [](RunSpec& s) { s.memory.zeroStage = 1; },
            [](RunSpec& s) {
                s.batch = {64, 1, 32};
            },
            [](RunSpec& s) { s.memory.offloadOptimizer = true; },
            [](RunSpec& s) { s.memory.offloadActivations = true; },
            [](RunSpec& s) { s.layout.tensor = 16; }, // with pipeline 4 more than the slots, so never enough
            [](RunSpec& s) { s.layout.tensor = 8; },
            [](RunSpec& s) { s.layout.pipeline = 8; },
        };
        Bytes room = estimateMemory(spec, {512, 76}).onDevice();
        for (const Change change : alone) {
            RunSpec changed = spec;
            change(changed);
            room = std::min(room, estimateMemory(changed, {512, 76}).onDevice() - 1);
        }
        const auto explanations = explanationsOf(spec, rulesWith(room));
        QVERIFY(!explanations.at(0).remedies.empty());
        for (const Remedy& remedy : explanations[0].remedies) {
            QVERIFY(validate(remedy.spec).empty());
            QVERIFY(estimateMemory(remedy.spec, {512, 76}).onDevice() <= room);
        }
    }

    // With two problems a setting solves its own, and the other one stays.
    void solvesOneProblemAtATime()
    {
        RunSpec spec = working();
        spec.layout.tensor = 3;
        spec.batch.global = 100;
        const auto explanations = explanationsOf(spec, validate);
        QCOMPARE(explanations.size(), std::size_t{2});
        for (const ExplainedProblem& explanation : explanations) {
            QVERIFY(!explanation.remedies.empty());
            for (const Remedy& remedy : explanation.remedies) {
                const Diagnostics left = validate(remedy.spec);
                QVERIFY(std::ranges::none_of(left, [&](const Diagnostic& problem) {
                    return problem.path == explanation.problem.path;
                }));
                QVERIFY(left.size() <= 1);
            }
        }
    }

    // A file that cannot be read says nothing about the values: any change would seem to help.
    // A number that does not divide is no way out because its field was wrong before, too.
    void proposesNoNumberThatDoesNotDivide()
    {
        RunSpec spec = working();
        spec.layout = {};
        spec.layout.pipeline = 4;
        spec.batch = {65, 8, 2};
        const auto explanations = explanationsOf(spec, validate);
        QCOMPARE(explanations.size(), std::size_t{2});
        QCOMPARE(explanations.front().problem.path, "batch.global");
        QVERIFY(!explanations.front().remedies.empty());
        for (const Remedy& remedy : explanations.front().remedies)
            QVERIFY2(remedy.spec.batch.accumulation > 0 && remedy.spec.batch.micro > 0,
                     textOf(remedy.changes).c_str());
    }

    // Of two fields that are wrong, the remedy of one leaves the other alone or sets it right.
    void proposesNoValueThatIsWrongItself()
    {
        const std::vector<Change> wrong{
            [](RunSpec& s) { s.launch.steps = -1; },
            [](RunSpec& s) { s.launch.steps = 0; },
            [](RunSpec& s) { s.optimizer.warmupSteps = -1; },
            [](RunSpec& s) { s.optimizer.warmupSteps = 200; },
            [](RunSpec& s) { s.batch.global = -1; },
            [](RunSpec& s) { s.batch.micro = 0; },
            [](RunSpec& s) { s.batch.accumulation = -1; },
            [](RunSpec& s) { s.layout.data = -1; },
            [](RunSpec& s) { s.layout.tensor = 0; },
            [](RunSpec& s) { s.layout.virtualStages = 0; },
            [](RunSpec& s) { s.model.heads = -1; },
            [](RunSpec& s) { s.model.layers = 0; },
        };
        for (std::size_t first = 0; first < wrong.size(); ++first) {
            for (std::size_t second = first; second < wrong.size(); ++second) {
                RunSpec spec = working();
                wrong[first](spec);
                wrong[second](spec);
                for (const ExplainedProblem& explanation : explanationsOf(spec, validate))
                    verifyNoneIsSetWrong(explanation.remedies);
            }
        }
    }

    void looksNoLongerThanItsPatience()
    {
        RunSpec spec = working();
        spec.layout.tensor = 5;
        int questions = 0;
        const auto find = [&questions](const RunSpec& changed) {
            ++questions;
            return validate(changed);
        };
        QVERIFY(!explain(spec, validate(spec), find).front().remedies.empty());
        questions = 0;
        const auto hasty = explain(spec, validate(spec), find, std::chrono::milliseconds(0));
        QVERIFY(!hasty.empty());
        QVERIFY(hasty.front().remedies.empty());
        QCOMPARE(questions, 1);
    }

    void proposesNothingForWhatTheReaderSays()
    {
        const Diagnostics unread{{"layout.tensor", "is a text", "give a number"}};
        const auto explanations = explain(working(), unread, validate);
        QCOMPARE(explanations.size(), std::size_t{1});
        QVERIFY(explanations[0].remedies.empty());
    }

    void survivesNumbersBeyondAllBounds()
    {
        constexpr int most = std::numeric_limits<int>::max();
        RunSpec spec = working();
        spec.layout.data = spec.layout.tensor = spec.layout.pipeline = spec.layout.context = most;
        spec.batch = {most, most, most};
        for (const ExplainedProblem& explanation : explanationsOf(spec, validate)) {
            for (const Remedy& remedy : explanation.remedies)
                QVERIFY(validate(remedy.spec).size() < validate(spec).size());
        }
    }

private:
    void verifyNoneIsSetWrong(const std::vector<Remedy>& remedies)
    {
        for (const Remedy& remedy : remedies) {
            for (const Diagnostic& left : validate(remedy.spec)) {
                const bool isSet = std::ranges::any_of(
                    remedy.changes, [&](const FieldChange& change) { return change.path == left.path; });
                QVERIFY2(!isSet, (textOf(remedy.changes) + ": " + left.text()).c_str());
            }
        }
    }
};

QTEST_APPLESS_MAIN(TestExplanation)
#include "tst_explanation.moc"
