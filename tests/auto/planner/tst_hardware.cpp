#include <QTest>

#include "engine/planner/hardware/hardware_json.h"
#include "engine/planner/hardware/hardware_presets.h"

using namespace trainyard;

class TestHardware : public QObject {
    Q_OBJECT

private slots:
    void hasANodeForEveryPublishedSystem_data()
    {
        QTest::addColumn<int>("devices");
        QTest::addColumn<double>("gibibytes");
        QTest::addRow("dl1.24xlarge") << 8 << 32.0;
        QTest::addRow("p3.16xlarge") << 8 << 16.0;
        QTest::addRow("p3dn.24xlarge") << 8 << 32.0;
        QTest::addRow("p4d.24xlarge") << 8 << 40.0;
        QTest::addRow("p4de.24xlarge") << 8 << 80.0;
        QTest::addRow("ndm-a100-v4") << 8 << 80.0;
        QTest::addRow("hgx-a100") << 8 << 80.0;
        QTest::addRow("hgx-h100") << 8 << 80.0;
        QTest::addRow("hgx-h200") << 8 << 141.0;
        QTest::addRow("cpu-node") << 32 << 4.0;
    }
    void hasANodeForEveryPublishedSystem()
    {
        const auto node = nodePreset(QTest::currentDataTag());
        QVERIFY(node.has_value());
        QTEST(node->devices, "devices");
        QTEST(static_cast<double>(node->device.memory) / static_cast<double>(kGiB), "gibibytes");
        QVERIFY(!node->device.peak.source.empty());
        QVERIFY(node->price.perHour == 0 || !node->price.date.empty());
    }

    void writesWhatItReads()
    {
        for (const std::string& name : nodePresetNames()) {
            const ParsedNode parsed = parseNode(toJson(*nodePreset(name)));
            QVERIFY2(parsed.diagnostics.empty(), name.c_str());
            QVERIFY2(parsed.node == *nodePreset(name), name.c_str());
        }
    }

    void namesEveryWrongField()
    {
        const Diagnostics found =
            parseNode(R"({"device": {"memroy": "80 GiB", "product_efficiency": 2, "memory_bandwidth": 0},
                          "device_links": {"points": []}, "host_link": 1, "host_bandwidth": 1})")
                .diagnostics;
        QStringList paths;
        for (const Diagnostic& diagnostic : found)
            paths << QString::fromStdString(diagnostic.path);
        QCOMPARE(paths, (QStringList{"device.memory_bandwidth", "device.product_efficiency", "device.memroy",
                                     "device_links.points"}));
        QCOMPARE(parseNode("{").diagnostics.size(), std::size_t{1});
    }

    void interpolatesLinksBetweenMeasuredSizes()
    {
        const LinkTable table{1e-5, {{kMiB, 20e9}, {3 * kMiB, 60e9}}, {{2, 0.5}}};
        QCOMPARE(table.bandwidth(2.0 * kMiB, 8), 40e9);
        QCOMPARE(table.bandwidth(1.0, 8), 20e9);
        QCOMPARE(table.bandwidth(1e12, 8), 60e9);
        QCOMPARE(table.bandwidth(1e12, 2), 30e9);
    }

    void letsTheSlowestNodeGovern()
    {
        const NodeModel fast = *nodePreset("ndm-a100-v4");
        const NodeModel slow = *nodePreset("p3dn.24xlarge");
        const ClusterModel cluster{{{fast, 3}, {slow, 1}}};
        const NodeModel governing = cluster.governing();
        QCOMPARE(governing.device.peak.of(ComputeType::BFloat16), slow.device.peak.bfloat16);
        QCOMPARE(governing.device.memory, 32 * kGiB);
        QVERIFY(governing.network == slow.network);
        QCOMPARE(cluster.devices(), 32);
        QCOMPARE(cluster.pricePerHour(), 3 * fast.price.perHour + slow.price.perHour);
        QVERIFY(clusterOf(fast, 2).governing() == fast);
    }
};

QTEST_APPLESS_MAIN(TestHardware)
#include "tst_hardware.moc"
