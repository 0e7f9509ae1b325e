#include <QFile>
#include <QRegularExpression>
#include <QTest>

#include "engine/base/processor.h"

using namespace trainyard;

Q_DECLARE_METATYPE(trainyard::ProcessorFeatures)
Q_DECLARE_METATYPE(trainyard::NarrowProducts)

/// What LibTorch did with matrices of 16-bit numbers on such processors (tests/bench/README.md).
class TestProcessor : public QObject {
    Q_OBJECT

private slots:
    void knowsHowNarrowProductsAreMade_data()
    {
        using enum NarrowProducts;
        QTest::addColumn<ProcessorFeatures>("features");
        QTest::addColumn<QByteArray>("limit");
        QTest::addColumn<NarrowProducts>("bfloat16");
        QTest::addColumn<NarrowProducts>("float16");
        const ProcessorFeatures avx2{};
        const ProcessorFeatures skylake{.avx512 = true};
        const ProcessorFeatures zen4{.avx512 = true, .avx512Bf16 = true};
        const ProcessorFeatures sapphireRapids{.avx512 = true, .avx512Bf16 = true, .avx512Fp16 = true};
        const ProcessorFeatures sierraForest{.avxNeConvert = true};
        QTest::addRow("AVX2") << avx2 << QByteArray() << Portable << Portable;
        QTest::addRow("AVX-512") << skylake << QByteArray() << Widened << Portable;
        QTest::addRow("AVX-512 and bfloat16") << zen4 << QByteArray() << Native << Portable;
        QTest::addRow("AVX-512, bfloat16 and float16") << sapphireRapids << QByteArray() << Native << Native;
        QTest::addRow("AVX-NE-CONVERT") << sierraForest << QByteArray() << Native << Native;
        QTest::addRow("limited to AVX2") << sapphireRapids << QByteArray("AVX2") << Portable << Portable;
        QTest::addRow("limited to AVX-512") << zen4 << QByteArray("avx512_core") << Widened << Portable;
        QTest::addRow("limited to bfloat16")
            << sapphireRapids << QByteArray("AVX512_CORE_BF16") << Native << Portable;
        QTest::addRow("limited to all") << sapphireRapids << QByteArray("ALL") << Native << Native;
        QTest::addRow("a limit above the processor")
            << skylake << QByteArray("AVX512_CORE_AMX") << Widened << Portable;
    }
    void knowsHowNarrowProductsAreMade()
    {
        QFETCH(ProcessorFeatures, features);
        QFETCH(QByteArray, limit);
        QFETCH(NarrowProducts, bfloat16);
        QFETCH(NarrowProducts, float16);
        const ProcessorMath math = processorMath(features, limit.toStdString());
        QCOMPARE(nameOf(math.bfloat16), nameOf(bfloat16));
        QCOMPARE(nameOf(math.float16), nameOf(float16));
    }

    /// Or the processor that the test shows in place of it; see support/processor.
    void findsTheProcessorOfThisMachine()
    {
        const QByteArray shown = qgetenv("TRAINYARD_TEST_PROCESSOR");
        if (shown.isEmpty())
            return expectWhatTheKernelFinds();
        QCOMPARE(QByteArray(nameOf(processorMathHere().bfloat16).data()),
                 QByteArray(shown == "avx2" ? "portable" : "widened"));
    }

    void readsTheNamesThatItWrites()
    {
        for (const auto products :
             {NarrowProducts::Native, NarrowProducts::Widened, NarrowProducts::Portable})
            QVERIFY(narrowProductsFrom(nameOf(products)) == products);
        QVERIFY(!narrowProductsFrom("fast"));
    }

private:
    // The kernel reads the same instruction, and leaves out what it keeps no registers for.
    static void expectWhatTheKernelFinds()
    {
        QFile file(QStringLiteral("/proc/cpuinfo"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QString facts = QString::fromLatin1(file.readAll());
        const auto has = [&](const char* flag) {
            return facts.contains(QRegularExpression(QStringLiteral("^flags\\s*:.*\\b%1\\b").arg(flag),
                                                     QRegularExpression::MultilineOption));
        };
        if (!has("sse2"))
            QSKIP("not an x86-64 processor");
        if (qEnvironmentVariableIsSet("ONEDNN_MAX_CPU_ISA"))
            QSKIP("ONEDNN_MAX_CPU_ISA hides a part of the processor");
        const bool bf16 = has("avx512_bf16") || has("amx_bf16");
        if (bf16)
            QCOMPARE(nameOf(processorMathHere().bfloat16), nameOf(NarrowProducts::Native));
        else if (has("avx512bw") && has("avx512vl") && has("avx512dq"))
            QCOMPARE(nameOf(processorMathHere().bfloat16), nameOf(NarrowProducts::Widened));
        else if (!has("avx_ne_convert"))
            QCOMPARE(nameOf(processorMathHere().bfloat16), nameOf(NarrowProducts::Portable));
    }
};

QTEST_APPLESS_MAIN(TestProcessor)
#include "tst_processor.moc"
