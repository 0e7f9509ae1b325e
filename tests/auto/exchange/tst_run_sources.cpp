#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>

#include "app/exchange/run_sources.h"

using namespace trainyard;

namespace {

const QString kOtherTools = QStringLiteral(TRAINYARD_SOURCE_DIR "/tests/golden/other_tools");

LoadedRuns allRuns(const QString& place)
{
    return loadRuns(place.toStdString()).value();
}

const std::vector<SeriesPoint>& pointsOf(const LoadedRun& run, const QString& name)
{
    const auto series = std::ranges::find(run.series, name, &PointSeries::name);
    if (series == run.series.end())
        qFatal("%s is not there", qPrintable(name));
    return series->points;
}

} // namespace

class TestRunSources : public QObject {
    Q_OBJECT

private slots:
    // What make_golden.py logged through MLflow's client.
    void readsMlflowsFileStore()
    {
        const LoadedRuns loaded = allRuns(kOtherTools + "/mlflow");
        QCOMPARE(loaded.runs.size(), std::size_t(2));
        const LoadedRun& run = loaded.runs.back();
        QCOMPARE(run.import.name, "second");
        QCOMPARE(run.import.format, "MLflow");
        QCOMPARE(run.series.size(), std::size_t(2));
        const auto& loss = pointsOf(run, "loss");
        QCOMPARE(loss.size(), std::size_t(20));
        QCOMPARE(loss[3], (SeriesPoint{6, 1'790'000'006, 8 - 0.6}));
        QVERIFY(std::isnan(pointsOf(run, "val/perplexity")[4].value));
        QCOMPARE(run.import.metrics.at(ImportedMetric::Loss), "loss");
        QCOMPARE(run.import.texts.at("param/learning_rate"), "0.0003");
        QCOMPARE(run.import.texts.at("param/model/size"), "base");
        QCOMPARE(run.import.texts.at("tag/team"), "blue");
        QVERIFY(!run.import.texts.contains("tag/mlflow.runName"));
        QCOMPARE(run.warnings, QStringList());
    }

    void readsAHistoryOfWandbAndNamesWhatItLeavesOut()
    {
        const LoadedRuns loaded = allRuns(kOtherTools + "/wandb");
        QCOMPARE(loaded.runs.size(), std::size_t(1));
        const LoadedRun& run = loaded.runs.front();
        QCOMPARE(run.import.name, "run-20260930_101500-abcd1234");
        QCOMPARE(run.series.size(), std::size_t(2));
        const auto& loss = pointsOf(run, "train/loss");
        QCOMPARE(loss.size(), std::size_t(20));
        QCOMPARE(loss[19], (SeriesPoint{19, 1'790'000'019, 7 - 1.9}));
        QVERIFY(std::isnan(loss[3].value));
        QCOMPARE(pointsOf(run, "val.loss").size(), std::size_t(20));
        QCOMPARE(run.import.texts.at("config/learning_rate"), "0.0003");
        QCOMPARE(run.import.texts.at("config/model.hidden"), "768");
        QCOMPARE(run.import.texts.size(), std::size_t(2));
        QCOMPARE(run.warnings.size(), 2);
        QVERIFY(run.warnings[0].endsWith("skipped 1 line that is not JSON"));
        QCOMPARE(run.warnings[1], "left out what has no numbers: note, weights");
    }

    void readsHyperparametersOfTensorBoard()
    {
        const LoadedRuns loaded = allRuns(kOtherTools + "/hparams");
        const auto& texts = loaded.runs.front().import.texts;
        QCOMPARE(texts.at("hyperparameter/lr"), "0.0003");
        QCOMPARE(texts.at("hyperparameter/layers"), "24");
        QCOMPARE(texts.at("hyperparameter/optimizer"), "lamb");
        QCOMPARE(texts.at("hyperparameter/packed"), "true");
        QCOMPARE(pointsOf(loaded.runs.front(), "hparam/loss").size(), std::size_t(1));
    }

    void findsTheRunsOfAllToolsBelowOneFolder()
    {
        QStringList formats;
        for (const LoadedRun& run : allRuns(kOtherTools).runs)
            formats << run.import.format;
        QCOMPARE(formats, (QStringList{"TensorBoard", "MLflow", "MLflow", "W&B"}));
    }

    void saysWhatIsWrongWithAStore_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QString>("said");
        QTest::addRow("no YAML") << "run/meta.yaml" << QByteArray("run_name: [1, 2") << "meta.yaml, line ";
        QTest::addRow("no map") << "run/meta.yaml" << QByteArray("- 1\n")
                                << "is not a map of names and values";
        QTest::addRow("deep YAML") << "run/meta.yaml" << QByteArray(100'000, '[') << "meta.yaml, line ";
        QTest::addRow("no numbers") << "run.jsonl" << QByteArray("{\"a\": \"b\"}\n[1]\n")
                                    << "no line has a number";
        QTest::addRow("nothing") << "readme.txt" << QByteArray("hello") << "no runs in it";
    }
    void saysWhatIsWrongWithAStore()
    {
        QFETCH(QString, file);
        QFETCH(QByteArray, content);
        QFETCH(QString, said);
        QTemporaryDir folder;
        QVERIFY(QDir(folder.path()).mkpath("run/metrics"));
        QFile written(folder.filePath(file));
        QVERIFY(written.open(QIODevice::WriteOnly) && written.write(content) == content.size());
        written.close();
        const QString place = file.endsWith(".jsonl") ? written.fileName() : folder.path();
        const auto loaded = loadRuns(place.toStdString());
        QVERIFY(!loaded.ok());
        QCOMPARE(loaded.error().kind, ErrorKind::BadInput);
        QVERIFY2(loaded.error().message.find(said.toStdString()) != std::string::npos,
                 loaded.error().message.c_str());
    }

    void skipsLinesOfAMetricThatAreNone()
    {
        QTemporaryDir folder;
        QVERIFY(QDir(folder.path()).mkpath("run/metrics"));
        for (const auto& [name, content] :
             {std::pair("run/meta.yaml", QByteArray("run_id: a\nrun_name: mine\n")),
              {"run/metrics/loss", "1790000000000 3 1\nabc\n1790000001000 2 2\n"}}) {
            QFile file(folder.filePath(name));
            QVERIFY(file.open(QIODevice::WriteOnly) && file.write(content) == content.size());
        }
        const LoadedRuns loaded = allRuns(folder.path());
        QCOMPARE(pointsOf(loaded.runs.front(), "loss").size(), std::size_t(2));
        QVERIFY(loaded.runs.front().warnings.front().endsWith("skipped 1 line without time, value and step"));
    }

    void stopsWhenAsked()
    {
        const auto stopped =
            loadRuns((kOtherTools + "/mlflow").toStdString(), [](const QString&, double) { return false; });
        QVERIFY(!stopped.ok());
        QCOMPARE(stopped.error().kind, ErrorKind::Cancelled);
    }
};

QTEST_GUILESS_MAIN(TestRunSources)
#include "tst_run_sources.moc"
