#include <QDateTime>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include "tests/support/sample_run/sample_run.h"

using namespace trainyard;

/// `trainyard runs` over runs that this desk has recorded; no host is asked.
class TestRunList : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        QVERIFY(m_desk.isValid());
        qputenv("TRAINYARD_DATA", m_desk.path().toUtf8());
        write("healthy", RunState::Running, 0);
        write("diverging", RunState::Running, 560);
        write("diverged", RunState::Finished, 560);
    }

    void listsWhatIsWrongWithRunsThatAreNotOver()
    {
        const QJsonArray runs = QJsonDocument::fromJson(list({"--json"})).array();
        QCOMPARE(runs.size(), 3);
        QMap<QString, QJsonArray> alerts;
        for (const auto& value : runs) {
            const QJsonObject run = value.toObject();
            alerts[run["name"].toString()] = run["alerts"].toArray();
        }
        QCOMPARE(alerts["healthy"], QJsonArray());
        QCOMPARE(alerts["diverged"], QJsonArray());
        QCOMPARE(alerts["diverging"].size(), 1);
        const QJsonObject alert = alerts["diverging"].first().toObject();
        QCOMPARE(alert["kind"].toString(), QString("divergence"));
        QCOMPARE(alert["severity"].toString(), QString("error"));
        QVERIFY(alert["text"].toString().contains("The loss has been"));
        QVERIFY(alert["step"].toInteger() >= 560);
    }

    void marksThemInTheTable()
    {
        const QStringList lines = QString::fromUtf8(list({})).split('\n');
        QVERIFY(lines.first().contains("alerts"));
        QCOMPARE(lines.filter("✕ divergence").size(), 1);
        QVERIFY(lines.filter("✕ divergence").first().contains("-diverging-"));
    }

    void followsTheThresholdsOfTheWindow()
    {
        QFile settings(m_desk.filePath("alerts.json"));
        QVERIFY(settings.open(QIODevice::WriteOnly));
        settings.write(R"({"trainyard": 1, "loss_deviations": 100})");
        settings.close();
        QVERIFY(!list({}).contains("divergence"));
        QVERIFY(settings.remove());
    }

private:
    void write(const QString& name, RunState state, int divergesAt)
    {
        support::SampleRun run;
        run.name = name;
        run.state = state;
        run.steps = 2000;
        run.reached = 640;
        run.divergesAt = divergesAt;
        run.learningRate = divergesAt > 0 ? 6e-3 : 1e-3;
        run.seed = 8;
        QVERIFY(!support::writeSampleRun(m_desk.filePath("runs"), run).isEmpty());
    }

    static QByteArray list(const QStringList& options)
    {
        QProcess trainyard;
        trainyard.start(TRAINYARD_BIN_DIR "/trainyard", QStringList{"runs", "--recorded"} + options);
        trainyard.waitForFinished(-1);
        return trainyard.exitStatus() == QProcess::NormalExit && trainyard.exitCode() == 0
                   ? trainyard.readAllStandardOutput()
                   : QByteArray();
    }

    QTemporaryDir m_desk;
};

QTEST_GUILESS_MAIN(TestRunList)
#include "tst_run_list.moc"
