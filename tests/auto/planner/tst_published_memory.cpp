#include <QTest>

#include <cmath>

#include "engine/planner/memory/layer_activations.h"
#include "engine/planner/memory/rank_states.h"
#include "engine/spec/presets.h"

using namespace trainyard;

namespace {

/// As a table prints it: to three significant digits at most, so to half of the last one.
bool printsAs(double value, const QString& printed)
{
    const int decimals =
        printed.contains('.') ? static_cast<int>(printed.size()) - printed.indexOf('.') - 1 : 0;
    return std::abs(value - printed.toDouble()) <= 0.5 * std::pow(10, -decimals) + 1e-9;
}

} // namespace

class TestPublishedMemory : public QObject {
    Q_OBJECT

private slots:
    // Rajbhandari et al. (arXiv:1910.02054), table 1: GB per device, by stage, on 1, 4, ... 1024 devices.
    void printsZerosTable_data()
    {
        QTest::addColumn<double>("billions");
        QTest::addColumn<int>("stage");
        QTest::addColumn<QString>("printed");
        QTest::addRow("7.5B, stage 1") << 7.5 << 1 << "120 52.5 35.6 31.4 30.4 30.1";
        QTest::addRow("7.5B, stage 2") << 7.5 << 2 << "120 41.3 21.6 16.6 15.4 15.1";
        QTest::addRow("7.5B, stage 3") << 7.5 << 3 << "120 30 7.5 1.88 0.47 0.12";
        QTest::addRow("1T, stage 1") << 1000. << 1 << "16000 7000 4750 4187 4046 4011";
        QTest::addRow("1T, stage 2") << 1000. << 2 << "16000 5500 2875 2218 2054 2013";
        QTest::addRow("1T, stage 3") << 1000. << 3 << "16000 4000 1000 250 62.5 15.6";
    }
    void printsZerosTable()
    {
        QFETCH(double, billions);
        QFETCH(int, stage);
        QFETCH(QString, printed);
        int devices = 1;
        for (const QString& entry : printed.split(' ')) {
            const double gigabytes = stateBytes(billions, stage, devices, kZeroPaperStates);
            // 4187.5 and 2218.75 are printed without their fraction.
            QVERIFY2(printsAs(gigabytes, entry) || std::floor(gigabytes) == entry.toDouble(),
                     qPrintable(QString("%1 on %2: %3").arg(entry).arg(devices).arg(gigabytes)));
            devices *= 4;
        }
    }

    // Korthikanti et al. (arXiv:2205.05198), table 2, on the models of table 3, GiB on the first of p stages.
    // With v chunks per stage 1F1B holds (1 + (p-1) / (p v)) times the layers' activations (section 4.2.3).
    void printsActivationsByTable2_data()
    {
        QTest::addColumn<QList<int>>("model"); // hidden, layers, heads, micro-batch, p, v
        QTest::addColumn<QString>("printed");  // t; t and sequence; t, selective; all three; full
        QTest::addRow("22B") << QList<int>{6144, 48, 64, 4, 1, 1} << "59.25 39.56 29.25 9.56 4.50";
        QTest::addRow("175B") << QList<int>{12288, 96, 96, 1, 8, 3} << "66.84 41.41 37.78 12.35 5.81";
        QTest::addRow("530B") << QList<int>{20480, 105, 128, 1, 35, 3} << "114.02 66.51 70.59 23.08 10.86";
        QTest::addRow("1T") << QList<int>{25600, 128, 160, 1, 64, 1} << "131.25 76.56 81.25 26.56 12.50";
    }
    void printsActivationsByTable2()
    {
        QFETCH(QList<int>, model);
        QFETCH(QString, printed);
        RunSpec spec;
        spec.model = *modelPreset("gpt-175b");
        spec.model.hidden = model[0];
        spec.model.layers = model[1];
        spec.model.heads = model[2];
        spec.model.intermediate = 4 * model[0];
        spec.batch.micro = model[3];
        spec.layout.tensor = 8;
        spec.precision.compute = ComputeType::Float16;
        const double stages = model[4];
        const double inFlight = model[5] > 1 ? 1 + (stages - 1) / (stages * model[5]) : 1;
        const auto gibibytes = [&](bool sequence, RecomputeKind recompute) {
            spec.layout.sequence = sequence;
            spec.memory.recompute = recompute;
            const Bytes kept = keptActivations(spec, layerActivations(spec, 2048, kPaperActivations),
                                               static_cast<Bytes>(spec.model.layers));
            return inFlight * static_cast<double>(kept) / static_cast<double>(kGiB);
        };
        const QStringList entries = printed.split(' ');
        const QList<double> ours{gibibytes(false, RecomputeKind::None), gibibytes(true, RecomputeKind::None),
                                 gibibytes(false, RecomputeKind::Selective),
                                 gibibytes(true, RecomputeKind::Selective),
                                 gibibytes(false, RecomputeKind::Full)};
        for (qsizetype i = 0; i < ours.size(); ++i)
            QVERIFY2(printsAs(ours[i], entries[i]),
                     qPrintable(QString("%1: %2").arg(entries[i]).arg(ours[i])));
    }
};

QTEST_APPLESS_MAIN(TestPublishedMemory)
#include "tst_published_memory.moc"
