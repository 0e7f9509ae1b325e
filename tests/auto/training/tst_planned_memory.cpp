#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include <fmt/format.h>

#include "engine/planner/layout/flat_placement.h"
#include "engine/planner/layout/rank_grid.h"
#include "engine/planner/layout/stage_costs.h"
#include "engine/planner/memory/memory_fit.h"
#include "engine/planner/memory/memory_model.h"
#include "engine/planner/time/state_traffic.h"
#include "engine/records/flight_ring.h"
#include "engine/spec/validate.h"
#include "tests/auto/training/training_fixture.h"
#include "tests/auto/training/worker_process.h"
#include "tests/support/layouts/engine_layouts.h"
#include "tests/support/row_sample.h"

using namespace trainyard;

namespace fs = std::filesystem;

namespace {

constexpr double kTolerance = 0.02; // both count tensors, to the byte where nothing is left out
constexpr double kPartTolerance = 0.03; ///< above, see hasPartLess()
constexpr int kSteps = 3;
constexpr int kPortableRow = 1; ///< the one in bfloat16 that every processor can do: one rank
/// Those that every run has: one rank, and each way of sharing once. Of the others a sample.
constexpr std::array kAlways{0, 1, 2, 10, 13, 15, 18, 29};
/// Those that are also run with adapters: one rank, packed, ZeRO 3, tensor with sequence, two stages.
constexpr auto kWithAdapters = {0, 5, 11, 14, 19};

DatasetShape datasetOf(const SequenceShape& rows)
{
    return {.rows = 64,
            .length = rows.length,
            .predictions = rows.maxPredictions,
            .vocabulary = kLayoutVocabulary,
            .full = true};
}

double mebibytes(Bytes bytes)
{
    return static_cast<double>(bytes) / double(kMiB);
}

/// What the instructions of a processor change: how products of narrow numbers are made. So where a test
/// shows another processor (support/processor), the other layouts would give the same once more.
bool isNarrow(const RunSpec& spec)
{
    return spec.precision.compute == ComputeType::BFloat16 || spec.precision.compute == ComputeType::Float16;
}

/// At its peak, of the rank that holds most. The first step has what only the first one has.
RankStats largestRank(const std::vector<StepRecord>& steps)
{
    RankStats largest;
    for (std::size_t i = 1; i < steps.size(); ++i) {
        for (const RankStats& rank : steps[i].ranks)
            largest = rank.peakTotal > largest.peakTotal ? rank : largest;
    }
    return largest;
}

/// Bytes of a rank in the last step, by kind of collective and the ranks of its group.
using Traffic = std::map<std::pair<CollectiveKind, std::vector<int>>, Bytes>;

std::vector<int> numbersOf(const std::vector<Rank>& ranks)
{
    std::vector<int> numbers;
    for (const Rank rank : ranks)
        numbers.push_back(rank.value);
    return numbers;
}

/// What the plan says of gradients and weights.
void addPlanned(Traffic& traffic, const RunSpec& spec, const RankGrid& grid, Rank rank, bool ofExperts,
                const StateTraffic& planned)
{
    const std::vector<std::vector<Rank>> shards = grid.shards(rank, ofExperts);
    std::vector<int> all;
    std::vector<int> owners;
    std::vector<int> copies;
    for (const std::vector<Rank>& shard : shards) {
        std::ranges::copy(numbersOf(shard), std::back_inserter(all));
        if (std::ranges::find(shard, rank) != shard.end())
            owners = numbersOf(shard);
    }
    const auto place = std::ranges::find(owners, rank.value) - owners.begin();
    for (const std::vector<Rank>& shard : shards)
        copies.push_back(shard[std::size_t(place)].value);
    if (spec.memory.zeroStage == 0) {
        traffic[{CollectiveKind::AllReduce, all}] += planned.reduced;
        return;
    }
    traffic[{CollectiveKind::ReduceScatter, owners}] += planned.reduced;
    traffic[{CollectiveKind::AllGather, owners}] += planned.gathered;
    if (shards.size() > 1)
        traffic[{CollectiveKind::AllReduce, copies}] += planned.summed;
}

Traffic plannedTraffic(const RunSpec& spec, const SequenceShape& rows, Rank rank)
{
    const RankGrid grid = RankGrid::create(spec.layout).value();
    const RankTraffic planned = stateTraffic(spec, layersPerStage(spec, rows).value(), grid.coordOf(rank));
    Traffic traffic;
    addPlanned(traffic, spec, grid, rank, false, planned.others);
    if (spec.layout.expert > 1)
        addPlanned(traffic, spec, grid, rank, true, planned.ofExperts);
    std::erase_if(traffic, [](const auto& entry) { return entry.first.second.size() < 2; });
    return traffic;
}

/// Buckets are whole multiples of that; the loads of experts, which ranks add up too, are few numbers.
constexpr Bytes kBucketMultiple = kFlatAlignment * 4;

/// As the rank's flight ring has it, of the same collectives. Ranks that share experts also add up norms, and
/// may be those that share the rest.
Traffic measuredTraffic(const FlightSnapshot& ring, Traffic planned)
{
    std::set<std::uint32_t> sharesExperts;
    for (const FlightEntry& entry : ring.entries) {
        if (entry.kind == CollectiveKind::AllToAll)
            sharesExperts.insert(entry.group);
    }
    for (auto& [collective, bytes] : planned) {
        bytes = 0;
        for (const FlightEntry& entry : ring.entries) {
            const auto group = ring.groups.find(entry.group);
            if (entry.step == kSteps && entry.kind == collective.first && group != ring.groups.end() &&
                group->second == collective.second && !sharesExperts.contains(entry.group) &&
                entry.bytes % kBucketMultiple == 0)
                bytes += entry.bytes;
        }
    }
    return planned;
}

QString textOf(const Traffic& traffic)
{
    QStringList parts;
    for (const auto& [collective, bytes] : traffic)
        parts << QString("%1 among %2: %3")
                     .arg(QString::fromUtf8(nameOf(collective.first)))
                     .arg(collective.second.size())
                     .arg(bytes);
    return parts.join(", ");
}

/// The peak is in the forward pass then, where one part of the weights less is gathered than is planned.
bool hasPartLess(const RunSpec& spec, NarrowProducts products)
{
    return spec.memory.zeroStage == 3 && products == NarrowProducts::Widened;
}

} // namespace

/// The planner's memory of the rank that holds most, against what the real worker's ranks hold at the peak of
/// a step, and the bytes of gradients and weights that each rank hands to collectives.
class TestPlannedMemory : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        QVERIFY(writeDataset(root() / "encoder", datasetOf(kEncoderRows)).ok());
        QVERIFY(writeDataset(root() / "decoder", datasetOf(kDecoderRows)).ok());
    }

    void isWhatRanksHoldAndSend_data()
    {
        QTest::addColumn<int>("number");
        QTest::addColumn<bool>("hasAdapters");
        const support::RowSample sample(3);
        const bool onLesserProcessor = qEnvironmentVariableIsSet("TRAINYARD_TEST_PROCESSOR");
        const auto addRow = [&](int number, bool hasAdapters) {
            const EngineLayout layout = layouts()[std::size_t(number)];
            const std::string name = layout.name + (hasAdapters ? ", adapters" : "");
            const bool isAlways = !hasAdapters && std::ranges::find(kAlways, number) != kAlways.end();
            if ((isNarrow(layout.spec) || !onLesserProcessor) && (isAlways || sample.has(name)))
                QTest::addRow("%s", name.c_str()) << number << hasAdapters;
        };
        for (std::size_t i = 0; i < layouts().size(); ++i)
            addRow(int(i), false);
        for (const int i : kWithAdapters)
            addRow(i, true);
    }
    void isWhatRanksHoldAndSend()
    {
        QFETCH(int, number);
        QFETCH(bool, hasAdapters);
        EngineLayout layout = layouts()[std::size_t(number)];
        if (hasAdapters)
            layout.spec.model.lora = {.rank = 8, .dropout = 0.1};
        const HostMemory here{.ranks = layout.spec.layout.worldSize(), .math = processorMathHere()};
        const NarrowProducts products = productsOn(layout.spec, here);
        if (products == NarrowProducts::Portable && number != kPortableRow)
            QSKIP(
                "a step in bfloat16 takes tens of seconds on a processor with neither AVX-512 nor bfloat16");
        for (const Diagnostic& problem : validate(layout.spec))
            qInfo("%s: %s", problem.path.c_str(), problem.message.c_str());
        QVERIFY(validate(layout.spec).empty());
        const fs::path run = root() / fmt::format("run{}{}", number, hasAdapters ? "-adapters" : "");
        QVERIFY(makeRunDirectory(run, layout.spec).ok());
        QCOMPARE(runWorkers({{{layout.spec.layout.worldSize(), run}}, 1, kSteps}), 0);
        const RankStats measured = largestRank(stepsOf(run));
        const MemoryEstimate planned = estimateMemory(layout.spec, rowsOf(layout), products);
        const double error = double(planned.total()) / double(measured.peakTotal) - 1;
        print(planned, measured, error);
        QVERIFY(error >= -kTolerance);
        QVERIFY(error <= (hasPartLess(layout.spec, products) ? kPartTolerance : kTolerance));
        for (int rank = 0; rank < layout.spec.layout.worldSize(); ++rank) {
            const Traffic traffic = plannedTraffic(layout.spec, rowsOf(layout), Rank{rank});
            const auto ring = readFlightRing(flightRingPath(run, rank));
            QVERIFY(ring.ok());
            if (rank == 0 && !traffic.empty())
                qInfo("%s", qPrintable(textOf(traffic)));
            QCOMPARE(textOf(measuredTraffic(*ring, traffic)), textOf(traffic));
        }
    }

private:
    static void print(const MemoryEstimate& planned, const RankStats& measured, double error)
    {
        QString line = QString::asprintf("%6.1f of %6.1f MiB, %+5.1f %%:", mebibytes(planned.total()),
                                         mebibytes(measured.peakTotal), 100 * error);
        for (std::size_t i = 0; i < kMemoryCategories; ++i) {
            if (planned.bytes[i] + measured.peakMemory[i] > kMiB / 20)
                line += QString::asprintf(" %s %.1f of %.1f", nameOf(MemoryCategory(i)).data(),
                                          mebibytes(planned.bytes[i]), mebibytes(measured.peakMemory[i]));
        }
        qInfo("%s", qPrintable(line));
    }

    fs::path root() const { return m_directory.path().toStdString(); }
    std::vector<EngineLayout> layouts() const
    {
        return engineLayouts(root() / "encoder", root() / "decoder");
    }

    QTemporaryDir m_directory;
};

QTEST_GUILESS_MAIN(TestPlannedMemory)
#include "tst_planned_memory.moc"
