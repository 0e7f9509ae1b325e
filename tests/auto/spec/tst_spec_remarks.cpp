#include <QTest>

#include <limits>

#include "engine/spec/remarks.h"
#include "engine/spec/spec_json.h"
#include "engine/spec/validate.h"
#include "tests/auto/spec/problem_text.h"

using namespace trainyard;

/// Settings that have no effect or waste time.
class TestSpecRemarks : public QObject {
    Q_OBJECT

private slots:
    void remarksOnWhateverIsTyped()
    {
        for (const int number : {-1, 0, 1 << 16, std::numeric_limits<int>::max()}) {
            for (int ParallelLayout::*degree :
                 {&ParallelLayout::tensor, &ParallelLayout::pipeline, &ParallelLayout::virtualStages}) {
                RunSpec spec;
                spec.layout.pipeline = spec.layout.virtualStages = 1 << 16;
                spec.layout.*degree = number;
                QVERIFY(!print(remarksOn(spec)).contains("divide"));
            }
        }
    }

    void remarksOnAdaptersOfAModelThatHasLearnedNothing()
    {
        RunSpec spec = validSpec();
        spec.model.lora.rank = 2;
        QVERIFY(print(remarksOn(spec)).contains("lora.rank: freezes weights that are drawn"));
        spec.init.path = "/models/bert";
        QVERIFY(!print(remarksOn(spec)).contains("lora"));
    }

    // Megatron-LM pads GPT-2's 50257 to 50304 on one tensor rank and to 51200 on eight.
    void tellsWhatAPaddedVocabularyCosts_data()
    {
        QTest::addColumn<int>("vocabulary");
        QTest::addColumn<int>("tensor");
        QTest::addColumn<QString>("padded");
        QTest::addRow("GPT-2") << 50257 << 1
                               << "set it to 50304, a multiple of 128 x tensor 1; this adds 47 unused";
        QTest::addRow("of eight ranks")
            << 50257 << 8 << "set it to 51200, a multiple of 128 x tensor 8; this adds 943 unused";
        QTest::addRow("whole vectors") << 30528 << 1 << "";
        QTest::addRow("not for each rank") << 30528 << 16 << "set it to 30720";
    }
    void tellsWhatAPaddedVocabularyCosts()
    {
        QFETCH(int, vocabulary);
        QFETCH(int, tensor);
        QFETCH(QString, padded);
        RunSpec spec;
        spec.model.vocabulary = vocabulary;
        spec.model.hidden = 1000;
        spec.layout.tensor = tensor;
        spec.precision.compute = ComputeType::Float16;
        const QString remarks = print(remarksOn(spec));
        QVERIFY2(padded.isEmpty() ? remarks.isEmpty() : remarks.contains(padded), qPrintable(remarks));
        spec.launch.device = DeviceKind::Cpu;
        QCOMPARE(print(remarksOn(spec)), "");
        spec.launch.device = DeviceKind::Cuda;
        spec.precision.compute = ComputeType::Float32;
        QCOMPARE(print(remarksOn(spec)), "");
    }

    void warnsOfRecipesThatPracticeAdvisesAgainst_data()
    {
        QTest::addColumn<QString>("json");
        QTest::addColumn<QString>("remark");
        QTest::addRow("usual")
            << R"("optimizer":{"learning_rate":0.001,"warmup_steps":10},"launch":{"steps":100})"
            << "";
        QTest::addRow("rate of 50")
            << R"("optimizer":{"learning_rate":50})"
            << "optimizer.learning_rate: is 50, at which training is likely to diverge";
        QTest::addRow("LAMB's rate") << R"("optimizer":{"kind":"lamb","learning_rate":0.02})"
                                     << "";
        QTest::addRow("LAMB's rate is high") << R"("optimizer":{"kind":"lamb","learning_rate":0.2})"
                                             << "optimizer.learning_rate: is 0.2, at which";
        QTest::addRow("only warm-up") << R"("optimizer":{"warmup_steps":100},"launch":{"steps":100})"
                                      << "optimizer.warmup_steps: is 100 of 100 steps";
        QTest::addRow("a half is warm-up") << R"("optimizer":{"warmup_steps":50},"launch":{"steps":100})"
                                           << "";
        QTest::addRow("batch") << R"("batch":{"global":32768,"micro":32768})"
                               << "batch.global: is 32768: AdamW";
        QTest::addRow("batch for LAMB")
            << R"("batch":{"global":32768,"micro":32768},"optimizer":{"kind":"lamb"})"
            << "";
        QTest::addRow("fine-tuning") << R"("init":{"path":"/m"},"task":{"kind":"classify"})"
                                     << "optimizer.learning_rate: is 0.001, which is high for fine-tuning";
        QTest::addRow("adapters") << R"("init":{"path":"/m"},"task":{"kind":"classify"},"lora":{"rank":8})"
                                  << "";
    }
    void warnsOfRecipesThatPracticeAdvisesAgainst()
    {
        QFETCH(QString, json);
        QFETCH(QString, remark);
        const ParsedSpec parsed =
            parseSpec(QString(R"({"trainyard":1,"dataset":{"path":"/d"},%1})").arg(json).toStdString());
        QCOMPARE(print(parsed.diagnostics), "");
        const QString remarks = print(remarksOn(parsed.spec));
        QVERIFY2(remark.isEmpty() ? remarks.isEmpty() : remarks.contains(remark), qPrintable(remarks));
    }

    void tellsWhatHasNoEffect_data()
    {
        QTest::addColumn<QString>("json");
        QTest::addColumn<QString>("path");
        QTest::addRow("sequence") << R"("layout":{"sequence":true})"
                                  << "layout.sequence";
        QTest::addRow("schedule") << R"("layout":{"schedule":"gpipe"})"
                                  << "layout.schedule";
        QTest::addRow("partition") << R"("layout":{"partition":"cost"})"
                                   << "layout.partition";
        QTest::addRow("bucket size") << R"("layout":{"bucket_size":"1 MiB"})"
                                     << "layout.bucket_size";
        QTest::addRow("recompute_every") << R"("memory":{"recompute":"selective","recompute_every":2})"
                                         << "memory.recompute_every";
        QTest::addRow("zero_stage") << R"("memory":{"zero_stage":1})"
                                    << "memory.zero_stage";
        QTest::addRow("offload_horizon") << R"("memory":{"offload_horizon":2})"
                                         << "memory.offload_horizon";
        QTest::addRow("offload on a processor")
            << R"("memory":{"offload_optimizer":true},"launch":{"device":"cpu"})"
            << "memory.offload_optimizer";
        QTest::addRow("devices of a processor")
            << R"("cluster":{"nodes":[{"devices":["0"]}]},"launch":{"device":"cpu"})"
            << "cluster.nodes[0].devices";
        QTest::addRow("decay_power") << R"("optimizer":{"decay_power":2})"
                                     << "optimizer.decay_power";
        QTest::addRow("decay_steps") << R"("optimizer":{"decay_steps":2})"
                                     << "optimizer.decay_steps";
        QTest::addRow("decay_shape") << R"("optimizer":{"decay_shape":"linear"})"
                                     << "optimizer.decay_shape";
        QTest::addRow("every_steps") << R"("checkpoint":{"every_steps":101})"
                                     << "checkpoint.every_steps";
        QTest::addRow("vocabulary") << R"("precision":{"compute":"bfloat16"})"
                                    << "model.vocabulary";
        QTest::addRow("uneven stages")
            << R"("model":{"layers":3},"cluster":{"nodes":[{"slots":2}]},"layout":{"pipeline":2})"
            << "layout.pipeline";
    }
    void tellsWhatHasNoEffect()
    {
        QFETCH(QString, json);
        const ParsedSpec parsed =
            parseSpec(QString(R"({"trainyard":1,"dataset":{"path":"/d"},%1})").arg(json).toStdString());
        QCOMPARE(print(parsed.diagnostics) + print(validate(parsed.spec)), "");
        const Diagnostics remarks = remarksOn(parsed.spec);
        QCOMPARE(remarks.size(), std::size_t{1});
        QTEST(QString::fromStdString(remarks[0].path), "path");
        QCOMPARE(print(remarksOn(validSpec())), "");
    }
};

QTEST_APPLESS_MAIN(TestSpecRemarks)
#include "tst_spec_remarks.moc"
