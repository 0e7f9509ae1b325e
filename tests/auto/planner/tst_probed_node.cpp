#include <QTest>

#include <algorithm>
#include <cmath>
#include <random>

#include "engine/planner/calibration/probe_json.h"
#include "engine/planner/calibration/probe_plan.h"
#include "engine/planner/calibration/probe_time.h"
#include "engine/planner/calibration/probed_node.h"
#include "engine/planner/hardware/hardware_json.h"
#include "engine/planner/hardware/hardware_presets.h"
#include "engine/spec/names.h"
#include "engine/spec/presets.h"

using namespace trainyard;

namespace {

RunSpec bertLarge()
{
    RunSpec spec;
    spec.model = *modelPreset("bert-large");
    spec.batch.micro = 8;
    spec.precision.compute = ComputeType::BFloat16;
    return spec;
}

/// A preset of which everything can be seen from outside.
NodeModel knownNode(const char* name)
{
    NodeModel node = *nodePreset(name);
    node.deviceLinks.groups.clear();
    node.network.groups.clear();
    node.hostLink = 2e10;
    return node;
}

ProbedHardware hardwareOf(const NodeModel& node, int hosts)
{
    ProbedHardware hardware{.device = node.device.name,
                            .deviceMemory = node.device.memory,
                            .processors = node.device.processors,
                            .hostMemory = node.hostMemory,
                            .hosts = {},
                            .ranksPerHost = node.devices};
    for (int host = 1; host <= hosts; ++host)
        hardware.hosts.push_back("node" + std::to_string(host));
    return hardware;
}

/// What probes would find on such nodes; `noise`: of each one's time, a share.
ProbeReport probesOn(const NodeModel& node, int hosts, double noise = 0)
{
    ProbeReport report{hardwareOf(node, hosts), ComputeType::BFloat16, {}};
    report.probes = plannedProbes(bertLarge(), report.hardware);
    std::mt19937 random(7);
    std::normal_distribution<double> error(0, noise);
    for (Probe& probe : report.probes) {
        probe.seconds = predictedTime(probe, report.hardware, node) * std::exp(noise > 0 ? error(random) : 0);
        probe.spread = noise;
    }
    return report;
}

NodeModel recovered(const ProbeReport& report)
{
    const auto node = probedNode(report, "2026-01-31");
    if (!node.ok())
        qFatal("%s", node.error().text().c_str());
    return *node;
}

double relativeError(double value, double truth)
{
    return std::abs(value / truth - 1);
}

double rateOf(const DeviceModel& device, ComputeType type)
{
    return device.peak.of(type) * device.productEfficiency;
}

} // namespace

class TestProbedNode : public QObject {
    Q_OBJECT

private slots:
    void plansAFewShortProbes_data()
    {
        QTest::addColumn<QString>("preset");
        QTest::addColumn<int>("hosts");
        QTest::addColumn<int>("probes");
        QTest::addRow("one rank") << "" << 1 << 17;
        QTest::addRow("one host") << "hgx-a100" << 1 << 24;
        QTest::addRow("hosts") << "hgx-a100" << 4 << 31;
        QTest::addRow("processors") << "cpu-node" << 4 << 31;
    }
    void plansAFewShortProbes()
    {
        QFETCH(QString, preset);
        QFETCH(int, hosts);
        NodeModel node = knownNode(preset.isEmpty() ? "cpu-node" : preset.toUtf8().constData());
        if (preset.isEmpty())
            node.devices = 1;
        const ProbeReport report = probesOn(node, hosts);
        QTEST(static_cast<int>(report.probes.size()), "probes");
        double seconds = 0;
        for (const Probe& probe : report.probes) {
            QVERIFY2(probe.seconds > 0, probe.text().c_str());
            seconds += probe.seconds;
        }
        QVERIFY2(seconds < 3, std::to_string(seconds).c_str()); // once each
    }

    void recoversANodeFromItsProbes_data()
    {
        QTest::addColumn<double>("noise");
        QTest::addColumn<double>("within");
        for (const char* preset : {"hgx-a100", "hgx-h100", "cpu-node"}) {
            QTest::addRow("%s, exact", preset) << 0.0 << 0.03;
            QTest::addRow("%s, 3 %% off", preset) << 0.03 << 0.1;
        }
    }
    void recoversANodeFromItsProbes()
    {
        QFETCH(double, noise);
        QFETCH(double, within);
        const QByteArray preset = QByteArray(QTest::currentDataTag()).split(',').first();
        const NodeModel truth = knownNode(preset.constData());
        const NodeModel node = recovered(probesOn(truth, 4, noise));
        for (const ComputeType type : {ComputeType::Float32, ComputeType::BFloat16})
            QVERIFY2(relativeError(rateOf(node.device, type), rateOf(truth.device, type)) < within + 0.02,
                     nameOf(type).data());
        QVERIFY(relativeError(node.device.memoryBandwidth, truth.device.memoryBandwidth) < within);
        QVERIFY(relativeError(node.device.memoryBandwidth * node.device.trafficEfficiency,
                              truth.device.memoryBandwidth * truth.device.trafficEfficiency) < within);
        QVERIFY(relativeError(node.hostLink, truth.hostLink) < within);
        QVERIFY(relativeError(node.hostBandwidth, truth.hostBandwidth) < within);
        const double size = 8.0 * kMiB;
        QVERIFY(relativeError(node.deviceLinks.bandwidth(size, truth.devices),
                              truth.deviceLinks.bandwidth(size, truth.devices)) < 2 * within);
        QVERIFY(relativeError(node.network.bandwidth(size, 4), truth.network.bandwidth(size, 4)) <
                2 * within);
        QCOMPARE(node.devices, truth.devices);
        QCOMPARE(node.sharesMemory, truth.sharesMemory);
    }

    void predictsProductsThatWereNotProbed()
    {
        const NodeModel truth = knownNode("hgx-a100");
        const NodeModel node = recovered(probesOn(truth, 1));
        for (const double rows : {1000.0, 4096.0, 30000.0}) {
            const MatrixProduct product{rows, 4096, 2048};
            const double found = productTime(product, node.device, ComputeType::BFloat16).arithmetic;
            const double right = productTime(product, truth.device, ComputeType::BFloat16).arithmetic;
            QVERIFY2(relativeError(found, right) < 0.03, std::to_string(found / right).c_str());
        }
    }

    void isLessSureOfWhatVaries()
    {
        const NodeModel truth = knownNode("hgx-a100");
        const double exact = recovered(probesOn(truth, 4)).calibration->errorBand;
        const double noisy = recovered(probesOn(truth, 4, 0.2)).calibration->errorBand;
        QVERIFY(exact >= kModelError);
        QVERIFY(exact < 1.5 * kModelError);
        QVERIFY(noisy > 0.2);
    }

    void boundsNothingByWhatWasNotProbed()
    {
        NodeModel single = knownNode("cpu-node");
        single.devices = 1;
        const NodeModel node = recovered(probesOn(single, 1));
        QCOMPARE(node.deviceLinks.points.front().bandwidth, node.device.memoryBandwidth);
        QCOMPARE(node.network.points.front().bandwidth, kUnknownNetwork);
    }

    void isHardwareLikeAnyOther()
    {
        const NodeModel node = recovered(probesOn(knownNode("hgx-a100"), 2));
        const ParsedNode parsed = parseNode(toJson(node));
        for (const Diagnostic& problem : parsed.diagnostics)
            qWarning("%s", problem.text().c_str());
        QVERIFY(parsed.diagnostics.empty());
        QVERIFY(parsed.node == node);
        QCOMPARE(parsed.node.calibration->hosts, (std::vector<std::string>{"node1", "node2"}));
    }

    void namesWhatIsMissing_data()
    {
        QTest::addColumn<ProbeKind>("kind");
        QTest::addColumn<QByteArray>("name");
        QTest::addRow("product") << ProbeKind::Product << QByteArray("no product in float64");
        QTest::addRow("traffic") << ProbeKind::Traffic << QByteArray("no traffic");
        QTest::addRow("elementwise") << ProbeKind::Elementwise << QByteArray("no elementwise");
        QTest::addRow("launch") << ProbeKind::Launch << QByteArray("no launch");
        QTest::addRow("copy") << ProbeKind::HostCopy << QByteArray("no host-copy");
    }
    void namesWhatIsMissing()
    {
        QFETCH(ProbeKind, kind);
        QFETCH(QByteArray, name);
        ProbeReport report = probesOn(knownNode("hgx-a100"), 1);
        std::erase_if(report.probes, [kind](const Probe& probe) { return probe.kind == kind; });
        const auto node = probedNode(report, "2026-01-31");
        QVERIFY(!node.ok());
        QVERIFY2(node.error().message.find(name.toStdString()) != std::string::npos,
                 node.error().message.c_str());
        QVERIFY(!probedNode({report.hardware, ComputeType::Float32, {}}, "2026-01-31").ok());
    }

    void readsWhatAHostWrote()
    {
        ProbeReport report = probesOn(knownNode("cpu-node"), 2, 0.1);
        report.hardware.math = ProcessorMath{NarrowProducts::Widened, NarrowProducts::Portable};
        const auto parsed = parseProbeReport(toJson(report));
        QVERIFY2(parsed.ok(), parsed.ok() ? "" : parsed.error().text().c_str());
        QVERIFY(*parsed == report);
        QVERIFY(probedNode(*parsed, "2026-01-31")->math == report.hardware.math);
    }

    void namesEveryWrongField_data()
    {
        QTest::addColumn<QByteArray>("before");
        QTest::addColumn<QByteArray>("after");
        QTest::addRow("probes[0].kind") << QByteArray(R"("product")") << QByteArray(R"("produce")");
        QTest::addRow("probes[0].reach") << QByteArray(R"("device")") << QByteArray(R"("moon")");
        QTest::addRow("probes[0].seconds") << QByteArray(R"("seconds": )") << QByteArray(R"("seconds": -)");
        QTest::addRow("probes[0].rows") << QByteArray(R"("rows": 1024.0)") << QByteArray(R"("rows": 0)");
        QTest::addRow("hardware.hosts") << QByteArray(R"(["node1"])") << QByteArray("5");
        QTest::addRow("hardware.ranks_per_host")
            << QByteArray(R"("ranks_per_host": 32)") << QByteArray(R"("ranks_per_host": 0)");
    }
    void namesEveryWrongField()
    {
        QFETCH(QByteArray, before);
        QFETCH(QByteArray, after);
        QByteArray json = QByteArray::fromStdString(toJson(probesOn(knownNode("cpu-node"), 1))).simplified();
        json.replace("[ \"", "[\"").replace("\" ]", "\"]");
        const auto at = json.indexOf(before, before.contains("device") ? json.indexOf("probes") : 0);
        QVERIFY2(at >= 0, json.left(600).constData());
        const auto parsed = parseProbeReport(json.replace(at, before.size(), after).toStdString());
        QVERIFY(!parsed.ok());
        QVERIFY2(parsed.error().text().find(QTest::currentDataTag()) != std::string::npos,
                 parsed.error().text().c_str());
        QVERIFY(!parseProbeReport("{").ok());
        const auto nested = parseProbeReport(R"({"type": )" + std::string(1'000'000, '['));
        QVERIFY(!nested.ok());
        QVERIFY(nested.error().message.find("nests deeper") != std::string::npos);
    }

    void holdsNoLargeMatrixHoweverLongTheSequence_data()
    {
        QTest::addColumn<QString>("preset");
        QTest::addColumn<double>("most");
        QTest::addRow("accelerator") << "hgx-a100" << 1.1e9;
        QTest::addRow("processor") << "cpu-node" << 2.7e8;
    }
    void holdsNoLargeMatrixHoweverLongTheSequence()
    {
        QFETCH(QString, preset);
        QFETCH(double, most);
        RunSpec spec = bertLarge();
        spec.model.maxPositions = 131072;
        for (const Probe& probe :
             plannedProbes(spec, hardwareOf(knownNode(preset.toUtf8().constData()), 1))) {
            const MatrixProduct& product = probe.product;
            const double largest = std::max({product.rows * product.columns, product.rows * product.depth,
                                             product.columns * product.depth});
            const double bytes = 4 * product.copies * largest;
            QVERIFY2(bytes <= most, qPrintable(QString("%1: %2").arg(probe.text().c_str()).arg(bytes)));
        }
    }

    void refusesTalkWithNobody()
    {
        ProbeReport report = probesOn(knownNode("hgx-a100"), 2);
        report.hardware.hosts.resize(1);
        QCOMPARE(probedNode(report, "2026-01-31").error().kind, ErrorKind::BadInput);
        report = probesOn(knownNode("hgx-a100"), 1);
        report.hardware.ranksPerHost = 1;
        QCOMPARE(probedNode(report, "2026-01-31").error().kind, ErrorKind::BadInput);
    }
};

QTEST_APPLESS_MAIN(TestProbedNode)
#include "tst_probed_node.moc"
