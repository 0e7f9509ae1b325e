#include <QTest>

#include "app/designer/model/data_mix_edits.h"
#include "engine/spec/phases/phase_edits.h"
#include "engine/spec/phases/phases.h"
#include "engine/spec/spec_json.h"

using namespace trainyard;

namespace {

const DatasetSpec kMixed{.path = {}, .mix = {{"/data/wiki", 3}, {"/data/books", 1}}};

RunSpec twoPhases()
{
    RunSpec run;
    run.dataset.path = "/data/wiki";
    run.launch.steps = 100;
    addPhase(run);
    return run;
}

bool isRead(const RunSpec& run)
{
    const ParsedSpec read = parseSpec(toJson(run));
    return read.diagnostics.empty() && read.spec == run;
}

} // namespace

/// Edits of a mix of data sets, in the run and in its phases.
class TestDataMixEdits : public QObject {
    Q_OBJECT

private slots:
    void oneDataSetBecomesTheFirstOfTheMix()
    {
        DatasetSpec dataset{.path = "/data/wiki"};
        addToMix(dataset, "/data/books");
        QCOMPARE(dataset.path, std::string());
        QVERIFY((dataset.mix == std::vector<MixedDataSet>{{"/data/wiki", 1}, {"/data/books", 1}}));
        addToMix(dataset);
        QCOMPARE(dataset.mix.size(), std::size_t(3));
    }

    void theLastOneLeftIsNoMix()
    {
        DatasetSpec dataset = kMixed;
        removeFromMix(dataset, 0);
        QVERIFY((dataset == DatasetSpec{.path = "/data/books"}));
        dataset = {.path = {}, .mix = {{"/data/wiki", 1}}}; // as a file may have it
        removeFromMix(dataset, 0);
        QVERIFY(dataset == DatasetSpec());
    }

    void aPhaseOverridesOneDataSetByAMixAndBack()
    {
        RunSpec run = twoPhases();
        const DatasetPlace place = datasetOfPhase(1);
        QCOMPARE(place.path, "phases[1].dataset");
        QVERIFY(place.get(run) == run.dataset);
        place.set(run, kMixed);
        QVERIFY(specOfPhase(run, 1).dataset == kMixed);
        QVERIFY(specOfPhase(run, 0).dataset == run.dataset);
        QVERIFY(isOverridden(run, 1, "dataset.mix"));
        QVERIFY(!isOverridden(run, 1, "dataset.path")); // a path next to a mix would be refused
        QVERIFY(isRead(run));
        place.set(run, {.path = "/data/books"});
        QVERIFY((specOfPhase(run, 1).dataset == DatasetSpec{.path = "/data/books"}));
        QVERIFY(!isOverridden(run, 1, "dataset.mix"));
        QVERIFY(isRead(run));
    }

    void aPhaseOverridesTheRunsMixByOneDataSet()
    {
        RunSpec run = twoPhases();
        run.dataset = kMixed;
        datasetOfPhase(0).set(run, {.path = "/data/books"});
        QVERIFY((specOfPhase(run, 0).dataset == DatasetSpec{.path = "/data/books"}));
        QVERIFY(specOfPhase(run, 1).dataset == kMixed);
        QVERIFY(isRead(run));
    }

    void aPhaseThatWasRemovedIsLeftAlone()
    {
        RunSpec run = twoPhases();
        const RunSpec before = run;
        const DatasetPlace place = datasetOfPhase(2);
        QVERIFY(place.get(run) == run.dataset);
        place.set(run, kMixed);
        QVERIFY(run == before);
    }
};

QTEST_GUILESS_MAIN(TestDataMixEdits)
#include "tst_data_mix_edits.moc"
