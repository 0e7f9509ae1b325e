#include <QTest>

#include "engine/planner/memory/memory_fit.h"

using namespace trainyard;

namespace {

RunSpec threeRanksOn(std::vector<NodeSpec> nodes)
{
    RunSpec spec;
    spec.layout.data = 3;
    spec.cluster.nodes = std::move(nodes);
    return spec;
}

std::optional<Bytes> unknown(std::size_t)
{
    return std::nullopt;
}

MemoryByCategory bytesOf(const RankNeed& need)
{
    MemoryByCategory bytes{};
    bytes[std::size_t(MemoryCategory::Weights)] = need.onDevice;
    bytes[std::size_t(MemoryCategory::Host)] = need.onHost;
    return bytes;
}

/// What is refused of ranks that all need that much; empty = nothing.
QString refusalOf(const std::vector<HostMemory>& hosts, const RankNeed& need)
{
    const auto shortage = memoryShortage(ParallelLayout(), hosts, {bytesOf(need)});
    return shortage ? QString::fromStdString(shortage->error().text()) : QString();
}

} // namespace

class TestMemoryFit : public QObject {
    Q_OBJECT

private slots:
    void dealsRanksToHostsInOrder()
    {
        const auto hosts = memoryOfHosts(threeRanksOn({{"a", 2, 0}, {"b", 4, 0}, {"c", 1, 0}}), unknown);
        QCOMPARE(hosts.size(), std::size_t{2});
        QCOMPARE(hosts[0].ranks, 2);
        QCOMPARE(hosts[1].ranks, 1);
        QVERIFY(!hosts[1].perRank);
    }

    void takesTheSmallerOfPromiseAndShare()
    {
        const RunSpec spec = threeRanksOn({{"a", 2, 3 * kGiB}, {"b", 4, 9 * kGiB}});
        const auto hosts = memoryOfHosts(spec, [](std::size_t) { return std::optional(8 * kGiB); });
        QCOMPARE(*hosts[0].perRank, 3 * kGiB); // promised; the share would be 4
        QCOMPARE(*hosts[1].perRank, 8 * kGiB); // one rank has the host alone, whatever was promised
    }

    void aRankWithADeviceHasItsMemory()
    {
        RunSpec spec = threeRanksOn({{"a", 2, 0}, {"b", 1, 0}});
        const NodeMemory memory(64 * kGiB, {16 * kGiB, 40 * kGiB});
        const auto hosts = [&] { return memoryOfHosts(spec, [&](std::size_t) { return memory; }); };
        spec.launch.device = DeviceKind::Cuda;
        QCOMPARE(*hosts()[0].perRank, 16 * kGiB); // the smaller of its two devices
        QVERIFY(hosts()[0].onDevices);
        QVERIFY(!memoryOfHosts(spec, [](std::size_t) { return std::optional(64 * kGiB); })[0].perRank);
        spec.launch.device = DeviceKind::Auto;
        QCOMPARE(*hosts()[0].perRank, 32 * kGiB); // it may end on the processor
        spec.launch.device = DeviceKind::Cpu;
        QCOMPARE(*hosts()[1].perRank, 64 * kGiB);
        QVERIFY(!hosts()[1].onDevices);
    }

    void refusesMoreRanksThanDevices()
    {
        RunSpec spec;
        spec.layout.data = 8;
        spec.cluster.nodes = {{"gpu-03", 8, 0}};
        spec.launch.device = DeviceKind::Cuda;
        const auto four = [](std::size_t) { return NodeMemory(64 * kGiB, std::vector<Bytes>(4, 80 * kGiB)); };
        const Status status = haveDevices(spec, four);
        QCOMPARE(status.error().kind, ErrorKind::Refused);
        for (const char* part : {"gpu-03 gets 8 ranks, but has 4 CUDA devices", "give it 4 slots"})
            QVERIFY2(status.error().text().find(part) != std::string::npos, status.error().text().c_str());
        spec.launch.device = DeviceKind::Auto;
        QVERIFY(haveDevices(spec, four).ok());
    }

    void namesTheTightestHostAndTheBytes()
    {
        const std::vector<HostMemory> hosts{{"a", 1, 4 * kGiB}, {"b", 2, 3 * kGiB}, {"c", 1, std::nullopt}};
        QCOMPARE(refusalOf(hosts, {3 * kGiB}), "");
        const QString refusal = refusalOf(hosts, {4 * kGiB, 1 * kGiB});
        for (const char* part : {"5.00 GiB", "b has 3.00 GiB for each of its 2 ranks", "batch.micro"})
            QVERIFY2(refusal.contains(part), qPrintable(refusal));
    }

    void letsPassWhatNobodyKnows()
    {
        QCOMPARE(refusalOf(memoryOfHosts(threeRanksOn({{"a", 3, 0}}), unknown), {1000 * kGiB}), "");
    }

    // Of a rank on a device the two needs lie in two memories, each with its own room.
    void judgesDeviceAndHostApart()
    {
        const HostMemory host{"a", 2, 10 * kGiB, true, 5 * kGiB};
        QCOMPARE(refusalOf({host}, {10 * kGiB, 5 * kGiB}), "");
        const QString offloaded = refusalOf({host}, {1 * kGiB, 6 * kGiB});
        QVERIFY2(offloaded.contains("need 6.00 GiB of host memory"), qPrintable(offloaded));
        HostMemory unknownMain = host;
        unknownMain.mainPerRank.reset();
        QCOMPARE(refusalOf({unknownMain}, {1 * kGiB, 6 * kGiB}), "");
    }

    void plansNoMoreThanTheUsableShare()
    {
        const std::vector<HostMemory> hosts{{"a", 1, 10 * kGiB, true, std::nullopt, 0.9}};
        QCOMPARE(refusalOf(hosts, {9 * kGiB}), "");
        const QString refusal = refusalOf(hosts, {9 * kGiB + 1});
        QVERIFY2(refusal.contains("10.0 GiB (9.00 GiB usable)"), qPrintable(refusal));
    }

    void holdsEachHostAgainstItsOwnStages()
    {
        ParallelLayout layout{.data = 2, .pipeline = 2, .placement = "PDT"}; // a stage on each host
        const std::vector<HostMemory> hosts{{"large", 2, 10 * kGiB}, {"small", 2, 4 * kGiB}};
        const auto shortageOf = [&](Bytes first, Bytes last) {
            return memoryShortage(layout, hosts, {bytesOf({first}), bytesOf({last})});
        };
        QVERIFY(!shortageOf(10 * kGiB, 4 * kGiB));
        const auto last = shortageOf(10 * kGiB, 5 * kGiB);
        QCOMPARE(last->host.host, "small");
        QCOMPARE(last->needed, 5 * kGiB);
        layout.placement = "DPT"; // both stages on each host
        QCOMPARE(shortageOf(10 * kGiB, 4 * kGiB)->needed, 10 * kGiB);
        layout.placement = "no placement"; // any rank may be anywhere
        QVERIFY(shortageOf(10 * kGiB, 4 * kGiB).has_value());
    }

    void aNodeWithoutSlotsIsNoHost()
    {
        const auto hosts = memoryOfHosts(threeRanksOn({{"a", 0, 0}, {"b", 2, 0}, {"c", 2, 0}}), unknown);
        QCOMPARE(hosts.size(), std::size_t{2});
        QCOMPARE(hosts[0].node, std::size_t{1});
        QCOMPARE(hosts[1].node, std::size_t{2});
    }
};

QTEST_APPLESS_MAIN(TestMemoryFit)
#include "tst_memory_fit.moc"
