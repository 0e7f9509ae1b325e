#include <QElapsedTimer>
#include <QTest>

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <random>

#include "engine/planner/layout/parameter_parts.h"
#include "engine/planner/layout/stage_costs.h"
#include "engine/planner/layout/stage_partition.h"
#include "engine/spec/presets.h"
#include "tests/support/patience.h"

using namespace trainyard;

namespace {

/// "10 | 1 1 2 | 4": embeddings, layers, head.
PartCosts costsOf(const QString& text)
{
    const QStringList parts = text.split('|');
    PartCosts costs{parts[0].toDouble(), {}, parts[2].toDouble()};
    for (const QString& cost : parts[1].split(' ', Qt::SkipEmptyParts))
        costs.layers.push_back(cost.toDouble());
    return costs;
}

QString print(const std::vector<int>& counts)
{
    QStringList words;
    for (const int count : counts)
        words << QString::number(count);
    return words.join(' ');
}

/// What the best partition is judged by, in this order.
struct Verdict {
    double heaviest = 0;
    double squares = 0;
    std::vector<int> counts;

    auto operator<=>(const Verdict&) const = default;
};

Verdict verdictOn(const PartCosts& costs, const std::vector<int>& counts, const StageDevices& devices)
{
    Verdict verdict{0, 0, counts};
    for (const double load : stageLoads(costs, counts, devices)) {
        verdict.heaviest = std::max(verdict.heaviest, load);
        verdict.squares += load * load;
    }
    return verdict;
}

bool haveRoom(const std::vector<int>& counts, const std::vector<int>& most)
{
    return most.empty() || std::equal(counts.begin(), counts.end(), most.begin(), std::less_equal<>());
}

/// The best of all ways to deal `layers` layers to `stages` stages behind those already in `counts`.
void tryAll(const PartCosts& costs, int layers, int stages, const StageDevices& devices,
            std::vector<int>& counts, Verdict& best)
{
    if (stages == 0) {
        if (layers == 0 && haveRoom(counts, devices.most))
            best = std::min(best, verdictOn(costs, counts, devices));
        return;
    }
    for (int own = 1; own <= layers; ++own) {
        counts.push_back(own);
        tryAll(costs, layers - own, stages - 1, devices, counts, best);
        counts.pop_back();
    }
}

/// Empty when no partition has room.
QString bestOfAll(const PartCosts& costs, int stages, const StageDevices& devices)
{
    std::vector<int> counts;
    Verdict best{std::numeric_limits<double>::infinity(), 0, {}};
    tryAll(costs, static_cast<int>(costs.layers.size()), stages, devices, counts, best);
    return print(best.counts);
}

QString found(const PartCosts& costs, int stages, const StageDevices& devices)
{
    const auto counts = partitionLayers(costs, stages, devices);
    return counts.ok() ? print(*counts) : QString();
}

/// Whole numbers: sums are exact.
PartCosts randomCosts(int layers, std::mt19937& random)
{
    std::uniform_int_distribution<int> cost(0, 9);
    PartCosts costs{2.0 * cost(random), {}, 2.0 * cost(random)};
    for (int i = 0; i < layers; ++i)
        costs.layers.push_back(cost(random));
    return costs;
}

StageDevices randomDevices(int stages, std::mt19937& random)
{
    std::uniform_int_distribution<int> slowness(1, 4);
    std::uniform_int_distribution<int> most(1, 5);
    StageDevices devices;
    for (int i = 0; i < stages; ++i) {
        devices.slowness.push_back(slowness(random));
        devices.most.push_back(most(random));
    }
    return devices;
}

} // namespace

Q_DECLARE_METATYPE(StagePartition)

class TestStagePartition : public QObject {
    Q_OBJECT

private slots:
    void balancesStagesByCost_data()
    {
        QTest::addColumn<QString>("costs");
        QTest::addColumn<int>("stages");
        QTest::addColumn<QString>("counts");
        // By hand.
        QTest::addRow("equal layers") << "0 | 1 1 1 1 1 1 1 1 | 0" << 4 << "2 2 2 2";
        QTest::addRow("one stage") << "3 | 1 1 1 | 5" << 1 << "3";
        QTest::addRow("one layer each") << "3 | 1 1 1 | 5" << 3 << "1 1 1";
        QTest::addRow("heavy ends") << "0 | 4 1 1 1 1 4 | 0" << 3 << "1 4 1";
        QTest::addRow("heavy embeddings") << "4 | 1 1 1 1 1 1 1 1 | 0" << 3 << "1 3 4";
        QTest::addRow("heavy head") << "0 | 2 2 2 2 2 2 2 2 | 5" << 2 << "5 3";
        QTest::addRow("head heavier than all") << "0 | 1 1 1 1 1 1 1 | 100" << 4 << "2 2 2 1";
        // 6 3 2 would have the smaller sum of squares.
        QTest::addRow("lightest before most even") << "0 | 1 5 3 2 | 0" << 3 << "1 1 2";
        QTest::addRow("longer stages behind") << "0 | 1 1 1 1 1 | 0" << 2 << "2 3";
    }
    void balancesStagesByCost()
    {
        QFETCH(QString, costs);
        QFETCH(int, stages);
        QTEST(print(partitionLayers(costsOf(costs), stages).value()), "counts");
    }

    void findsTheBestOfAll()
    {
        std::mt19937 random(7);
        for (int round = 0; round < 300; ++round) {
            const PartCosts costs = randomCosts(1 + round % 9, random);
            for (int stages = 1; stages <= static_cast<int>(costs.layers.size()); ++stages)
                QCOMPARE(found(costs, stages, {}), bestOfAll(costs, stages, {}));
        }
    }

    void findsTheBestOfAllOnUnequalDevices()
    {
        std::mt19937 random(11);
        int refused = 0;
        for (int round = 0; round < 300; ++round) {
            const PartCosts costs = randomCosts(1 + round % 9, random);
            for (int stages = 1; stages <= static_cast<int>(costs.layers.size()); ++stages) {
                const StageDevices devices = randomDevices(stages, random);
                QCOMPARE(found(costs, stages, devices), bestOfAll(costs, stages, devices));
                refused += found(costs, stages, devices).isEmpty() ? 1 : 0;
            }
        }
        QVERIFY(refused > 100);
    }

    void givesASlowStageFewerLayers()
    {
        const PartCosts costs = costsOf("0 | 1 1 1 1 1 1 1 1 1 1 | 0");
        QCOMPARE(found(costs, 2, {{1, 4}, {}}), QString("8 2"));
        QCOMPARE(found(costs, 2, {{4, 1}, {}}), QString("2 8"));
        QCOMPARE(found(costs, 2, {{1, 4}, {6, 10}}), QString("6 4"));
    }

    void saysThatLayersHaveNoRoom()
    {
        const auto counts = partitionLayers(costsOf("0 | 1 1 1 1 | 0"), 2, {{}, {1, 2}});
        QCOMPARE(counts.error().kind, ErrorKind::Refused);
        QCOMPARE(QString::fromStdString(counts.error().message),
                 "4 layers do not fit: the stages can hold 1 + 2");
    }

    // As many layers and stages as any specification may ask for are not many enough to wait for.
    void staysQuickForManyLayers()
    {
        const PartCosts costs{0, std::vector<double>(1024, 1.0), 5};
        QElapsedTimer timer;
        timer.start();
        const std::vector<int> counts = partitionLayers(costs, 128).value();
        QCOMPARE(std::accumulate(counts.begin(), counts.end(), 0), 1024);
        QVERIFY2(timer.elapsed() < kPatienceMs, qPrintable(QString::number(timer.elapsed())));
    }

    void followsThePartitionOfTheLayout_data()
    {
        QTest::addColumn<StagePartition>("partition");
        QTest::addColumn<int>("layers");
        QTest::addColumn<int>("predictions");
        QTest::addColumn<QString>("counts");
        const StagePartition layers{PartitionKind::Layers, {}};
        const StagePartition parameters{PartitionKind::Parameters, {}};
        const StagePartition cost{PartitionKind::Cost, {}};
        QTest::addRow("layers") << layers << 12 << 20 << "3 3 3 3";
        QTest::addRow("layers, shorter at the ends") << layers << 14 << 20 << "3 4 4 3";
        // BERT-base: the embeddings hold as much as 3.4 layers, the head and its copy of the words 3.5.
        QTest::addRow("parameters") << parameters << 12 << 20 << "1 5 5 1";
        // At length 128, 20 predictions compute as much as 0.5 layers, 128 as much as 3.3.
        QTest::addRow("operations, few predictions") << cost << 12 << 20 << "3 3 3 3";
        QTest::addRow("operations, every token predicted") << cost << 12 << 128 << "3 4 4 1";
        QTest::addRow("by hand") << StagePartition{PartitionKind::ByHand, {2, 5, 4, 1}} << 12 << 20
                                 << "2 5 4 1";
    }
    void followsThePartitionOfTheLayout()
    {
        QFETCH(StagePartition, partition);
        QFETCH(int, layers);
        QFETCH(int, predictions);
        RunSpec spec;
        spec.model = *modelPreset("bert-base");
        spec.model.layers = layers;
        spec.layout.pipeline = 4;
        spec.layout.partition = partition;
        QTEST(print(layersPerStage(spec, {128, predictions}).value()), "counts");
    }

    void weighsADecodersHeadByEveryToken()
    {
        // GPT-2: a token computes as much in the head as in 5.1 layers, whatever is masked elsewhere.
        RunSpec spec;
        spec.model.setFamily(ModelFamily::Gpt);
        spec.model.layers = 12;
        spec.model.hidden = 768;
        spec.model.intermediate = 3072;
        spec.model.vocabulary = 50257;
        spec.layout.pipeline = 3;
        spec.layout.partition = {PartitionKind::Cost, {}};
        const PartCosts costs = operationCosts(spec.model, {128, 20});
        QCOMPARE(costs.head / costs.layers[0], 2 * 768 * 50257.0 / (24 * 768 * 768 + 4 * 128 * 768.0));
        QCOMPARE(print(layersPerStage(spec, {128, 20}).value()), "5 6 1");
    }

    void countsEveryChunkAsAStage()
    {
        RunSpec spec;
        spec.model.layers = 9;
        spec.layout.pipeline = 2;
        spec.layout.schedule = PipelineScheduleKind::Interleaved;
        spec.layout.virtualStages = 2;
        QCOMPARE(print(layersPerStage(spec, {}).value()), "2 2 3 2");
        spec.model.layers = 3;
        QCOMPARE(layersPerStage(spec, {}).error().kind, ErrorKind::Refused);
        spec.layout.pipeline = 1;
        QCOMPARE(print(layersPerStage(spec, {}).value()), "3");
    }

    void holdsEveryParameterOnSomeStage()
    {
        const ModelSpec model = *modelPreset("bert-base");
        const PartCosts costs = parameterCosts(model);
        double all = costs.embeddings + costs.head;
        for (const double layer : costs.layers)
            all += layer;
        const std::int64_t copyOfTheWords = 30522 * 768;
        QCOMPARE(std::int64_t(all), parameterCount(model) + copyOfTheWords);
    }

    void refusesFewerLayersThanStages()
    {
        const auto counts = partitionLayers(costsOf("0 | 1 1 1 | 0"), 4);
        QVERIFY(!counts.ok());
        QCOMPARE(counts.error().kind, ErrorKind::Refused);
        QCOMPARE(QString::fromStdString(counts.error().text()),
                 "3 layers cannot fill 4 stages — use at most 3 stages");
    }
};

QTEST_APPLESS_MAIN(TestStagePartition)
#include "tst_stage_partition.moc"
