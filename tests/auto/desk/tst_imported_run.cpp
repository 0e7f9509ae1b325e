#include <QTemporaryDir>
#include <QTest>

#include "app/runs/imported_run.h"
#include "app/runs/recorded_run.h"
#include "app/runs/run_query.h"
#include "app/runs/run_store.h"

using namespace trainyard;

namespace {

constexpr double kStart = 1'795'252'505; // 2026-11-21 09:15:05 UTC

PointSeries ramp(const QString& name, int stride, int rows, double scale)
{
    PointSeries series{name, {}};
    for (int i = 1; i <= rows; ++i)
        series.points.push_back({double(i * stride), kStart + i * stride, scale * i});
    return series;
}

RunImport import(const std::vector<PointSeries>& series)
{
    RunImport import;
    import.name = "lr sweep / 3e-4";
    import.format = "TensorBoard";
    import.source = "/logs/sweep";
    import.importedMs = qint64(kStart * 1000) + 1;
    QStringList names;
    for (const PointSeries& one : series)
        names.append(one.name);
    import.metrics = guessMetrics(names);
    import.texts["notes/text_summary"] = "two\nlines";
    return import;
}

} // namespace

class TestImportedRun : public QObject {
    Q_OBJECT

private slots:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void recognisesTheUsualNames_data()
    {
        QTest::addColumn<QStringList>("names");
        QTest::addColumn<QString>("loss");
        QTest::addColumn<QString>("rate");
        QTest::newRow("Hugging Face")
            << QStringList{"eval/loss", "train/loss", "train/learning_rate"} << "train/loss"
            << "train/learning_rate";
        QTest::newRow("Megatron-LM") << QStringList{"lm loss", "learning-rate", "grad-norm"} << "lm loss"
                                     << "learning-rate";
        QTest::newRow("Lightning") << QStringList{"epoch", "train_loss", "lr"} << "train_loss"
                                   << "lr";
        QTest::newRow("Keras") << QStringList{"evaluation_loss_vs_iterations", "epoch_loss"} << "epoch_loss"
                               << QString();
        QTest::newRow("none") << QStringList{"accuracy"} << QString() << QString();
    }

    void recognisesTheUsualNames()
    {
        QFETCH(QStringList, names);
        const MetricSeries metrics = guessMetrics(names);
        const auto of = [&](ImportedMetric metric) {
            const auto at = metrics.find(metric);
            return at == metrics.end() ? QString() : at->second;
        };
        QTEST(of(ImportedMetric::Loss), "loss");
        QTEST(of(ImportedMetric::LearningRate), "rate");
    }

    void aRunOfOursThatComesBackIsNamedAsBefore()
    {
        const std::vector series{ramp("loss", 1, 10, 0.5)};
        RunImport ours = import(series);
        ours.name = "20261122T214943Z-demo-e3f2";
        const auto id = writeImportedRun(m_folder->path().toStdString(), ours, series);
        QVERIFY2(id.ok(), id.ok() ? "" : id.error().text().c_str());
        QVERIFY2(id->startsWith("20261121T091506Z-demo-"), qPrintable(*id));
    }

    void aLaterPointOfAStepReplacesTheEarlierOne()
    {
        std::vector<SeriesPoint> points{{1, 10, 5}, {3, 12, 4}, {2, 11, 3}, {3, 9, 2}};
        putInOrder(points);
        QCOMPARE(points, (std::vector<SeriesPoint>{{1, 10, 5}, {2, 11, 3}, {3, 11, 2}}));
    }

    void isARunLikeOthers()
    {
        const std::vector series{ramp("train/loss", 1, 100, 0.5), ramp("train/lr", 10, 10, 1e-4),
                                 ramp("eval/accuracy", 25, 4, 0.1)};
        const auto id = writeImportedRun(m_folder->path().toStdString(), import(series), series);
        QVERIFY2(id.ok(), id.ok() ? "" : id.error().text().c_str());
        QVERIFY2(id->startsWith("20261121T091506Z-lr-sweep-3e-4-"), qPrintable(*id));

        const auto run = readRunFolder(m_folder->filePath(*id)).value();
        QCOMPARE(run.facts.name(), QString("lr sweep / 3e-4"));
        QCOMPARE(run.facts.import->format, QString("TensorBoard"));
        QCOMPARE(run.facts.import->texts.at("notes/text_summary"), QString("two\nlines"));
        QCOMPARE(run.facts.import->tables.size(), std::size_t(3)); // one for each rhythm
        const StepTable& steps = run.series.steps();
        QCOMPARE(steps.size(), 100);
        QCOMPARE(steps.last(StepColumn::Loss), 50.0);
        QCOMPARE(steps.column(StepColumn::LearningRate)[34], 3e-4); // held since step 30
        QVERIFY(std::isnan(steps.column(StepColumn::LearningRate)[8]));
        QVERIFY(std::isnan(steps.last(StepColumn::SequencesPerSecond)));
        QCOMPARE(steps.last(StepColumn::TrainingSeconds), 99.0);
        QVERIFY(isFinal(run.series.status().state));
    }

    void whatWasNotRecordedIsAbsentAndWhatWasRecordedAsNaNIsNot()
    {
        std::vector series{ramp("loss", 1, 100, 0.5), ramp("lr", 10, 10, 1e-4), ramp("samples", 1, 100, 8)};
        series[0].points[40].value = std::numeric_limits<double>::quiet_NaN();
        for (PointSeries& one : series) { // a clock that tells seconds, of several steps each
            for (SeriesPoint& point : one.points)
                point.wallSeconds = std::floor(point.step / 5);
        }
        const QString id = writeImportedRun(m_folder->path().toStdString(), import(series), series).value();
        const auto run = readRunFolder(m_folder->filePath(id)).value();
        const StepTable& steps = run.series.steps();
        const auto counts = [&](StepColumn figure) {
            const SeriesColumn values = steps.recorded(figure, figure);
            const ValueSummary all = values.summary(0, values.size());
            return std::pair{all.finite, all.notFinite};
        };
        QCOMPARE(counts(StepColumn::Loss), (std::pair<std::uint64_t, std::uint64_t>{99, 1}));
        QCOMPARE(counts(StepColumn::LearningRate), (std::pair<std::uint64_t, std::uint64_t>{91, 0}));
        QCOMPARE(steps.recorded(StepColumn::Step, StepColumn::LearningRate).first(), 10.0);
        QCOMPARE(counts(StepColumn::GradientNorm), (std::pair<std::uint64_t, std::uint64_t>{0, 0}));
        QCOMPARE(counts(StepColumn::SequencesPerSecond), (std::pair<std::uint64_t, std::uint64_t>{96, 0}));
    }

    void entersTheHistoryAsImported()
    {
        const std::vector series{ramp("loss", 1, 3, 1)};
        const QString runs = m_folder->filePath("runs");
        const QString id = writeImportedRun(runs.toStdString(), import(series), series).value();
        auto library = RunDatabase::open(m_folder->filePath("history.db")).value();
        RunStore desk(*library, runs, nullptr);
        QVERIFY(library->find(id));
        QVERIFY(RunQuery("is:imported sweep").matches(*library->find(id)));
        QCOMPARE(library->find(id)->loss, 3.0);
        QVERIFY(desk.open(id).ok());
    }

    void seriesWithoutValuesAreNoRun()
    {
        const std::vector<PointSeries> series{{"loss", {}}};
        QVERIFY(!writeImportedRun(m_folder->path().toStdString(), import(series), series).ok());
        QVERIFY(QDir(m_folder->path()).isEmpty());
    }

    void damageIsToldByItsFile()
    {
        const std::vector series{ramp("loss", 1, 3, 1)};
        const QString id = writeImportedRun(m_folder->path().toStdString(), import(series), series).value();
        QFile description(m_folder->filePath(id + "/run.json"));
        QVERIFY(description.open(QIODevice::WriteOnly));
        description.write("{}");
        description.close();
        const auto run = readRunFolder(m_folder->filePath(id));
        QVERIFY(!run.ok());
        QVERIFY(run.error().message.find("run.json") != std::string::npos);
    }

private:
    std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_GUILESS_MAIN(TestImportedRun)
#include "tst_imported_run.moc"
