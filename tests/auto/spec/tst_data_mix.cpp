#include <QTest>

#include <cmath>

#include <nlohmann/json.hpp>

#include "engine/spec/phases/data_mix.h"
#include "engine/spec/phases/data_mix_rules.h"
#include "engine/spec/phases/phases.h"
#include "engine/spec/spec_json.h"
#include "engine/spec/validate.h"
#include "tests/auto/spec/problem_text.h"

using namespace trainyard;

namespace {

ParsedSpec parseMixed(const char* fields)
{
    return parseSpec(QString(R"({"trainyard":1,%1})").arg(fields).toStdString());
}

constexpr const char* kTwoSets = R"("dataset":{"mix":[{"path":"/data/wiki","weight":0.7},
    {"path":"/data/books","weight":0.3}]})";

RunSpec mixedRun()
{
    return parseMixed(kTwoSets).spec;
}

/// Rows that a run with the default model can read.
DataSetShape shapeWithRows(std::uint64_t trainingRows, std::uint64_t testRows)
{
    DataSetShape shape{.vocabularySize = 30522, .sequenceLength = 128, .trainingRows = trainingRows};
    shape.testRows = testRows;
    shape.maxPredictions = 20;
    shape.vocabularySha256 = "aa";
    return shape;
}

} // namespace

/// Several data sets in one run: whose turn it is, and what they have to agree in.
class TestDataMix : public QObject {
    Q_OBJECT

private slots:
    void keepsEveryDataSetWithinOneSampleOfItsShare_data()
    {
        QTest::addColumn<std::vector<double>>("weights");
        QTest::addRow("one") << std::vector<double>{3};
        QTest::addRow("halves") << std::vector<double>{1, 1};
        QTest::addRow("seven and three") << std::vector<double>{0.7, 0.3};
        QTest::addRow("thirds in decimals") << std::vector<double>{0.333333, 0.666667};
        QTest::addRow("few of one") << std::vector<double>{1, 0.000123};
        // Here the largest deficit misses by more than one sample.
        QTest::addRow("three large, many small") << std::vector<double>{50, 1, 3, 50, 50, 1, 1, 2};
        QTest::addRow("like a corpus") << std::vector<double>{60, 22, 8, 8, 3};
    }
    void keepsEveryDataSetWithinOneSampleOfItsShare()
    {
        QFETCH(std::vector<double>, weights);
        DataMix mix(weights);
        double all = 0;
        for (const double weight : weights)
            all += weight;
        std::vector<std::uint64_t> taken(weights.size());
        for (std::uint64_t sample = 0; sample < 3000; ++sample) {
            const DataMix::Place place = mix.placeOf(sample);
            QCOMPARE(place.sample, taken[place.set]); // one after another
            ++taken[place.set];
            for (std::size_t set = 0; set < weights.size(); ++set) {
                const double share = weights[set] / all * static_cast<double>(sample + 1);
                QVERIFY2(std::abs(static_cast<double>(taken[set]) - share) < 1,
                         qPrintable(QString("sample %1").arg(sample)));
            }
        }
        QVERIFY(DataMix(weights).shareOf(3000) == taken);
    }

    /// By hand from Tijdeman's rule; the order is part of what a run computes.
    void dealsInThisOrder()
    {
        const std::vector<std::size_t> expected{0, 1, 0, 0, 0, 1, 0, 0, 1, 0};
        DataMix mix(std::vector{0.7, 0.3});
        for (std::uint64_t sample = 0; sample < 30; ++sample)
            QCOMPARE(mix.placeOf(sample).set, expected[sample % expected.size()]);
    }

    void beginsAnywhere()
    {
        const std::vector<double> weights{0.5, 0.3, 0.2};
        DataMix forward(weights);
        std::vector<DataMix::Place> places;
        for (std::uint64_t sample = 0; sample < 50; ++sample)
            places.push_back(forward.placeOf(sample));
        for (const std::uint64_t sample : {49, 3, 3, 27, 10, 0})
            QVERIFY(forward.placeOf(sample) == places[sample]);
        // Far beyond what could be counted one by one.
        QVERIFY(forward.shareOf(10'000'000'000'000) ==
                (std::vector<std::uint64_t>{5'000'000'000'000, 3'000'000'000'000, 2'000'000'000'000}));
    }

    void countsTheSamplesUntilADataSetEnds_data()
    {
        QTest::addColumn<int>("first");
        QTest::addColumn<int>("second");
        for (const auto& [first, second] : {std::pair{70, 30}, {7, 100}, {100, 3}, {0, 5}, {71, 30}, {1, 1}})
            QTest::addRow("%d and %d rows", first, second) << first << second;
    }
    void countsTheSamplesUntilADataSetEnds()
    {
        QFETCH(int, first);
        QFETCH(int, second);
        const std::vector<std::uint64_t> rows{static_cast<std::uint64_t>(first),
                                              static_cast<std::uint64_t>(second)};
        DataMix mix(std::vector{0.7, 0.3});
        std::uint64_t samples = 0;
        for (; mix.placeOf(samples).sample < rows[mix.placeOf(samples).set];)
            ++samples;
        QCOMPARE(DataMix(std::vector{0.7, 0.3}).samplesWithin(rows), samples);
    }

    void readsAndWritesAMix()
    {
        const ParsedSpec parsed = parseMixed(kTwoSets);
        QCOMPARE(textOf(parsed.diagnostics) + textOf(validate(parsed.spec)), QString());
        QCOMPARE(parsed.spec.dataset.sets().size(), std::size_t(2));
        QCOMPARE(parsed.spec.dataset.first(), "/data/wiki");
        QCOMPARE(parsed.spec.dataset.text(), "70 % /data/wiki, 30 % /data/books");
        const std::string written = toJson(parsed.spec);
        QVERIFY(parseSpec(written).spec == parsed.spec);
        QVERIFY(!nlohmann::json::parse(written).at("dataset").contains("path"));
    }

    void sharesAddUpToTheWhole()
    {
        const auto shares = [](double first, double second) {
            return DatasetSpec{.path = {}, .mix = {{"/a", first}, {"/b", second}}}.shares();
        };
        QCOMPARE(shares(3, 1), (std::vector<double>{0.75, 0.25}));
        QCOMPARE(shares(-1, 2), (std::vector<double>{0, 1}));
        QCOMPARE(shares(0, 0), (std::vector<double>{0, 0}));
        QCOMPARE(DatasetSpec{.path = "/data/wiki"}.shares(), std::vector<double>{1});
    }

    void leavesAPathAsItWas()
    {
        const RunSpec run = parseMixed(R"("dataset":{"path":"/data/wiki"})").spec;
        QVERIFY(!run.dataset.isMix());
        QCOMPARE(run.dataset.sets().size(), std::size_t(1));
        QCOMPARE(run.dataset.text(), "/data/wiki");
        QVERIFY(!QString::fromStdString(toJson(run)).contains("mix"));
    }

    void refusesAMixForATask()
    {
        RunSpec run = parseMixed(kTwoSets).spec;
        run.model.task.kind = TaskKind::Classify;
        QVERIFY(textOf(validate(run)).contains("dataset.mix: names several data sets"));
    }

    void refusesMixesThatCannotBe_data()
    {
        QTest::addColumn<QString>("dataset");
        QTest::addColumn<QString>("said");
        const auto row = [](const char* dataset, const char* said) {
            QTest::addRow("%s", dataset) << dataset << said;
        };
        row(R"({"path":"/a","mix":[{"path":"/b"}]})",
            "dataset.path: is given together with dataset.mix — leave one of the two out");
        row(R"({"mix":[{"path":"/a"},{"path":"/a"}]})",
            R"(dataset.mix[1].path: "/a" is in the mix already — add the weights of the two)");
        row(R"({"mix":[{"path":"/a"},{"path":""}]})",
            "dataset.mix[1].path: is empty — give the folder of a data set");
        row(R"({"mix":[{"path":"/a","weight":0.1234567}]})",
            "dataset.mix[0].weight: is 0.1234567 — give at most six decimals");
        row(R"({"mix":[{"path":"/a","weight":0}]})",
            "dataset.mix[0].weight: is 0 — must be between 0 and 1000000, e.g. 1");
    }
    void refusesMixesThatCannotBe()
    {
        QFETCH(QString, dataset);
        const ParsedSpec parsed = parseMixed(("\"dataset\":" + dataset).toUtf8().constData());
        QCOMPARE(textOf(parsed.diagnostics), QString());
        QTEST(textOf(validate(parsed.spec)), "said");
    }

    void namesWhatDataSetsDoNotAgreeIn_data()
    {
        QTest::addColumn<QString>("said");
        QTest::addColumn<int>("change");
        QTest::addRow("length") << "dataset.mix[1]: the rows of /data/books have 64 tokens, and those of "
                                   "/data/wiki have 128 — prepare all data sets of a mix with the same "
                                   "--seq-len"
                                << 0;
        QTest::addRow("vocabulary")
            << "dataset.mix[1]: /data/books and /data/wiki have different vocabularies — prepare all data "
               "sets of a mix with the same --vocab"
            << 1;
        QTest::addRow("masks") << "dataset.mix[1]: the rows of /data/books have 10 masked positions at most, "
                                  "and those of /data/wiki have 20 — prepare all data sets of a mix with the "
                                  "same --max-pred"
                               << 2;
    }
    void namesWhatDataSetsDoNotAgreeIn()
    {
        QFETCH(int, change);
        std::vector<DataSetShape> shapes{shapeWithRows(700, 7), shapeWithRows(300, 3)};
        QCOMPARE(textOf(mixProblems(mixedRun(), shapes)), QString());
        if (change == 0)
            shapes[1].sequenceLength = 64;
        else if (change == 1)
            shapes[1].vocabularySha256 = "bb";
        else
            shapes[1].maxPredictions = 10;
        QTEST(textOf(mixProblems(mixedRun(), shapes)), "said");
    }

    void evaluatesOnDataSetsThatHaveTestRows()
    {
        RunSpec run = mixedRun();
        run.evaluation.everySteps = 10;
        QVERIFY(textOf(mixProblems(run, {shapeWithRows(700, 0), shapeWithRows(300, 0)}))
                    .startsWith("evaluation: has no"));
        QCOMPARE(textOf(mixProblems(run, {shapeWithRows(700, 0), shapeWithRows(300, 9)})), QString());
        QCOMPARE(mixedTestRows(run.dataset, {0, 9}), std::uint64_t(9));
        QCOMPARE(mixedTestRows(run.dataset, {70, 3}),
                 std::uint64_t(11)); // 7 and 3, and one more of the larger
        QCOMPARE(*mixedShape(run.dataset, {shapeWithRows(700, 70), shapeWithRows(300, 3)}).testRows,
                 std::uint64_t(11));
        QCOMPARE(mixedShape(run.dataset, {shapeWithRows(700, 0), shapeWithRows(300, 0)}).trainingRows,
                 std::uint64_t(1000));
    }

    void aPhaseNamesOneDataSetOrAMix()
    {
        const RunSpec run =
            parseMixed(R"("dataset":{"path":"/a"},"batch":{"global":10,"micro":5,"accumulation":2},
            "phases":[{"steps":3},
                      {"steps":2,"dataset":{"mix":[{"path":"/a","weight":0.7},{"path":"/b","weight":0.3}]}},
                      {"steps":1,"dataset":{"path":"/b"}},
                      {"steps":4,"dataset":{"mix":[{"path":"/b"},{"path":"/c"}]}}])")
                .spec;
        QCOMPARE(textOf(validate(run)), QString());
        QVERIFY(parseSpec(toJson(run)).spec == run);
        QVERIFY(!specOfPhase(run, 0).dataset.isMix());
        QVERIFY(specOfPhase(run, 1).dataset.isMix());
        QCOMPARE(specOfPhase(run, 2).dataset.text(), "/b");
        // What earlier phases took of the same folder is not read again.
        QVERIFY(rowsTakenBefore(run, 1) == (std::vector<std::uint64_t>{30, 0}));
        QVERIFY(rowsTakenBefore(run, 2) == (std::vector<std::uint64_t>{6}));
        QCOMPARE(firstSample(run, 2), std::uint64_t(6));
        QVERIFY(rowsTakenBefore(run, 3) == (std::vector<std::uint64_t>{16, 0}));
        QCOMPARE(firstSample(run, 3), std::uint64_t(16));
    }
};

QTEST_APPLESS_MAIN(TestDataMix)
#include "tst_data_mix.moc"
