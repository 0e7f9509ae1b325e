#include <QTest>

#include "engine/planner/memory/memory_model.h"
#include "remote/launch/judge_spec.h"

using namespace trainyard;

namespace {

/// 110 million parameters on a host with one device, or with none.
RunSpec bertBase()
{
    RunSpec spec;
    spec.model.layers = 12;
    spec.model.hidden = 768;
    spec.model.heads = 12;
    spec.model.intermediate = 3072;
    spec.dataset.path = "/data/wiki";
    spec.batch = {64, 64, 1};
    return spec;
}

DataSetManifest rows()
{
    DataSetManifest data;
    data.sequenceLength = 128;
    data.maxPredictions = 20;
    data.vocabularySize = RunSpec().model.vocabulary;
    return data;
}

QString refusalOf(const RunSpec& spec, const NodeMemory& memory)
{
    const auto judged = judgeSpec(spec, rows(), {memory});
    return judged.ok() ? QString() : QString::fromStdString(judged.error().text());
}

} // namespace

/// What a launch refuses once the hosts have been looked at.
class TestJudgeSpec : public QObject {
    Q_OBJECT

private slots:
    void saysWhatIsTooMuchAndWhatWouldFit()
    {
        const QString refusal = refusalOf(bertBase(), NodeMemory(4 * kGiB));
        for (const char* part : {"a rank is planned to need", "localhost has 4.00 GiB", "optimizer",
                                 " > 4.00 GiB", "closest valid settings: ", "memory.recompute \"full\" ("})
            QVERIFY2(refusal.contains(part), qPrintable(refusal));
    }

    void refusesAnEvaluatedDataSetThatDoesNotFit()
    {
        RunSpec spec = bertBase();
        spec.evaluation.dataset = "/data/held-out";
        DataSetManifest evaluated = rows();
        const auto judged = [&] { return judgeEvaluatedDataSet(spec, evaluated, 128); };
        QCOMPARE(judged().error().message,
                 "evaluation.dataset: the data set /data/held-out has no test rows");
        evaluated.testRows = 100;
        QVERIFY(judged().ok());
        evaluated.objective = "gpt";
        QVERIFY(judged().error().message.find("/data/held-out are running text") != std::string::npos);
    }

    void looksAtEveryDataSetOfAMix()
    {
        RunSpec spec = bertBase();
        spec.dataset = {.path = {}, .mix = {{"/data/wiki", 7}, {"/data/books", 3}}};
        const std::vector<NodeMemory> memory{NodeMemory(64 * kGiB)};
        DataSetManifest books = rows();
        QVERIFY(judgeSpec(spec, std::vector{rows(), books}, memory).ok());
        books.sequenceLength = 64;
        const auto shorter = judgeSpec(spec, std::vector{rows(), books}, memory);
        QVERIFY(!shorter.ok());
        QCOMPARE(QString::fromStdString(shorter.error().text()),
                 "dataset.mix[1]: the rows of /data/books have 64 tokens, and those of /data/wiki have 128 — "
                 "prepare all data sets of a mix with the same --seq-len");
        books = rows();
        books.vocabularySize = spec.model.vocabulary + 1;
        QVERIFY(!judgeSpec(spec, std::vector{rows(), books}, memory).ok());
    }

    // Moments and master weights take 1.2 GiB, which then lie beside the device.
    void refusesWhatIsOffloadedToTooSmallAHost()
    {
        RunSpec spec = bertBase();
        spec.memory.offloadOptimizer = true;
        QCOMPARE(refusalOf(spec, NodeMemory(64 * kGiB, {80 * kGiB})), "");
        const QString refusal = refusalOf(spec, NodeMemory(1 * kGiB, {80 * kGiB}));
        QVERIFY2(refusal.contains("of host memory"), qPrintable(refusal));
        QVERIFY2(refusal.contains("closest valid settings: memory.offload_optimizer false"),
                 qPrintable(refusal));
    }

    void saysThatProcessorsAreSlow()
    {
        RunSpec spec = bertBase();
        const auto remarksWith = [&](const ProcessorMath& math) {
            const auto judged = judgeSpec(spec, rows(), {NodeMemory(64 * kGiB, {}, math)});
            return judged.ok() && !judged->empty() ? QString::fromStdString(judged->back().message)
                                                   : QString();
        };
        const ProcessorMath avx512{NarrowProducts::Widened, NarrowProducts::Portable};
        spec.precision.compute = ComputeType::BFloat16;
        QVERIFY2(remarksWith(avx512).contains("slower than float32"), qPrintable(remarksWith(avx512)));
        QVERIFY(!remarksWith({}).contains("slower than float32"));
    }

    // On CUDA one kernel keeps no scores; "auto" is that where every rank has a device.
    void plansForTheDeviceThatRanksGet()
    {
        RunSpec spec = bertBase();
        spec.model.attentionDropout = 0;
        spec.launch.device = DeviceKind::Cuda;
        const Bytes need = estimateMemory(spec, {128, 20}).onDevice();
        spec.launch.device = DeviceKind::Auto;
        QCOMPARE(refusalOf(spec, NodeMemory(need, {need})), "");
        QVERIFY(refusalOf(spec, NodeMemory(need - 1, {need - 1})).contains("a rank is planned to need"));
        QVERIFY(refusalOf(spec, NodeMemory(need)).contains("a rank is planned to need")); // on the processor
    }
};

QTEST_APPLESS_MAIN(TestJudgeSpec)
#include "tst_judge_spec.moc"
