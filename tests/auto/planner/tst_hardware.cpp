#include <QRegularExpression>
#include <QTest>

#include "engine/planner/hardware/hardware_json.h"
#include "engine/planner/hardware/hardware_presets.h"
#include "engine/planner/hardware/node_fit.h"

using namespace trainyard;

namespace {

NodeModel calibratedNode()
{
    NodeModel node = *nodePreset("hgx-a100");
    NodeCalibration& calibration = node.calibration.emplace();
    calibration = {.date = "2026-01-31",
                   .hosts = {"node1", "node2"},
                   .errorBand = 0.25,
                   .measuredRuns = 3,
                   .runs = {"r1", "r2", "r3"}};
    calibration.coefficients.factors[static_cast<std::size_t>(TimeFactor::Launches)] = 1.5;
    return node;
}

} // namespace

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
        QTest::addRow("hgx-h200") << 8 << 140.0;    // of "141 GB" the driver reports 143,771 MiB
        QTest::addRow("hgx-b200") << 8 << 179.0;    // 183,359 MiB
        QTest::addRow("gb200-nvl72") << 4 << 185.0; // 189,471 MiB
        QTest::addRow("mi300x") << 8 << 191.0;
        QTest::addRow("l40s") << 8 << 45.0; // 46,068 MiB, with error correction
        QTest::addRow("rtx-4090") << 2 << 23.5;
        QTest::addRow("rtx-5090") << 2 << 31.5;
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

    void keepsHowAProcessorMultiplies()
    {
        NodeModel node = *nodePreset("cpu-node");
        node.math = ProcessorMath{NarrowProducts::Widened, NarrowProducts::Portable};
        const std::string json = toJson(node);
        QVERIFY(parseNode(json).node == node);
        QCOMPARE(onHardware({.ranks = 1}, node, DeviceKind::Cpu).math, node.math);
        node.sharesMemory = false; // its accelerators compute
        QVERIFY(!onHardware({.ranks = 1}, node, DeviceKind::Cuda).math);
        QByteArray wrong = QByteArray::fromStdString(json);
        const Diagnostics found = parseNode(wrong.replace("widened", "wide").toStdString()).diagnostics;
        QCOMPARE(found.size(), std::size_t{1});
        QCOMPARE(found.front().path, "narrow_products.bfloat16");
    }

    void keepsWhatWasCalibrated()
    {
        const ParsedNode parsed = parseNode(toJson(calibratedNode()));
        QVERIFY(parsed.diagnostics.empty());
        QVERIFY(parsed.node == calibratedNode());
        QCOMPARE(parsed.node.calibration->bandOf(1.0).most, 1.25);
        QCOMPARE(parsed.node.calibration->bandOf(1.0).least, 0.8);
    }

    void namesWhatIsWrongWithACalibration_data()
    {
        QTest::addColumn<QByteArray>("before");
        QTest::addColumn<QByteArray>("after");
        QTest::addRow("calibration.error_band") << QByteArray("0.25") << QByteArray("-0.25");
        QTest::addRow("calibration.measured_runs") << QByteArray(R"(runs": 3)") << QByteArray(R"(runs": -3)");
        QTest::addRow("calibration.hosts") << QByteArray(R"("node1")") << QByteArray("1");
        QTest::addRow("calibration.factors.launches") << QByteArray("1.5") << QByteArray("0");
        QTest::addRow("calibration.factors.lunches") << QByteArray("launches") << QByteArray("lunches");
    }
    void namesWhatIsWrongWithACalibration()
    {
        QFETCH(QByteArray, before);
        QFETCH(QByteArray, after);
        QByteArray json = QByteArray::fromStdString(toJson(calibratedNode()));
        QVERIFY2(json.contains(before), json.constData());
        const Diagnostics found = parseNode(json.replace(before, after).toStdString()).diagnostics;
        QCOMPARE(found.size(), std::size_t{1});
        QCOMPARE(found.front().path, std::string(QTest::currentDataTag()));
    }

    void namesEveryWrongField_data()
    {
        QTest::addColumn<QByteArray>("before");
        QTest::addColumn<QByteArray>("after");
        QTest::addRow("device.memroy") << QByteArray(R"("processors": 108)") << QByteArray(R"("memroy": 1)");
        QTest::addRow("device.memory") << QByteArray(R"("80 GiB")") << QByteArray(R"("0 B")");
        QTest::addRow("device.product_efficiency")
            << QByteArray(R"("product_efficiency": 0.85)") << QByteArray(R"("product_efficiency": 2)");
        QTest::addRow("device.kernel_time") << QByteArray("5e-06") << QByteArray("-5e-06");
        QTest::addRow("device.processors") << QByteArray("108") << QByteArray("-1");
        QTest::addRow("devices") << QByteArray(R"("devices": 8)") << QByteArray(R"("devices": 0)");
        QTest::addRow("device_links.latency")
            << QByteArray(R"("latency": 1e-05)") << QByteArray(R"("latency": -1)");
        QTest::addRow("device_links.groups") << QByteArray(R"("ranks": 2)") << QByteArray(R"("ranks": 6)");
        QTest::addRow("price.per_hour")
            << QByteArray(R"("per_hour": 0.0)") << QByteArray(R"("per_hour": -1)");
        QTest::addRow("price.currency")
            << QByteArray(R"("currency": "USD")") << QByteArray(R"("currency": "")");
    }
    void namesEveryWrongField()
    {
        QFETCH(QByteArray, before);
        QFETCH(QByteArray, after);
        QByteArray json = QByteArray::fromStdString(toJson(*nodePreset("hgx-a100")));
        QVERIFY2(json.contains(before), json.constData());
        json.replace(json.indexOf(before), before.size(), after);
        const Diagnostics found = parseNode(json.toStdString()).diagnostics;
        QCOMPARE(found.size(), std::size_t{1});
        QCOMPARE(found.front().path, std::string(QTest::currentDataTag()));
    }

    // A plan with them would not be finite.
    void refusesRatesOfNoMachine_data()
    {
        QTest::addColumn<QByteArray>("key");
        QTest::addColumn<QByteArray>("value");
        QTest::addRow("device.memory_bandwidth") << QByteArray("memory_bandwidth") << QByteArray("1e-300");
        QTest::addRow("host_link") << QByteArray("host_link") << QByteArray("1e300");
        QTest::addRow("device.product_efficiency")
            << QByteArray("product_efficiency") << QByteArray("1e-300");
        QTest::addRow("device.kernel_time") << QByteArray("kernel_time") << QByteArray("1e300");
        QTest::addRow("price.per_hour") << QByteArray("per_hour") << QByteArray("1e308");
    }
    void refusesRatesOfNoMachine()
    {
        QFETCH(QByteArray, key);
        QFETCH(QByteArray, value);
        QString json = QString::fromStdString(toJson(*nodePreset("hgx-a100")));
        const QRegularExpression member("\"" + key + "\": [^,\n]*");
        QVERIFY(json.contains(member));
        json.replace(member, "\"" + key + "\": " + value);
        const Diagnostics found = parseNode(json.toStdString()).diagnostics;
        QCOMPARE(found.size(), std::size_t{1});
        QCOMPARE(found.front().path, std::string(QTest::currentDataTag()));
    }

    void wantsEachSizeOfALinkOnce()
    {
        NodeModel node = *nodePreset("hgx-a100");
        node.network.points = {{kMiB, 1e9}, {kMiB, 2e9}};
        const Diagnostics found = parseNode(toJson(node)).diagnostics;
        QCOMPARE(found.size(), std::size_t{1});
        QCOMPARE(found.front().path, "network.points");
    }

    void namesEveryPartThatIsMissing()
    {
        QStringList paths;
        for (const Diagnostic& diagnostic : parseNode("{}").diagnostics)
            paths << QString::fromStdString(diagnostic.path);
        QCOMPARE(paths, (QStringList{"device", "device_links", "network", "host_link", "host_memory",
                                     "host_bandwidth"}));
        QCOMPARE(parseNode("{").diagnostics.size(), std::size_t{1});
        const Diagnostics nested = parseNode(R"({"name": )" + std::string(300'000, '[')).diagnostics;
        QCOMPARE(nested.size(), std::size_t{1});
        QVERIFY(nested.front().message.find("nests deeper") != std::string::npos);
    }

    void wantsListsWhereThereAreSeveral_data()
    {
        QTest::addColumn<QByteArray>("points");
        QTest::addRow("number") << QByteArray("5");
        QTest::addRow("object") << QByteArray(R"({"size": "1 MiB", "bandwidth": 1e9})");
        QTest::addRow("numbers") << QByteArray("[5]");
        QTest::addRow("empty") << QByteArray("[]");
        QTest::addRow("null") << QByteArray("null");
    }
    void wantsListsWhereThereAreSeveral()
    {
        QFETCH(QByteArray, points);
        const std::string json =
            (R"({"network": {"points": )" + points + R"(, "groups": "x"}})").toStdString();
        int complaints = 0;
        for (const Diagnostic& diagnostic : parseNode(json).diagnostics)
            complaints +=
                diagnostic.path.rfind("network.points", 0) == 0 || diagnostic.path == "network.groups";
        QVERIFY(complaints >= 2);
    }

    void interpolatesLinksBetweenMeasuredSizes()
    {
        const LinkTable table{1e-5, {{kMiB, 20e9}, {3 * kMiB, 60e9}}, {{2, 0.5}}};
        QCOMPARE(table.bandwidth(2.0 * kMiB, 8), 40e9);
        QCOMPARE(table.bandwidth(1.0, 8), 20e9);
        QCOMPARE(table.bandwidth(1e12, 8), 60e9);
        QCOMPARE(table.bandwidth(1e12, 2), 30e9);
    }

    void knowsWhatFitsOnANode()
    {
        const NodeModel node = *nodePreset("p4d.24xlarge"); // 40 GiB a device, 1152 GiB for 8 ranks
        const auto ranksOn = [](const NodeModel& hardware, int ranks, DeviceKind device = DeviceKind::Auto) {
            return onHardware({.host = "a", .ranks = ranks}, hardware, device);
        };
        QVERIFY(ranksOn(node, 8).holds({36 * kGiB, 144 * kGiB}));
        QVERIFY(!ranksOn(node, 8).holds({38 * kGiB, 0}));
        QVERIFY(!ranksOn(node, 8).holds({36 * kGiB, 145 * kGiB}));
        QVERIFY(ranksOn(node, 7).holds({36 * kGiB, 145 * kGiB}));
        QVERIFY(ranksOn(node, 8, DeviceKind::Cpu).holds({38 * kGiB, 0}));
        const NodeModel shared = *nodePreset("cpu-node"); // 128 GiB for 32 ranks
        QVERIFY(ranksOn(shared, 32).holds({2 * kGiB, kGiB}));
        QVERIFY(!ranksOn(shared, 32).holds({2 * kGiB, 2 * kGiB}));
        QCOMPARE(onHardware({"a", 8, 3 * kGiB}, node, DeviceKind::Auto).perRank, 3 * kGiB); // promised
    }

    void letsTheSlowestNodeGovern()
    {
        const NodeModel fast = *nodePreset("ndm-a100-v4");
        const NodeModel slow = *nodePreset("p3dn.24xlarge");
        const ClusterModel cluster{{{fast, 3}, {slow, 1}}};
        const NodeModel governing = cluster.governing(ComputeType::BFloat16);
        QCOMPARE(governing.device.peak.of(ComputeType::BFloat16), slow.device.peak.bfloat16);
        QCOMPARE(governing.device.memory, 32 * kGiB);
        QCOMPARE(governing.network.bandwidth(1e9, 16), slow.network.bandwidth(1e9, 16));
        QCOMPARE(cluster.devices(), 32);
        QCOMPARE(governing.name, std::string("ndm-a100-v4, p3dn.24xlarge"));
        QCOMPARE(governing.price.date, std::min(fast.price.date, slow.price.date));
        const auto peak = [](const NodeModel& node) { return node.device.peak.of(ComputeType::Float16); };
        QCOMPARE(cluster.meanPeak(ComputeType::Float16), (3 * peak(fast) + peak(slow)) / 4);
        QCOMPARE(cluster.pricePerHour(), 3 * fast.price.perHour + slow.price.perHour);
        NodeModel other = slow;
        other.price.currency = "EUR";
        QCOMPARE((ClusterModel{{{fast, 1}, {other, 1}}}).pricePerHour(), 0.0);
        other.price = {};
        QCOMPARE((ClusterModel{{{fast, 1}, {other, 1}}}).pricePerHour(), 0.0);
        QVERIFY(clusterOf(fast, 2).governing(ComputeType::Float16) == fast);
        const NodeModel calibrated = calibratedNode();
        QVERIFY((ClusterModel{{{fast, 1}, {calibrated, 1}}}).governing(ComputeType::Float16).calibration ==
                calibrated.calibration);
    }

    // A V100 has no bfloat16 and a Gaudi no fast float16.
    void asksForTheTypeThatComputes()
    {
        const NodeModel v100 = *nodePreset("p3dn.24xlarge");
        const NodeModel gaudi = *nodePreset("dl1.24xlarge");
        const ClusterModel cluster{{{v100, 1}, {gaudi, 1}}};
        QVERIFY(cluster.governing(ComputeType::BFloat16).device.peak == v100.device.peak);
        QVERIFY(cluster.governing(ComputeType::Float16).device.peak == gaudi.device.peak);
        QCOMPARE(cluster.governing(ComputeType::Float16).network.latency, gaudi.network.latency);
    }

    // NVLink as a hybrid cube mesh: two V100 share one or two links of 25 GB/s, eight all their links. Of two
    // A100 each has its whole bandwidth to the switch.
    void givesPairsTheLinksThatTheyShare()
    {
        const double large = 1024.0 * kMiB;
        for (const char* name : {"p3.16xlarge", "p3dn.24xlarge"}) {
            const LinkTable links = nodePreset(name)->deviceLinks;
            QVERIFY2(links.bandwidth(large, 2) <= 50e9, name);
            QVERIFY2(links.bandwidth(large, 4) > 2 * links.bandwidth(large, 2), name);
        }
        QVERIFY(nodePreset("p4d.24xlarge")->deviceLinks.bandwidth(large, 2) > 150e9);
    }

    // What of EFA's line rate collectives reach is the same on every node that has it and lets devices use
    // it.
    void givesEfaTheSameShareOfItsLineRate_data()
    {
        QTest::addColumn<double>("gigabits");
        QTest::addRow("p3dn.24xlarge") << 100.0;
        QTest::addRow("p4d.24xlarge") << 400.0;
        QTest::addRow("p4de.24xlarge") << 400.0;
    }
    void givesEfaTheSameShareOfItsLineRate()
    {
        QFETCH(double, gigabits);
        const NodeModel node = *nodePreset(QTest::currentDataTag());
        QCOMPARE(node.network.bandwidth(1e9, 16), 0.65 * gigabits * 1e9 / 8);
    }

    // Dense, from the data sheets that the files name; matrix products in float64 run on tensor cores from
    // A100 on, those in float32 without TF32. GeForce adds up in float32 at half the rate.
    void hasThePeaksOfTheDataSheets_data()
    {
        QTest::addColumn<double>("float64");
        QTest::addColumn<double>("float32");
        QTest::addColumn<double>("bfloat16");
        QTest::addColumn<double>("float16");
        QTest::addColumn<double>("memoryBandwidth");
        QTest::addRow("p3.16xlarge") << 7.8 << 15.7 << 15.7 << 125.0 << 0.9;
        QTest::addRow("p3dn.24xlarge") << 7.8 << 15.7 << 15.7 << 125.0 << 0.9;
        QTest::addRow("p4d.24xlarge") << 19.5 << 19.5 << 312.0 << 312.0 << 1.555;
        QTest::addRow("p4de.24xlarge") << 19.5 << 19.5 << 312.0 << 312.0 << 2.039;
        QTest::addRow("ndm-a100-v4") << 19.5 << 19.5 << 312.0 << 312.0 << 2.039;
        QTest::addRow("hgx-a100") << 19.5 << 19.5 << 312.0 << 312.0 << 2.039;
        QTest::addRow("hgx-h100") << 67.0 << 67.0 << 989.0 << 989.0 << 3.35;
        QTest::addRow("hgx-h200") << 67.0 << 67.0 << 989.0 << 989.0 << 4.8;
        QTest::addRow("hgx-b200") << 296.0 / 8 << 600.0 / 8 << 36000.0 / 8 / 2 << 36000.0 / 8 / 2 << 7.7;
        QTest::addRow("gb200-nvl72") << 2880.0 / 72 << 5760.0 / 72 << 360e3 / 72 / 2 << 360e3 / 72 / 2
                                     << 576.0 / 72;
        QTest::addRow("mi300x") << 163.4 << 163.4 << 1307.4 << 1307.4 << 5.3;
        QTest::addRow("l40s") << 1.43 << 91.6 << 362.0 << 362.0 << 0.864;
        QTest::addRow("rtx-4090") << 1.29 << 82.6 << 165.2 << 165.2 << 1.008;
        QTest::addRow("rtx-5090") << 1.64 << 104.8 << 209.5 << 209.5 << 1.792;
    }
    void hasThePeaksOfTheDataSheets()
    {
        const DeviceModel device = nodePreset(QTest::currentDataTag())->device;
        const auto inTera = [](double rate) { return rate * 1e-12; };
        QTEST(inTera(device.peak.float64), "float64");
        QTEST(inTera(device.peak.float32), "float32");
        QTEST(inTera(device.peak.bfloat16), "bfloat16");
        QTEST(inTera(device.peak.float16), "float16");
        QTEST(inTera(device.memoryBandwidth), "memoryBandwidth");
    }
};

QTEST_APPLESS_MAIN(TestHardware)
#include "tst_hardware.moc"
