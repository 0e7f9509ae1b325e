#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>

#include "app/runs/recorded_run.h"
#include "app/runs/run_database.h"
#include "engine/spec/layout_change.h"
#include "tests/support/sample_run/sample_run.h"

using namespace trainyard;

namespace {

void overwrite(const QString& path, const QByteArray& content)
{
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(content);
}

/// As the agent keeps it.
void keepAttempt(const QString& folder, int attempt, const std::string& layout, int replicas,
                 const QStringList& away)
{
    QVERIFY(QDir(folder).mkpath("attempts"));
    const QJsonObject request{{"attempt", attempt},
                              {"layout", QString::fromStdString(layout)},
                              {"replicas", replicas},
                              {"nodes", QJsonArray{QJsonObject{{"host", "gpu-01"}, {"slots", 1}},
                                                   QJsonObject{{"host", "gpu-02"}, {"slots", 1}}}},
                              {"away", QJsonArray::fromStringList(away)}};
    overwrite(folder + QStringLiteral("/attempts/%1.json").arg(attempt, 4, 10, QLatin1Char('0')),
              QJsonDocument(request).toJson());
}

} // namespace

class TestRunFolder : public QObject {
    Q_OBJECT

private slots:
    void init() { m_root = std::make_unique<QTemporaryDir>(); }

    void readsWhatWasWritten()
    {
        support::SampleRun sample;
        sample.hosts = QStringList{"gpu-01", "gpu-02"};
        sample.killedAt = 150;
        sample.resumedFrom = 100;
        const auto run = readRunFolder(support::writeSampleRun(m_root->path(), sample)).value();
        QCOMPARE(run.facts.name(), QString("bert-tiny"));
        QCOMPARE(run.facts.hosts, sample.hosts);
        QCOMPARE(run.series.steps().size(), 400);
        QCOMPARE(run.series.steps().attempts().size(), std::size_t(2));
        QCOMPARE(run.series.status().state, RunState::Finished);
        for (qsizetype row = 0; row < 400; ++row) {
            const StepRecord expected = support::sampleStep(sample, row + 1);
            QCOMPARE(run.series.steps().column(StepColumn::Loss)[row], expected.loss);
        }
    }

    void anEntryOfTheHistoryFollowsFromTheFolder()
    {
        const auto run = readRunFolder(support::writeSampleRun(m_root->path(), {})).value();
        RunEntry entry;
        entry.notes = "mine";
        updateEntry(entry, run.facts, run.series);
        QCOMPARE(entry.name, QString("bert-tiny"));
        QCOMPARE(entry.state, RunState::Finished);
        QCOMPARE(entry.step, 400);
        QCOMPARE(entry.steps, 400);
        QCOMPARE(entry.worldSize, 2);
        QCOMPARE(entry.createdMs, 1'795'252'505'000);
        QCOMPARE(entry.notes, QString("mine"));
        QCOMPARE(entry.loss, support::sampleStep({}, 400).loss);
    }

    void theNewestAttemptSaysHowTheRunIsSpread()
    {
        support::SampleRun sample;
        sample.hosts = QStringList{"gpu-01", "gpu-02"};
        const QString folder = support::writeSampleRun(m_root->path(), sample);
        QCOMPARE(readRunFacts(folder)->specNow()->layout.data, 2);
        RunSpec deep = *readRunFacts(folder)->spec;
        deep.layout = {.data = 1, .tensor = 2};
        deep.batch.accumulation *= 2;
        keepAttempt(folder, 2, layoutText(deep), 0, {});
        const RunFacts resumed = readRunFacts(folder).value();
        QCOMPARE(resumed.attemptNow(), 2u);
        QCOMPARE(resumed.specNow()->layout.tensor, 2);
        QCOMPARE(resumed.spec->layout.tensor, 1);
        keepAttempt(folder, 3, {}, 1, {"gpu-01"});
        const RunFacts shrunk = readRunFacts(folder).value();
        QCOMPARE(shrunk.attemptNow(), 3u);
        QCOMPARE(shrunk.specNow()->layout.worldSize(), 1);
        QCOMPARE(shrunk.specNow()->batch.accumulation, 2 * shrunk.spec->batch.accumulation);
        QCOMPARE(shrunk.specNow()->cluster.nodes.front().slotCount, 0); // the rank runs on gpu-02
    }

    void leavesOutATornTailAndTheMirrorsLeftovers()
    {
        const QString folder = support::writeSampleRun(m_root->path(), {});
        QVERIFY(QFile::copy(folder + "/journal/steps", folder + "/journal/steps.orig"));
        QFile steps(folder + "/journal/steps");
        QVERIFY(steps.resize(steps.size() - 3));
        const RunSeries series = readRunSeries(folder).value();
        QCOMPARE(series.steps().size(), 400);
        QCOMPARE(series.events().size(), std::size_t(3)); // the fourth checkpoint's event was torn
    }

    void saysWhatIsWrong_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QByteArray>("content");
        QTest::newRow("specification") << "spec.json" << QByteArray("{\"trainyard\": 1, \"bacth\": {}}");
        QTest::newRow("journal") << "journal/steps" << QByteArray("this is no journal at all");
        QTest::newRow("attempt") << "attempts/0002.json" << QByteArray("{\"nodes\": 3}");
        QTest::newRow("inventory") << "inventory.json" << QByteArray("[1,");
    }

    void saysWhatIsWrong()
    {
        QFETCH(QString, file);
        QFETCH(QByteArray, content);
        const QString folder = support::writeSampleRun(m_root->path(), {});
        QVERIFY(QDir(folder).mkpath("attempts"));
        overwrite(folder + "/" + file, content);
        const auto run = readRunFolder(folder);
        QVERIFY(!run.ok());
        QCOMPARE(run.error().kind, ErrorKind::BadInput);
        QVERIFY2(run.error().message.find(file.toStdString()) != std::string::npos,
                 run.error().text().c_str());
    }

    void aFolderWithoutARunIsBadInput()
    {
        QCOMPARE(readRunFolder(m_root->filePath("nowhere")).error().kind, ErrorKind::BadInput);
        QCOMPARE(readRunFolder(m_root->path()).error().kind, ErrorKind::BadInput);
    }

    void namesARunByItsId()
    {
        QCOMPARE(nameFromRunId("20261121T091505Z-bert-tiny-3f2a"), QString("bert-tiny"));
        QCOMPARE(nameFromRunId("somebody's folder"), QString("somebody's folder"));
    }

private:
    std::unique_ptr<QTemporaryDir> m_root;
};

QTEST_GUILESS_MAIN(TestRunFolder)
#include "tst_run_folder.moc"
