#include <QDir>
#include <QJsonArray>
#include <QJsonObject>
#include <QTest>

#include "tests/integration/cli_fixture.h"

using namespace trainyard;
using namespace trainyard::test;

// Probes by the real worker, two ranks of this machine, and plans that use what they found.
class TestCalibration : public QObject {
    Q_OBJECT

private slots:
    void probesThisMachine()
    {
        const CliResult result = m_cli.run({"calibrate", spec(), "--name", "here", "--json"});
        QVERIFY2(result.status == 0, qPrintable(result.err));
        const QJsonObject answer = QJsonDocument::fromJson(result.out.toUtf8()).object();
        QCOMPARE(answer["name"].toString(), QString("here"));
        const QJsonArray probes = answer["probes"].toObject()["probes"].toArray();
        QVERIFY2(probes.size() >= 16 && probes.size() <= 32, qPrintable(QString::number(probes.size())));
        for (const auto& probe : probes)
            QVERIFY(probe.toObject().value("seconds").toDouble() > 0);
        const QJsonObject hardware = answer["hardware"].toObject();
        const QJsonObject device = hardware["device"].toObject();
        QCOMPARE(hardware["devices"].toInt(), 2);
        QCOMPARE(hardware["shares_memory"].toBool(), true);
        QVERIFY(device["peak"].toObject()["float32"].toDouble() > 1e8);
        QVERIFY(device["memory_bandwidth"].toDouble() > 1e8);
        const QJsonObject calibration = hardware["calibration"].toObject();
        QCOMPARE(calibration["hosts"].toArray(), QJsonArray{"localhost"});
        QVERIFY(calibration["error_band"].toDouble() >= 0.1);
    }

    void plansWithWhatWasFound()
    {
        const CliResult result = m_cli.run({"plan", spec(), "--hardware", "here", "--json"});
        QVERIFY2(result.status == 0, qPrintable(result.err));
        const QJsonObject time = QJsonDocument::fromJson(result.out.toUtf8())["time"].toObject();
        QVERIFY(time["step_seconds_least"].toDouble() > 0);
        QVERIFY(time["step_seconds_least"].toDouble() < time["step_seconds"].toDouble());
        QVERIFY(time["step_seconds_most"].toDouble() > time["step_seconds"].toDouble());
        const CliResult file =
            m_cli.run({"plan", spec(), "--hardware", m_cli.path("desk/hardware/here.json")});
        QVERIFY2(file.status == 0, qPrintable(file.err));
        QVERIFY2(file.out.contains(" to "), qPrintable(file.out));
    }

    void leavesNothingOnTheHost()
    {
        const CliResult runs = m_cli.run({"runs", "--json"});
        QCOMPARE(runs.status, 0);
        QCOMPARE(QJsonDocument::fromJson(runs.out.toUtf8()).array(), QJsonArray());
        QVERIFY(QDir(m_cli.path("home/runs")).isEmpty());
    }

    void isCorrectedByWhatARunMeasured()
    {
        QString why;
        QVERIFY2(m_cli.makeDataset(&why), qPrintable(why));
        RunSpec run = tinySpec(m_cli.dataset(), 2, 12);
        run.cluster.nodes.front().hardware = "here";
        const CliResult launched = m_cli.run({"launch", m_cli.writeSpec("run.json", run), "--follow"});
        QVERIFY2(launched.status == 0, qPrintable(launched.err));
        const QString id = launched.out.split('\n').first().trimmed();
        const CliResult result = m_cli.run({"calibrate", "--from-run", id, "--json"});
        QVERIFY2(result.status == 0, qPrintable(result.err));
        const QJsonObject calibration =
            QJsonDocument::fromJson(result.out.toUtf8())["hardware"].toObject()["calibration"].toObject();
        QCOMPARE(calibration["measured_runs"].toInt(), 1);
        bool corrects = false;
        for (const QJsonValue& factor : calibration["factors"].toObject())
            corrects = corrects || factor.toDouble() != 1;
        QVERIFY(corrects);
        // The same run once more says nothing new.
        const CliResult again = m_cli.run({"calibrate", "--from-run", id, id, "--json"});
        QVERIFY2(again.status == 0, qPrintable(again.err));
        const QJsonObject same =
            QJsonDocument::fromJson(again.out.toUtf8())["hardware"].toObject()["calibration"].toObject();
        QCOMPARE(same["runs"].toArray(), QJsonArray{id});
        QCOMPARE(same["factors"], calibration["factors"]);
    }

    void refusesWhatItCannotDo_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("status");
        QTest::addColumn<QString>("names");
        QTest::addRow("nothing") << QStringList{} << 2 << "SPEC";
        QTest::addRow("no such file") << QStringList{"no.json"} << 2 << "no.json";
        QTest::addRow("name") << QStringList{"SPEC", "--name", "a/b"} << 2 << "--name";
        QTest::addRow("run") << QStringList{"--from-run", "r1", "--name", "here"} << 2 << "r1";
        QTest::addRow("both") << QStringList{"SPEC", "--from-run", "r1"} << 2 << "--from-run";
        QTest::addRow("Slurm") << QStringList{"SLURM"} << 3 << "Slurm";
    }
    void refusesWhatItCannotDo()
    {
        QFETCH(QStringList, arguments);
        QFETCH(int, status);
        RunSpec slurm = tinySpec("/data", 2, 1);
        slurm.launch.launcher = LauncherKind::Slurm;
        arguments.replaceInStrings("SPEC", spec());
        arguments.replaceInStrings("SLURM", m_cli.writeSpec("slurm.json", slurm));
        const CliResult result = m_cli.run(QStringList{"calibrate"} + arguments);
        QVERIFY2(result.status == status, qPrintable(result.err));
        QFETCH(QString, names);
        QVERIFY2(result.err.contains(names), qPrintable(result.err));
    }

private:
    /// Its data set is never opened.
    QString spec() const { return m_cli.writeSpec("spec.json", tinySpec("/data", 2, 1)); }

    CliFixture m_cli;
};

QTEST_GUILESS_MAIN(TestCalibration)
#include "tst_calibration.moc"
