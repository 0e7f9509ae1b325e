#include <QTest>

#include "engine/planner/explain/plan_problems.h"
#include "engine/planner/explain/precision_remarks.h"
#include "engine/planner/memory/memory_model.h"

using namespace trainyard;

namespace {

constexpr ProcessorMath kAvx512{NarrowProducts::Widened, NarrowProducts::Portable};

RunSpec bfloat16Spec()
{
    RunSpec spec;
    spec.precision.compute = ComputeType::BFloat16;
    spec.dataset.path = "/data/wiki";
    return spec;
}

std::vector<HostMemory> hostsWith(const std::vector<std::optional<ProcessorMath>>& processors)
{
    std::vector<HostMemory> hosts;
    for (std::size_t i = 0; i < processors.size(); ++i)
        hosts.push_back({.host = "node" + std::to_string(i), .ranks = 1, .node = i, .math = processors[i]});
    return hosts;
}

QString textOf(const Diagnostics& remarks)
{
    return remarks.empty() ? QString() : QString::fromStdString(remarks.front().text());
}

} // namespace

class TestPrecisionRemarks : public QObject {
    Q_OBJECT

private slots:
    void namesTypeFactorAndHosts()
    {
        const QString text =
            textOf(precisionRemarks(bfloat16Spec(), hostsWith({kAvx512, kAvx512, ProcessorMath()})));
        for (const char* part : {"precision.compute: bfloat16", "about 4 times slower than float32",
                                 "without bfloat16 instructions: node0 and 1 other host",
                                 "set precision.compute to \"float32\""})
            QVERIFY2(text.contains(part), qPrintable(text));
    }

    void saysNothingWhereItIsNotSlow()
    {
        RunSpec spec = bfloat16Spec();
        QCOMPARE(textOf(precisionRemarks(spec, hostsWith({ProcessorMath(), std::nullopt}))), "");
        spec.launch.device = DeviceKind::Cuda;
        QCOMPARE(textOf(precisionRemarks(spec, hostsWith({kAvx512}))), "");
        spec.launch.device = DeviceKind::Auto;
        auto hosts = hostsWith({kAvx512});
        hosts.front().onDevices = true;
        QCOMPARE(textOf(precisionRemarks(spec, hosts)), "");
        spec.precision.compute = ComputeType::Float32;
        QCOMPARE(textOf(precisionRemarks(spec, hostsWith({kAvx512}))), "");
    }

    void saysItOfFloat16Too()
    {
        RunSpec spec = bfloat16Spec();
        spec.precision.compute = ComputeType::Float16;
        QVERIFY(
            textOf(precisionRemarks(spec, hostsWith({kAvx512}))).contains("float16 is more than 10 times"));
    }

    void saysWhereDevicesAreMuchFasterInBFloat16()
    {
        RunSpec spec = bfloat16Spec();
        spec.launch.device = DeviceKind::Cuda;
        std::vector<HostMemory> hosts{
            {.host = "h100", .onDevices = true, .float32Peak = 67e12, .bfloat16Peak = 989e12},
            {.host = "v100", .onDevices = true, .float32Peak = 15.7e12},
            {.host = "unknown", .onDevices = true}};
        QCOMPARE(textOf(precisionRemarks(spec, hosts)), "");
        spec.precision.compute = ComputeType::Float32;
        QCOMPARE(
            textOf(precisionRemarks(spec, hosts)),
            "precision.compute: float32 products take 15 times as long as bfloat16's on these devices: h100 \u2014 "
            "set precision.compute to \"bfloat16\"");
        const auto explained =
            explainPrecision(spec, {.shape = {128, 20}, .hosts = [&](const RunSpec&) { return hosts; }});
        QCOMPARE(explained.size(), std::size_t{1});
        RunSpec faster = spec;
        faster.precision.compute = ComputeType::BFloat16;
        QVERIFY(explained.front().remedies.size() == 1 && explained.front().remedies.front().spec == faster);
    }

    void offersFloat32WhereThatFits()
    {
        const RunSpec spec = bfloat16Spec();
        RunSpec float32 = spec;
        float32.precision.compute = ComputeType::Float32;
        const SequenceShape shape{128, 20};
        const Bytes needed = estimateMemory(float32, shape).total();
        const auto offers = [&](Bytes room) {
            const auto hosts = [room](const RunSpec&) {
                auto made = hostsWith({kAvx512});
                made.front().perRank = room;
                return made;
            };
            const auto explained = explainPrecision(spec, {.shape = shape, .hosts = hosts});
            return explained.size() == 1 && explained.front().remedies.size() == 1 &&
                   explained.front().remedies.front().spec == float32;
        };
        QVERIFY(offers(needed));
        QVERIFY(!offers(needed - 1));
    }

    // A product of [rows, depth] and [depth, columns] has a copy of 4 bytes for each of its rows x columns
    // results. With one head's logits the largest by far, that is what the peak gains over their gradient.
    void copiesOfResultsArePlanned()
    {
        RunSpec spec = bfloat16Spec();
        spec.launch.device = DeviceKind::Cpu;
        const SequenceShape shape{128, 20};
        const auto native = estimateMemory(spec, shape);
        const auto widened = estimateMemory(spec, shape, NarrowProducts::Widened);
        const Bytes logits = Bytes(spec.batch.micro) * 20 * Bytes(spec.model.vocabulary);
        QCOMPARE(widened.total(), native.total() + (4 - 2) * logits);
        QCOMPARE(estimateMemory(spec, shape, NarrowProducts::Portable).total(), native.total());
        spec.precision.compute = ComputeType::Float32;
        QCOMPARE(nameOf(productsOn(spec, hostsWith({kAvx512}))), nameOf(NarrowProducts::Native));
    }

    void oneHostThatWidensIsEnough()
    {
        const RunSpec spec = bfloat16Spec();
        const auto hosts = hostsWith({ProcessorMath(), ProcessorMath{NarrowProducts::Portable}, kAvx512});
        QCOMPARE(nameOf(productsOn(spec, hosts)), nameOf(NarrowProducts::Widened));
        QCOMPARE(nameOf(productsOn(spec, hosts[1])), nameOf(NarrowProducts::Portable));
    }
};

QTEST_APPLESS_MAIN(TestPrecisionRemarks)
#include "tst_precision_remarks.moc"
