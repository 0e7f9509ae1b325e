#include <QTest>

#include <limits>
#include <random>
#include <set>

#include "engine/planner/hardware/hardware_presets.h"
#include "engine/planner/memory/memory_model.h"
#include "engine/planner/partition/distinct_placements.h"
#include "engine/planner/search/found_spec.h"
#include "engine/planner/search/layout_candidates.h"
#include "engine/planner/search/layout_search.h"
#include "engine/planner/search/placements.h"
#include "engine/planner/search/tradeoffs.h"
#include "engine/spec/presets.h"
#include "engine/spec/validate.h"

using namespace trainyard;

namespace {

SearchRequest requestFor(const char* model, const char* node, int nodes, int global)
{
    SearchRequest request;
    request.spec.model = *modelPreset(model);
    request.spec.batch.global = global;
    request.spec.precision.compute = ComputeType::BFloat16;
    request.shape = {1024, 0};
    request.node = *nodePreset(node);
    request.nodes = nodes;
    return request;
}

} // namespace

class TestLayoutSearch : public QObject {
    Q_OBJECT

private slots:
    // 8 devices: 1, 2, 4 or 8 tensor-parallel ranks, and what divides the rest.
    void listsEveryDegreeOnce()
    {
        const SearchRequest request = requestFor("bert-base", "hgx-a100", 1, 64);
        RunSpec spec = request.spec;
        spec.model.heads = 16;
        spec.model.hidden = 1024;
        std::set<std::tuple<int, int, int>> degrees;
        for (const RunSpec& candidate : layoutCandidates(spec, request.shape, 8, 8)) {
            const ParallelLayout& layout = candidate.layout;
            degrees.insert({layout.data, layout.tensor, layout.pipeline});
            QCOMPARE(layout.worldSize(), 8);
            QCOMPARE(candidate.batch.micro * candidate.batch.accumulation * layout.data, 64);
            QVERIFY(layout.data > 1 || candidate.memory.zeroStage == 0);
            QCOMPARE(layout.shard, 0); // on one node all share
        }
        QCOMPARE(degrees.size(), std::size_t{10});
    }

    void triesEveryMicroBatchThatDivides()
    {
        const SearchRequest request = requestFor("bert-base", "hgx-a100", 1, 1000);
        std::set<int> micro;
        for (const RunSpec& candidate : layoutCandidates(request.spec, request.shape, 8, 8)) {
            if (candidate.layout.data == 8)
                micro.insert(candidate.batch.micro);
        }
        QCOMPARE(micro, (std::set<int>{1, 5, 25}));
    }

    void findsTheSameBestHoweverManyAreTold()
    {
        for (const int nodes : {1, 4}) {
            SearchRequest request = requestFor("gpt2-xl", "hgx-a100", nodes, 96);
            request.spec.model.heads = 20;
            std::set<double> seconds;
            for (const std::size_t top : {1, 2, 3, 5, 10, 20, 40}) {
                request.top = top;
                const auto found = searchLayouts(request);
                QVERIFY(found.ok());
                QVERIFY(found->size() <= top);
                seconds.insert(found->front().time.seconds);
            }
            QCOMPARE(seconds.size(), std::size_t{1});
        }
    }

    void findsNothingBetterByTryingAll()
    {
        SearchRequest request = requestFor("gpt2-xl", "hgx-a100", 2, 64);
        request.spec.model.heads = 20;
        const auto found = searchLayouts(request);
        QVERIFY(found.ok());
        double best = std::numeric_limits<double>::infinity();
        for (const RunSpec& candidate : layoutCandidates(request.spec, request.shape, 16, 8)) {
            for (RunSpec spec : memoryLadder(candidate)) {
                const auto needed = static_cast<double>(estimateMemory(spec, request.shape).onDevice());
                if (needed > 0.92 * static_cast<double>(request.node.device.memory))
                    continue;
                for (const std::string& placement : distinctPlacements(spec.layout)) {
                    spec.layout.placement = placement;
                    const auto model = StepModel::create(spec, request.shape, request.node);
                    best = std::min(best, model->estimate().seconds);
                }
            }
        }
        QVERIFY2(found->front().time.seconds <= 1.01 * best,
                 qPrintable(QString("%1 s, best %2 s").arg(found->front().time.seconds).arg(best)));
        for (std::size_t i = 1; i < found->size(); ++i)
            QVERIFY((*found)[i].time.seconds >= (*found)[i - 1].time.seconds);
    }

    // Every combination that the engine has is among the candidates of some training.
    void triesEveryScheduleAndMeasure()
    {
        SearchRequest request = requestFor("gpt2-xl", "hgx-a100", 2, 64);
        request.spec.model.heads = 20;
        request.shape = {16384, 0};
        std::set<PipelineScheduleKind> schedules;
        std::set<int> chunks, contexts, stages;
        for (const RunSpec& candidate : layoutCandidates(request.spec, request.shape, 16, 8)) {
            schedules.insert(candidate.layout.schedule);
            chunks.insert(candidate.layout.virtualStages);
            contexts.insert(candidate.layout.context);
            stages.insert(candidate.memory.zeroStage);
        }
        QCOMPARE(schedules.size(), std::size_t{4});
        QCOMPARE(chunks, (std::set<int>{1, 2, 3, 4}));
        QCOMPARE(contexts, (std::set<int>{1, 2, 4}));
        QCOMPARE(stages, (std::set<int>{0, 1, 2, 3}));
    }

    void givesTheEngineNothingThatItRefuses()
    {
        SearchRequest request = requestFor("gpt2-xl", "hgx-a100", 2, 32);
        request.spec.model.heads = 20;
        request.spec.dataset.path = "/data";
        request.spec.cluster.nodes = {{.host = "a", .slotCount = 8}, {.host = "b", .slotCount = 8}};
        request.shape = {8192, 0};
        for (const RunSpec& candidate : layoutCandidates(request.spec, request.shape, 16, 8)) {
            for (const RunSpec& spec : memoryLadder(candidate)) {
                const Diagnostics problems = validate(spec);
                QVERIFY2(problems.empty(), problems.empty() ? "" : problems.front().text().c_str());
            }
        }
    }

    void keepsWhatIsNotSearched()
    {
        RunSpec spec = requestFor("bert-base", "hgx-a100", 1, 64).spec;
        spec.layout.bucketSize = 5 * kMiB;
        spec.memory.offloadHorizon = 3;
        const auto candidates = layoutCandidates(spec, {1024, 0}, 8, 8);
        QVERIFY(!candidates.empty());
        for (const RunSpec& candidate : candidates) {
            QCOMPARE(candidate.layout.bucketSize, 5 * kMiB);
            QCOMPARE(candidate.memory.offloadHorizon, 3);
        }
    }

    void refusesMoreDevicesThanARunMayHaveRanks()
    {
        for (const int nodes : {8193, std::numeric_limits<int>::max()}) {
            const auto found = searchLayouts(requestFor("bert-base", "p4d.24xlarge", nodes, 1 << 20));
            QVERIFY(!found.ok());
            QVERIFY2(found.error().text().find("8192 nodes or fewer") != std::string::npos,
                     found.error().text().c_str());
        }
    }

    void dealsOutLayersByTimeOnlyWhereTheObjectiveLikesIt()
    {
        SearchRequest request = requestFor("gpt2-xl", "hgx-a100", 2, 64);
        request.spec.model.heads = 20;
        request.objective = SearchObjective::Memory;
        request.top = 20;
        const auto found = searchLayouts(request);
        QVERIFY(found.ok());
        for (const FoundLayout& layout : *found) {
            RunSpec even = layout.spec;
            even.layout.partition = {};
            even.launch.device = DeviceKind::Cuda; // as on these nodes
            QVERIFY(layout.onDevice <= estimateMemory(even, request.shape).onDevice());
        }
    }

    void endsSoonAfterItWasStopped()
    {
        SearchRequest request = requestFor("gpt2-xl", "hgx-a100", 2, 64);
        request.spec.model.heads = 20;
        int questions = 0;
        request.goesOn = [&](double) { return ++questions > 0; };
        QVERIFY(searchLayouts(request).ok());
        const int all = questions;
        for (const int stop : {1, all / 2, all - 1}) {
            questions = 0;
            request.goesOn = [&](double) { return ++questions < stop; };
            QCOMPARE(searchLayouts(request).error().kind, ErrorKind::Cancelled);
            QCOMPARE(questions, stop);
        }
    }

    void saysWhatEachLayoutGivesUp()
    {
        const auto found = searchLayouts(requestFor("gpt-175b", "p4d.24xlarge", 120, 960));
        QVERIFY(found.ok());
        QVERIFY(found->size() > 1);
        QCOMPARE(tradeoffs(found->front(), found->front()), Tradeoffs{});
        for (std::size_t i = 1; i < found->size(); ++i) {
            const Tradeoffs words = tradeoffs((*found)[i], found->front());
            const Tradeoffs opposite = tradeoffs(found->front(), (*found)[i]);
            QCOMPARE(words.gains.size(), opposite.losses.size());
            QCOMPARE(words.losses.size(), opposite.gains.size());
        }
    }

    void namesDifferencesInNumbers()
    {
        FoundLayout layout;
        layout.sequencesPerSecond = 100;
        layout.costPerMillionSequences = 10;
        layout.onDevice = 20 * kGiB;
        layout.onHost = kGiB;
        layout.time.seconds = 2;
        FoundLayout other = layout;
        other.sequencesPerSecond = 125;
        other.costPerMillionSequences = 10.05;
        other.onDevice = 30 * kGiB;
        other.onHost = 0;
        other.time.byCause[static_cast<std::size_t>(StepCause::Bubble)] = 0.5;
        QCOMPARE(tradeoffs(layout, other),
                 (Tradeoffs{{"10.0 GiB less on the device", "bubble 0 % of the step instead of 25 %"},
                            {"25 % more time", "1.00 GiB more on the host"}}));
    }

    void keepsWhatNothingElseBeats()
    {
        std::mt19937 random(3);
        std::uniform_int_distribution<int> value(1, 12);
        for (int round = 0; round < 50; ++round) {
            std::vector<FoundLayout> layouts(60);
            for (FoundLayout& layout : layouts) {
                layout.sequencesPerSecond = value(random);
                layout.costPerMillionSequences = value(random);
                layout.onDevice = static_cast<Bytes>(value(random));
            }
            std::size_t kept = 0;
            for (const FoundLayout& layout : layouts)
                kept += std::none_of(layouts.begin(), layouts.end(),
                                     [&](const FoundLayout& other) { return isDominated(layout, other); });
            QCOMPARE(paretoSet(layouts).size(), kept);
        }
    }

    void saysWhatAnotherPlacementCosts()
    {
        const SearchRequest request = requestFor("gpt-175b", "p4d.24xlarge", 120, 960);
        const auto found = searchLayouts(request);
        QVERIFY(found.ok());
        for (const FoundLayout& layout : *found) {
            QCOMPARE(layout.placements.front().placement, layout.spec.layout.placement);
            QCOMPARE(layout.placements.front().seconds, layout.time.seconds);
            for (const PlacementCost& cost : layout.placements) {
                RunSpec spec = layout.spec;
                spec.layout.placement = cost.placement;
                QCOMPARE(weighLayout(request, spec)->time.seconds, cost.seconds);
                QVERIFY(cost.seconds >= layout.time.seconds);
                QVERIFY(cost.tensorNodes >= 1 && cost.tensorNodes <= layout.spec.layout.tensor);
            }
        }
    }

    void writesWhatCanBeLaunched()
    {
        SearchRequest request = requestFor("gpt2-xl", "hgx-a100", 4, 64);
        request.spec.model.heads = 20;
        request.spec.dataset.path = "/data";
        request.spec.cluster.nodes = {{.host = "a", .slotCount = 2}, {.host = "node-3", .slotCount = 2}};
        const auto found = searchLayouts(request);
        QVERIFY(found.ok());
        const RunSpec spec = foundSpec(request, found->front(), "hgx-a100");
        const Diagnostics problems = validate(spec);
        QVERIFY2(problems.empty(), problems.empty() ? "" : problems.front().text().c_str());
        QStringList hosts;
        for (const NodeSpec& node : spec.cluster.nodes) {
            hosts << QString::fromStdString(node.host);
            QCOMPARE(node.slotCount, 8);
            QCOMPARE(node.hardware, "hgx-a100");
        }
        QCOMPARE(hosts, (QStringList{"a", "node-3", "node-4", "node-5"}));
        QCOMPARE(weighLayout(request, spec)->time.seconds, found->front().time.seconds);
    }

    void writesWhatSlurmCanBeAskedFor()
    {
        SearchRequest request = requestFor("bert-base", "hgx-a100", 2, 64);
        request.spec.dataset.path = "/data";
        request.spec.launch.launcher = LauncherKind::Slurm;
        request.spec.cluster.nodes = {{.host = "login", .slotCount = 8}};
        const RunSpec spec = foundSpec(request, searchLayouts(request)->front(), {});
        QVERIFY(validate(spec).empty());
        QCOMPARE(spec.cluster.nodes.size(), std::size_t{2});
        QCOMPARE(spec.cluster.nodes.back().host, "login");
    }

    void stopsWhenAsked()
    {
        SearchRequest request = requestFor("gpt-175b", "ndm-a100-v4", 128, 1536);
        double last = 0;
        bool rises = true;
        request.goesOn = [&](double share) {
            rises &= share >= last && share <= 1;
            last = share;
            return share < 0.3;
        };
        QCOMPARE(searchLayouts(request).error().kind, ErrorKind::Cancelled);
        QVERIFY(rises && last >= 0.3);
    }

    void fitsWhatItFinds()
    {
        const SearchRequest request = requestFor("gpt-175b", "p4d.24xlarge", 120, 960);
        const auto found = searchLayouts(request);
        QVERIFY2(found.ok(), found.ok() ? "" : found.error().text().c_str());
        for (const FoundLayout& layout : *found) {
            QVERIFY(layout.onDevice <= 40 * kGiB);
            QVERIFY(layout.spec.layout.tensor <= 8);
            QCOMPARE(layout.spec.layout.worldSize(), 960);
            RunSpec onDevices = layout.spec;
            onDevices.launch.device = DeviceKind::Cuda;
            QCOMPARE(estimateMemory(onDevices, request.shape).onDevice(), layout.onDevice);
        }
    }

    void findsByEveryObjective()
    {
        SearchRequest request = requestFor("gpt-175b", "p4d.24xlarge", 32, 512);
        const auto fast = searchLayouts(request);
        request.objective = SearchObjective::Memory;
        const auto small = searchLayouts(request);
        request.objective = SearchObjective::Cost;
        const auto cheap = searchLayouts(request);
        QVERIFY(fast.ok() && small.ok() && cheap.ok());
        QVERIFY(small->front().onDevice <= fast->front().onDevice);
        QVERIFY(cheap->front().costPerMillionSequences <= fast->front().costPerMillionSequences);
        QVERIFY(fast->front().time.seconds <= small->front().time.seconds);
    }

    /// 93 GB of weights, which no device holds but in parts: the fastest layouts share experts.
    void findsLayoutsThatShareExperts()
    {
        const auto found = searchLayouts(requestFor("mixtral-8x7b", "hgx-h100", 4, 128));
        QVERIFY(found.ok());
        QVERIFY(found->front().spec.layout.expert > 1);
    }

    void saysHowMuchIsMissing()
    {
        const auto found = searchLayouts(requestFor("gpt-1t", "p3.16xlarge", 1, 64));
        QVERIFY(!found.ok());
        QCOMPARE(found.error().kind, ErrorKind::Refused);
        QVERIFY(found.error().message.find("device of 16.0 GiB") != std::string::npos);
    }

    void keepsTensorParallelRanksOnOneNode()
    {
        SearchRequest request = requestFor("bert-base", "hgx-a100", 6, 48);
        std::set<int> tensor;
        for (const RunSpec& candidate : layoutCandidates(request.spec, request.shape, 48, 8))
            tensor.insert(candidate.layout.tensor);
        QCOMPARE(tensor, (std::set<int>{1, 2, 4})); // 3, 6 and 12 divide bert-base, but not 8 devices
    }

    void findsTheSmallestWhereMemoryIsWhatCounts()
    {
        SearchRequest request = requestFor("gpt2-xl", "hgx-a100", 1, 64);
        request.spec.model.heads = 20;
        request.objective = SearchObjective::Memory;
        const auto found = searchLayouts(request);
        QVERIFY(found.ok());
        for (const RunSpec& candidate : layoutCandidates(request.spec, request.shape, 8, 8)) {
            for (RunSpec spec : memoryLadder(candidate)) {
                spec.launch.device = DeviceKind::Cuda; // as on these nodes
                QVERIFY(found->front().onDevice <= estimateMemory(spec, request.shape).onDevice());
            }
        }
    }

    void wantsAPriceForTheLowestCost()
    {
        SearchRequest request = requestFor("bert-base", "hgx-a100", 1, 64);
        request.objective = SearchObjective::Cost;
        const auto found = searchLayouts(request);
        QVERIFY(!found.ok());
        QCOMPARE(found.error().kind, ErrorKind::BadInput);
        QVERIFY(found.error().hint.find("price.per_hour") != std::string::npos);
    }

    void triesLayoutsThatFitOnceGradientsAreOnTheHost()
    {
        SearchRequest request = requestFor("gpt-175b", "p4d.24xlarge", 1, 64);
        request.spec.model.hidden = 8192;
        request.spec.model.intermediate = 4 * 8192;
        request.spec.model.heads = 64;
        request.spec.model.layers = 80;
        request.node.hostMemory = 2048 * kGiB;
        const auto found = searchLayouts(request);
        QVERIFY2(found.ok(), found.ok() ? "" : found.error().text().c_str());
        QVERIFY(found->front().spec.memory.offloadOptimizer);
    }

    void saysThatNothingDivides()
    {
        SearchRequest request = requestFor("bert-base", "hgx-a100", 1, 64);
        request.spec.model.heads = 1;
        request.spec.model.layers = 1;
        request.spec.batch.global = 7;
        const auto found = searchLayouts(request);
        QVERIFY(!found.ok() && found.error().message.find("global batch of 7") != std::string::npos);
    }

    void saysThatTheHostIsTooSmall()
    {
        SearchRequest request = requestFor("gpt-175b", "p4d.24xlarge", 4, 64);
        request.node.hostMemory = 8 * kGiB;
        const auto found = searchLayouts(request);
        QVERIFY(!found.ok());
        QVERIFY2(found.error().message.find("more host memory") != std::string::npos,
                 found.error().text().c_str());
    }

    // How long it takes: tests/bench/planner_times.
    void searches175BOn1024Devices()
    {
        SearchRequest request = requestFor("gpt-175b", "ndm-a100-v4", 128, 1536);
        request.shape = {2048, 0};
        const auto found = searchLayouts(request);
        QVERIFY(found.ok());
        QCOMPARE(found->size(), request.top);
        for (const auto& layout : *found)
            QCOMPARE(layout.spec.layout.worldSize(), 1024);
    }
};

QTEST_APPLESS_MAIN(TestLayoutSearch)
#include "tst_layout_search.moc"
