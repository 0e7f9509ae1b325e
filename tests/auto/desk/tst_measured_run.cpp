#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

#include "app/base/display_text.h"
#include "app/plan/hardware_library.h"
#include "app/plan/measured_run.h"
#include "engine/base/file.h"
#include "engine/spec/hardware_name.h"
#include "engine/spec/spec_json.h"
#include "remote/target/data_dirs.h"
#include "tests/support/sample_run/sample_run.h"

using namespace trainyard;

class TestMeasuredRun : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_data = std::make_unique<QTemporaryDir>();
        qputenv("TRAINYARD_DATA", m_data->path().toUtf8());
    }

    void tellsHowLongAUsualStepTook()
    {
        support::SampleRun sample;
        sample.id = "r1";
        sample.rowLength = 128;
        write(sample);
        const auto run = measuredRun("r1");
        QVERIFY2(run.ok(), run.ok() ? "" : run.error().text().c_str());
        QCOMPARE(run->spec.layout.worldSize(), 2);
        QCOMPARE(run->shape.length, 128);
        QVERIFY(std::abs(run->seconds / sample.secondsPerStep - 1) < 0.1);
    }

    /// As a run of its own, with the rows of its data set.
    void measuresTheLastPhaseWithEnoughSteps_data()
    {
        QTest::addColumn<int>("lastSteps");
        QTest::addColumn<int>("length");
        QTest::addRow("last phase") << 20 << 512;
        QTest::addRow("last phase too short") << 5 << 128;
    }
    void measuresTheLastPhaseWithEnoughSteps()
    {
        QFETCH(int, lastSteps);
        QFETCH(int, length);
        support::SampleRun sample;
        sample.id = "r1";
        sample.rowLength = 128;
        sample.steps = sample.reached = 100;
        write(sample);
        const std::filesystem::path folder = runDir("r1");
        RunSpec spec = readSpec(folder / "spec.json").value();
        PhaseSpec last{.name = "long", .steps = lastSteps};
        last.memory.recompute = RecomputeKind::Full;
        last.named = {"memory.recompute"};
        spec.optimizer.warmupSteps = 0;
        spec.phases = {PhaseSpec{.steps = 100 - lastSteps}, last};
        QVERIFY(writeFileAtomically(folder / "spec.json", toJson(spec)).ok());
        auto manifest = nlohmann::json::parse(readFile(folder / "dataset.json").value());
        manifest["sequence_length"] = 512;
        QVERIFY(writeFileAtomically(folder / "dataset-2.json", manifest.dump()).ok());
        const auto run = measuredRun("r1");
        QVERIFY2(run.ok(), run.ok() ? "" : run.error().text().c_str());
        QVERIFY(run->spec.phases.empty());
        QCOMPARE(run->spec.launch.steps, length == 512 ? lastSteps : 100 - lastSteps);
        QCOMPARE(run->spec.memory.recompute == RecomputeKind::Full, length == 512);
        QCOMPARE(run->shape.length, length);
    }

    void saysWhyARunTellsNothing_data()
    {
        QTest::addColumn<int>("steps");
        QTest::addColumn<int>("rowLength");
        QTest::addColumn<QByteArray>("reason");
        QTest::addRow("too short") << 7 << 128 << QByteArray("7 steps are too few");
        QTest::addRow("no data set") << 400 << 0 << QByteArray("manifest");
    }
    void saysWhyARunTellsNothing()
    {
        QFETCH(int, steps);
        QFETCH(int, rowLength);
        QFETCH(QByteArray, reason);
        support::SampleRun sample;
        sample.id = "r1";
        sample.reached = steps;
        sample.rowLength = rowLength;
        write(sample);
        const auto run = measuredRun("r1");
        QVERIFY(!run.ok());
        QCOMPARE(run.error().kind, ErrorKind::BadInput);
        const QByteArray text = QByteArray::fromStdString(run.error().text());
        QVERIFY2(text.contains("r1") && text.contains(reason), text.constData());
        QVERIFY(!measuredRun("r2").ok());
        QVERIFY(!measuredRun("../r1").ok());
    }

    void writesRatesForPeople()
    {
        QCOMPARE(displayOperations(93.12e9), QString("93.1 GFLOP/s"));
        QCOMPARE(displayOperations(312e12), QString("312 TFLOP/s"));
        QCOMPARE(displayOperations(1.52e7), QString("15.2 MFLOP/s"));
    }

    void namesWhatItProbed_data()
    {
        QTest::addColumn<QStringList>("hosts");
        QTest::addColumn<QString>("name");
        QTest::addRow("this machine") << QStringList{"localhost"} << "localhost";
        QTest::addRow("four hosts") << QStringList{"gpu1", "gpu2", "gpu3", "gpu4"} << "gpu1-x4";
        QTest::addRow("user and port") << QStringList{"me@gpu1:2222"} << "me-gpu1-2222";
        QTest::addRow("address") << QStringList{"[fe80::1]"} << "fe80--1-";
        QTest::addRow("nothing of it") << QStringList{"[::]"} << "hosts";
    }
    void namesWhatItProbed()
    {
        QFETCH(QStringList, hosts);
        std::vector<std::string> names;
        for (const QString& host : hosts)
            names.push_back(host.toStdString());
        const std::string name = probedHardwareName(names);
        QTEST(QString::fromStdString(name), "name");
        QVERIFY(isHardwareName(name));
        QVERIFY(isHardwareName(probedHardwareName({std::string(300, 'x'), "y"})));
    }

private:
    static void write(const support::SampleRun& sample)
    {
        QVERIFY(!support::writeSampleRun(QString::fromStdString(runsDir().string()), sample).isEmpty());
    }

    std::unique_ptr<QTemporaryDir> m_data;
};

QTEST_GUILESS_MAIN(TestMeasuredRun)
#include "tst_measured_run.moc"
