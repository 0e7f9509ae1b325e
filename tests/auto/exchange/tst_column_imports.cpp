// Histories of runs in Parquet files, which trainyard-prepare reads.
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>

#include "app/exchange/run_sources.h"
#include "engine/base/file.h"

using namespace trainyard;
namespace fs = std::filesystem;

namespace {

QString problemOf(const Result<LoadedRuns>& loaded)
{
    return loaded.ok() ? QString() : QString::fromStdString(loaded.error().text());
}

const PointSeries* seriesNamed(const LoadedRun& run, const QString& name)
{
    const auto found = std::ranges::find(run.series, name, &PointSeries::name);
    return found == run.series.end() ? nullptr : &*found;
}

} // namespace

class TestColumnImports : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        qputenv("TRAINYARD_BIN", TRAINYARD_BIN_DIR);
        QCOMPARE(QProcess::execute(TRAINYARD_SOURCE_DIR "/tests/auto/exchange/write_run_tables.py",
                                   {m_folder.path()}),
                 0);
    }

    void readsHistoriesOfWandb()
    {
        QVERIFY(isRunSource(file("history.parquet")));
        const auto loaded = loadRuns(file("history.parquet"));
        QVERIFY2(loaded.ok(), qPrintable(problemOf(loaded)));
        QCOMPARE(loaded->runs.size(), std::size_t(1));
        const LoadedRun& run = loaded->runs.front();
        QCOMPARE(run.import.format, QString("W&B"));
        QCOMPARE(run.import.name, QString("history"));
        QCOMPARE(run.series.size(), std::size_t(2));
        const PointSeries* losses = seriesNamed(run, "train/loss");
        QCOMPARE(losses->points.size(), std::size_t(5));
        QCOMPARE(losses->points[4], (SeriesPoint{4, 1.7e9 + 4, 1.5}));
        QVERIFY(std::isnan(losses->points[2].value));
        QCOMPARE(seriesNamed(run, "eval/loss")->points.size(), std::size_t(2));
        QVERIFY(run.warnings.join(' ').contains("note"));
        QCOMPARE(run.import.metrics.at(ImportedMetric::Loss), QString("train/loss"));
    }

    void readsRunsOfNeptune()
    {
        const auto loaded = loadRuns(m_folder.path().toStdString());
        QVERIFY2(loaded.ok(), qPrintable(problemOf(loaded)));
        QCOMPARE(loaded->runs.size(), std::size_t(3)); // history.parquet is not named as one
        const auto run = std::ranges::find(loaded->runs, QString("first"),
                                           [](const LoadedRun& one) { return one.import.name; });
        QVERIFY(run != loaded->runs.end());
        QCOMPARE(run->import.format, QString("Neptune"));
        const PointSeries* losses = seriesNamed(*run, "metrics/loss");
        QCOMPARE(losses->points.size(), std::size_t(5)); // of both parts
        QCOMPARE(losses->points[3], (SeriesPoint{3, 1767312003, 7}));
        QCOMPARE(run->import.texts.at("config/config/lr"), QString("0.1"));
        QCOMPARE(run->import.texts.at("config/config/layers"), QString("12"));
        QCOMPARE(run->import.texts.at("config/config/tied"), QString("true"));
        QVERIFY(run->warnings.join(' ').contains("model"));
    }

    void takesSeveralRunsOfOneFile()
    {
        const auto loaded = loadRuns(file("both_part_0.parquet"));
        QVERIFY2(loaded.ok(), qPrintable(problemOf(loaded)));
        QCOMPARE(loaded->runs.size(), std::size_t(2));
        QCOMPARE(loaded->runs[0].import.name, QString("RUN-2"));
        QCOMPARE(loaded->runs[1].series.front().points.size(), std::size_t(2));
    }

    void canBeCancelled()
    {
        const auto loaded = loadRuns(file("long.parquet"), [](const QString&, double) { return false; });
        QVERIFY(!loaded.ok());
        QVERIFY(loaded.error().kind == ErrorKind::Cancelled);
    }

    void namesTheFileThatIsDamaged()
    {
        QVERIFY(writeFileAtomically(file("damaged.parquet"), "PAR1 and no more").ok());
        const auto loaded = loadRuns(file("damaged.parquet"));
        QVERIFY(!loaded.ok());
        QVERIFY(loaded.error().kind == ErrorKind::BadInput);
        QVERIFY2(problemOf(loaded).contains("damaged.parquet: the file is damaged"),
                 qPrintable(problemOf(loaded)));
    }

    void saysWhatIsMissing()
    {
        qputenv("TRAINYARD_BIN", "/nowhere");
        const auto loaded = loadRuns(file("history.parquet"));
        qputenv("TRAINYARD_BIN", TRAINYARD_BIN_DIR);
        QVERIFY(!loaded.ok());
        QVERIFY2(problemOf(loaded).contains("trainyard-prepare could not be started"),
                 qPrintable(problemOf(loaded)));
    }

private:
    fs::path file(const char* name) const { return fs::path(m_folder.path().toStdString()) / name; }

    QTemporaryDir m_folder;
};

QTEST_GUILESS_MAIN(TestColumnImports)
#include "tst_column_imports.moc"
