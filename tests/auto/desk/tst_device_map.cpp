#include <limits>

#include <QTest>

#include "app/designer/model/cluster_labels.h"
#include "app/designer/model/memory_groups.h"
#include "app/plan/device_map.h"

using namespace trainyard;

namespace {

RunSpec specOf(std::vector<NodeSpec> nodes, int data, int pipeline, int tensor,
               const std::string& placement = "DPT")
{
    RunSpec spec;
    spec.cluster.nodes = std::move(nodes);
    spec.layout.data = data;
    spec.layout.pipeline = pipeline;
    spec.layout.tensor = tensor;
    spec.layout.placement = placement;
    return spec;
}

/// "0 1 | 2 3 -": ranks of every node's slots.
QString printRanks(const DeviceMap& map)
{
    QStringList nodes;
    for (const MappedNode& node : map.nodes()) {
        QStringList ranks;
        for (int i = node.firstDevice; i < node.firstDevice + node.shown; ++i)
            ranks << (map.device(i).isFree() ? "-" : QString::number(map.device(i).rank));
        nodes << ranks.join(' ');
    }
    return nodes.join(" | ");
}

QString printGroups(const DeviceMap& map, GroupAxis axis)
{
    QStringList groups;
    for (const MappedDevice& device : map.devices())
        groups << QString::number(device.groupOf(axis));
    return groups.join(' ');
}

/// At the peak, for which there must be room.
RankMemory weights(Bytes bytes)
{
    return {{}, {bytes}};
}

} // namespace

/// Which rank is on which device, and what every device holds.
class TestDeviceMap : public QObject {
    Q_OBJECT

private slots:
    void ranksFillTheNodesInTheirOrder()
    {
        QCOMPARE(printRanks(DeviceMap(specOf({{"a", 2}, {"b", 0}, {"c", 4}}, 5, 1, 1))), "0 1 |  | 2 3 4 -");
    }

    void groupsFollowThePlacement_data()
    {
        QTest::addColumn<QString>("placement");
        QTest::addColumn<QString>("data");
        QTest::addColumn<QString>("pipeline");
        QTest::addColumn<QString>("tensor");
        // By hand, for 2 x 2 x 2.
        QTest::addRow("cluster") << "cluster"
                                 << "0 1 2 3 0 1 2 3"
                                 << "0 1 0 1 2 3 2 3"
                                 << "0 0 1 1 2 2 3 3";
        QTest::addRow("spread") << "spread"
                                << "0 0 1 1 2 2 3 3"
                                << "0 1 0 1 2 3 2 3"
                                << "0 1 2 3 0 1 2 3";
    }
    void groupsFollowThePlacement()
    {
        QFETCH(QString, placement);
        const DeviceMap map(specOf({{"a", 8}}, 2, 2, 2, placement.toStdString()));
        QTEST(printGroups(map, GroupAxis::Data), "data");
        QTEST(printGroups(map, GroupAxis::Pipeline), "pipeline");
        QTEST(printGroups(map, GroupAxis::Tensor), "tensor");
    }

    void contextRanksAreOfTheSameDataGroup()
    {
        RunSpec spec = specOf({{"a", 8}}, 2, 2, 1);
        spec.layout.context = 2;
        const DeviceMap map(spec);
        QCOMPARE(printGroups(map, GroupAxis::Data), "0 1 0 1 0 1 0 1");
        QCOMPARE(map.widestSpread(GroupAxis::Data).size, 4);
        QVERIFY(describeDevice(map, groupMemory(map, {weights(1)}, {{"a", 8, {}}}), 2)
                    .contains("D 0 P 0 T 0 C 1"));
    }

    void tellsWhichGroupLeavesItsHost()
    {
        const DeviceMap map(specOf({{"a", 4}, {"b", 4}}, 2, 2, 2));
        QCOMPARE(map.widestSpread(GroupAxis::Tensor).hosts, 1);
        QCOMPARE(map.widestSpread(GroupAxis::Pipeline).hosts, 1);
        QCOMPARE(map.widestSpread(GroupAxis::Data).hosts, 2);
        QVERIFY(describePlacement(map, GroupAxis::Tensor, 2).contains("within one host"));
        QVERIFY(describePlacement(map, GroupAxis::Data, 0).contains("over the network"));
        QCOMPARE(describePartners(map, 0), "T of 2 on this host · P of 2 on this host · D of 2 on 2 hosts");
        QCOMPARE(map.sharedGroup(0, 1), GroupAxis::Tensor);
        QCOMPARE(map.sharedGroup(0, 2), GroupAxis::Pipeline);
        QCOMPARE(map.sharedGroup(0, 4), GroupAxis::Data);
        QVERIFY(!map.sharedGroup(0, 3));
        QVERIFY(!map.sharedGroup(0, 0));
    }

    void whateverIsTypedHasAMap_data()
    {
        QTest::addColumn<int>("number");
        for (const int number : {-1, 0, 1'000'000, std::numeric_limits<int>::max()})
            QTest::addRow("%d", number) << number;
    }
    void whateverIsTypedHasAMap()
    {
        QFETCH(int, number);
        const DeviceMap degrees(specOf({{"a", 2}}, number, number, number));
        QCOMPARE(printRanks(degrees), "- -");
        QVERIFY(describeCluster(degrees, groupMemory(degrees, {weights(1)}, {})).contains("no ranks"));
        const DeviceMap slotCounts(specOf({{"a", number}, {"b", number}}, 1, 1, 1));
        QVERIFY(slotCounts.devices().size() <= 2 * std::size_t(DeviceMap::kMaxListed));
        QVERIFY(DeviceMap(specOf({{"a", 2}}, 2, 1, 1, "DDT")).device(0).isFree());
    }

    void countsRanksWithoutASlot()
    {
        const DeviceMap map(specOf({{"a", 2}}, 6, 1, 1));
        QCOMPARE(map.homelessRanks(), 4);
        QVERIFY(describeCluster(map, {}).contains("4 ranks have no slot"));
    }

    void devicesThatHoldTheSameAreOneGroup()
    {
        const DeviceMap map(specOf({{"a", 4}, {"b", 4}}, 2, 2, 2)); // stage 0 on slots 0 and 1 of each
        const std::vector<HostMemory> hosts{{"a", 4, 10}, {"b", 4, 10}};
        const GroupedMemory equal = groupMemory(map, {weights(7), weights(7)}, hosts);
        QCOMPARE(equal.groups.size(), std::size_t(1));
        QCOMPARE(equal.groups[0].devices, 8);
        QCOMPARE(describeGroup(equal, equal.groups[0], map.layout()), "stages 0 to 1 · 8 devices");

        const GroupedMemory unequal = groupMemory(map, {weights(12), weights(7)}, hosts);
        QCOMPARE(unequal.groups.size(), std::size_t(2));
        QCOMPARE(describeGroup(unequal, unequal.groups[0], map.layout()), "stage 0 · 4 devices");
        QVERIFY(!unequal.groups[0].fits());
        QVERIFY(unequal.groups[1].fits());
        QCOMPARE(unequal.ofDevice, (std::vector{0, 0, 1, 1, 0, 0, 1, 1}));
        QVERIFY(describeCluster(map, unequal).contains("4 devices are too small"));
    }

    void ranksWithSeveralStagesAreCalledPipelineRanks()
    {
        RunSpec spec = specOf({{"a", 2}}, 1, 2, 1);
        spec.layout.virtualStages = 2;
        const DeviceMap map(spec);
        const GroupedMemory memory = groupMemory(map, {weights(2), weights(1)}, {{"a", 2, 10}});
        QCOMPARE(describeGroup(memory, memory.groups[1], map.layout()), "pipeline rank 1 · 1 device");
    }

    void unequalHostsAreToldApart()
    {
        const DeviceMap map(specOf({{"large", 2}, {"small", 2}}, 2, 2, 1));
        const GroupedMemory memory =
            groupMemory(map, {weights(7), weights(7)}, {{"large", 2, 80}, {"small", 2, 4}});
        QCOMPARE(memory.groups.size(), std::size_t(2));
        QCOMPARE(describeGroup(memory, memory.groups[1], map.layout()), "stages 0 to 1 · small · 2 devices");
        QVERIFY(capacityText(memory.groups[1]).startsWith("✕ "));
    }

    void whatIsOffloadedNeedsNoDevice()
    {
        const DeviceMap map(specOf({{"a", 1}}, 1, 1, 1));
        RankMemory bytes = weights(7);
        bytes.peak[std::size_t(MemoryCategory::Host)] = 5;
        QCOMPARE(groupMemory(map, {bytes}, {{"a", 1, 10, true}}).groups[0].needed, Bytes(7));
        QCOMPARE(groupMemory(map, {bytes}, {{"a", 1, 10, false}}).groups[0].needed, Bytes(12));
    }
};

QTEST_APPLESS_MAIN(TestDeviceMap)
#include "tst_device_map.moc"
