#include <QElapsedTimer>
#include <QTest>

#include <limits>
#include <set>

#include "engine/planner/hardware/hardware_presets.h"
#include "engine/planner/search/layout_candidates.h"
#include "engine/planner/search/layout_search.h"
#include "engine/spec/presets.h"

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
            QVERIFY(layout.pipeline == 1 || candidate.memory.zeroStage <= 1);
        }
        QCOMPARE(degrees.size(), std::size_t{10});
    }

    void findsNothingBetterByTryingAll()
    {
        SearchRequest request = requestFor("gpt2-xl", "hgx-a100", 1, 64);
        request.spec.model.heads = 20;
        const auto found = searchLayouts(request);
        QVERIFY(found.ok());
        double best = std::numeric_limits<double>::infinity();
        for (const RunSpec& candidate : layoutCandidates(request.spec, request.shape, 8, 8)) {
            for (const RunSpec& spec : memoryLadder(candidate)) {
                const auto needed = static_cast<double>(estimateMemory(spec, request.shape).onDevice());
                if (needed > 0.92 * static_cast<double>(request.node.device.memory))
                    continue;
                const auto model = StepModel::create(spec, request.shape, request.node);
                best = std::min(best, model->estimate().seconds);
            }
        }
        QVERIFY(found->front().time.seconds <= 1.01 * best);
        for (std::size_t i = 1; i < found->size(); ++i)
            QVERIFY((*found)[i].time.seconds >= (*found)[i - 1].time.seconds);
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
            QCOMPARE(estimateMemory(layout.spec, request.shape).onDevice(), layout.onDevice);
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

    void saysHowMuchIsMissing()
    {
        const auto found = searchLayouts(requestFor("gpt-1t", "p3.16xlarge", 1, 64));
        QVERIFY(!found.ok());
        QCOMPARE(found.error().kind, ErrorKind::Refused);
        QVERIFY(found.error().message.find("device's 16.0 GiB") != std::string::npos);
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
            for (const RunSpec& spec : memoryLadder(candidate))
                QVERIFY(found->front().onDevice <= estimateMemory(spec, request.shape).onDevice());
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
        QVERIFY2(found.error().message.find("host's memory") != std::string::npos,
                 found.error().text().c_str());
    }

    // The promise is for one core that has nothing else to do.
    void searches175BOn1024DevicesWithinASecond()
    {
        SearchRequest request = requestFor("gpt-175b", "ndm-a100-v4", 128, 1536);
        request.shape = {2048, 0};
        QElapsedTimer timer;
        timer.start();
        const auto found = searchLayouts(request);
        const qint64 elapsed = timer.elapsed();
        QVERIFY(found.ok());
        QCOMPARE(found->size(), request.top);
        qInfo("%lld ms", elapsed);
        QVERIFY(elapsed < 1000);
    }
};

QTEST_APPLESS_MAIN(TestLayoutSearch)
#include "tst_layout_search.moc"
