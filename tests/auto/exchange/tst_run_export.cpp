#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include "app/exchange/csv_import.h"
#include "app/exchange/run_export.h"
#include "app/exchange/run_list_csv.h"
#include "app/exchange/tensorboard_import.h"
#include "app/runs/named_series.h"
#include "app/runs/recorded_run.h"
#include "tests/support/file_content.h"
#include "tests/support/sample_run/sample_run.h"

using namespace trainyard;
using trainyard::support::contentOf;

namespace {

/// A Python that has TensorBoard; empty = there is none here.
QString pythonWithTensorBoard()
{
    const QString chosen = qEnvironmentVariable("TRAINYARD_TENSORBOARD_PYTHON", "python3");
    QProcess probe;
    probe.start(chosen, {"-c", "import tensorboard"});
    return probe.waitForFinished(-1) && probe.exitStatus() == QProcess::NormalExit && probe.exitCode() == 0
               ? chosen
               : QString();
}

const NamedSeries& seriesCalled(const std::vector<NamedSeries>& all, const QString& name)
{
    return *std::find_if(all.begin(), all.end(), [&](const NamedSeries& one) { return one.name == name; });
}

} // namespace

class TestRunExport : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        support::SampleRun sample;
        sample.notFiniteAt = 17;
        sample.killedAt = 150;
        sample.resumedFrom = 100;
        sample.evaluateEvery = 40;
        m_run = readRunFolder(support::writeSampleRun(m_folder->path(), sample)).value();
    }

    void givesEverySeriesThatEverHadAValue()
    {
        QStringList names;
        for (const NamedSeries& one : all())
            names.append(one.name);
        for (const char* name : {"loss", "learning_rate", "gradient_norm", "throughput/sequences_per_second",
                                 "memory/peak_bytes_of_a_rank", "time/compute_seconds",
                                 "time/data_parallel_seconds", "held_out/loss", "held_out/mlm_loss",
                                 "held_out/mlm_accuracy", "held_out/nsp_loss", "held_out/nsp_accuracy"})
            QVERIFY2(names.contains(name), name);
        QVERIFY(!names.contains("held_out/perplexity")); // which is of decoders
    }

    void readsItsOwnEventsBack()
    {
        const auto file = exportTensorBoard(m_run->facts, m_run->series, path("logs")).value();
        QCOMPARE(QString::fromStdString(file.parent_path().filename()), m_run->facts.id);
        const auto logs = findTensorBoardLogs(path("logs")).value();
        const LoadedRun loaded = loadTensorBoardLog(logs.front()).value();
        QVERIFY(loaded.warnings.isEmpty());
        QCOMPARE(loaded.series.size(), all().size());
        for (const PointSeries& series : loaded.series) {
            const NamedSeries original = seriesCalled(all(), series.name);
            QCOMPARE(qsizetype(series.points.size()), original.values.size());
            for (std::size_t i = 0; i < series.points.size(); ++i) {
                QCOMPARE(series.points[i].step, original.steps[qsizetype(i)]);
                const auto value = float(original.values[qsizetype(i)]);
                QVERIFY(float(series.points[i].value) == value || std::isnan(value));
            }
        }
        QVERIFY(loaded.import.texts.at("specification/text_summary").contains("\"learning_rate\""));
        QVERIFY(loaded.import.texts.contains("events/text_summary"));
    }

    void tensorBoardReadsTheSameValues()
    {
        const QString python = pythonWithTensorBoard();
        if (python.isEmpty())
            QSKIP("no Python with TensorBoard here: pip install tensorboard, or name one in "
                  "TRAINYARD_TENSORBOARD_PYTHON");
        QVERIFY(exportTensorBoard(m_run->facts, m_run->series, path("logs")).ok());
        QProcess reader;
        reader.start(python, {"-B", TRAINYARD_SOURCE_DIR "/tests/golden/tensorboard/read_back.py",
                              QString::fromStdString(path("logs"))});
        QVERIFY(reader.waitForFinished(-1));
        const QJsonObject read =
            QJsonDocument::fromJson(reader.readAllStandardOutput()).object()[m_run->facts.id].toObject();
        QVERIFY2(!read.isEmpty(), reader.readAllStandardError().constData());
        const QJsonObject scalars = read["scalars"].toObject();
        QCOMPARE(std::size_t(scalars.size()), all().size());
        for (const NamedSeries& one : all()) {
            const QJsonArray points = scalars[one.name].toArray();
            QCOMPARE(points.size(), one.values.size());
            for (qsizetype i = 0; i < points.size(); ++i) {
                QCOMPARE(points[i][0].toDouble(), one.steps[i]);
                QCOMPARE(points[i][1].toDouble(), one.wallSeconds[i]);
                if (std::isnan(one.values[i]))
                    QCOMPARE(points[i][2].toString(), QString("NaN"));
                else
                    QCOMPARE(float(points[i][2].toDouble()), float(one.values[i]));
            }
        }
        QVERIFY(read["texts"].toObject()["specification/text_summary"].toString().contains("\"optimizer\""));
    }

    void refusesToWriteOverEventsThatAreThere()
    {
        QVERIFY(exportTensorBoard(m_run->facts, m_run->series, path("logs")).ok());
        const auto again = exportTensorBoard(m_run->facts, m_run->series, path("logs"));
        QVERIFY(!again.ok());
        QCOMPARE(again.error().kind, ErrorKind::Refused);
    }

    void csvHoldsTheSameNumbers()
    {
        QVERIFY(exportCsv(m_run->facts, m_run->series, path("run.csv")).ok());
        const CsvTable table = readCsv(path("run.csv")).value();
        QCOMPARE(table.rows, 400u);
        for (const NamedSeries& one : all()) {
            const CsvColumn* column = table.column(one.name);
            QVERIFY2(column, qPrintable(one.name));
            for (const CsvCell& cell : column->cells) {
                const double expected = one.values[one.steps.lowerBound(cell.row + 1)]; // steps begin at 1
                QVERIFY(cell.value == expected || std::isnan(expected));
            }
            QCOMPARE(qsizetype(column->cells.size()), one.values.size());
        }
    }

    void noTableBeginsAFormula()
    {
        LoadedRun loaded;
        loaded.import.name = "=HYPERLINK(\"http://a\")";
        loaded.series = {{"+SUM(A1:A9)", {{1, 0, -0.5}}}, {"@loss", {{1, 0, 2}}}};
        const QString id = writeImportedRun(path("runs"), loaded.import, loaded.series).value();
        const auto run = readRunFolder(QString::fromStdString(path("runs")) + '/' + id).value();
        QVERIFY(exportCsv(run.facts, run.series, path("run.csv")).ok());
        QCOMPARE(contentOf(m_folder->filePath("run.csv")),
                 QByteArray("step,wall_time,'+SUM(A1:A9),'@loss\r\n1,,-0.5,2\r\n"));
        QCOMPARE(readCsv(path("run.csv")).value().names(),
                 (QStringList{"step", "wall_time", "+SUM(A1:A9)", "@loss"}));

        RunEntry entry;
        updateEntry(entry, run.facts, run.series);
        entry.loss = -0.5;
        entry.reason = "-2+3";
        entry.tags = QStringList{"@tag"};
        entry.notes = "\tx";
        const QString list = runListCsv({entry});
        QVERIFY2(list.contains(",\"'=HYPERLINK(\"\"http://a\"\")\","), qPrintable(list));
        QVERIFY2(list.contains(",'-2+3,") && list.contains(",-0.5,"), qPrintable(list));
        QVERIFY2(list.endsWith(",'@tag,'\tx\n"), qPrintable(list));
    }

    void jsonHoldsTheSameNumbers()
    {
        QVERIFY(exportJson(m_run->facts, m_run->series, path("run.json")).ok());
        QFile file(QString::fromStdString(path("run.json")));
        QVERIFY(file.open(QIODevice::ReadOnly));
        QJsonParseError problem;
        const QJsonObject json = QJsonDocument::fromJson(file.readAll(), &problem).object();
        QCOMPARE(problem.errorString(), QString("no error occurred"));
        QCOMPARE(json["state"].toString(), QString("finished"));
        QVERIFY(json["specification"].toObject().contains("optimizer"));
        QVERIFY(!json["events"].toArray().isEmpty());
        const QJsonObject loss = json["series"].toObject()["loss"].toObject();
        const NamedSeries expected = seriesCalled(all(), "loss");
        QCOMPARE(loss["value"].toArray().size(), expected.values.size());
        QCOMPARE(loss["value"][16].toString(), QString("NaN"));
        for (qsizetype i = 17; i < expected.values.size(); ++i)
            QCOMPARE(loss["value"][i].toDouble(), expected.values[i]);
    }

    void jsonHasEveryEvaluation()
    {
        const QJsonObject json = exportedJson(*m_run);
        const QJsonArray evaluations = json["evaluations"].toArray();
        QCOMPARE(evaluations.size(), 10); // the second attempt began with step 101 and replaced that of 120
        for (qsizetype i = 0; i < evaluations.size(); ++i) {
            const QJsonObject one = evaluations[i].toObject();
            const EvaluationRecord expected = support::sampleEvaluation({}, 40 * (i + 1));
            QCOMPARE(one.keys(), (QStringList{"loss", "metrics", "step", "tokens"}));
            QCOMPARE(one["step"].toInteger(), qint64(expected.step));
            QCOMPARE(one["loss"].toDouble(), expected.loss);
            QCOMPARE(one["tokens"].toInteger(), qint64(expected.tokens));
            const QJsonObject metrics = one["metrics"].toObject();
            QCOMPARE(metrics.keys(), (QStringList{"mlm_accuracy", "mlm_loss", "nsp_accuracy", "nsp_loss"}));
            QCOMPARE(metrics["mlm_loss"].toDouble(), expected.tokenLoss);
            QCOMPARE(metrics["nsp_accuracy"].toDouble(), *expected.sequenceAccuracy);
        }
    }

    void jsonHasAnEmptyListWithoutEvaluations()
    {
        support::SampleRun sample;
        sample.name = "plain";
        const auto run = readRunFolder(support::writeSampleRun(m_folder->path(), sample)).value();
        const QJsonObject json = exportedJson(run);
        QVERIFY(json["evaluations"].isArray() && json["evaluations"].toArray().isEmpty());
    }

    void jsonNamesTheMetricsOfADecoder()
    {
        RunFacts facts = m_run->facts;
        facts.spec->model.family = ModelFamily::Gpt;
        EvaluationRecord evaluation{.step = 1, .loss = std::nan(""), .tokenLoss = std::nan("")};
        evaluation.bitsPerByte = 1.5;
        RunSeries series;
        series.apply("steps", {{1, 1, {}, support::sampleStep({}, 1)}, {1, 2, {}, evaluation}});
        const QJsonObject one = exportedJson({facts, series})["evaluations"].toArray().first().toObject();
        QCOMPARE(one["loss"].toString(), QString("NaN"));
        QCOMPARE(one["metrics"].toObject()["bits_per_byte"].toDouble(), 1.5);
        QCOMPARE(one["metrics"].toObject()["perplexity"].toString(), QString("NaN"));
    }

    void csvHasEvaluationsInTheLinesOfTheirSteps()
    {
        QVERIFY(exportCsv(m_run->facts, m_run->series, path("run.csv")).ok());
        const CsvTable table = readCsv(path("run.csv")).value();
        const CsvColumn* losses = table.column("held_out/loss");
        QVERIFY(losses);
        QCOMPARE(losses->cells.size(), std::size_t(10));
        QCOMPARE(losses->cells[0].row, 39u);
        QCOMPARE(losses->cells[0].value, support::sampleEvaluation({}, 40).loss);
    }

    /// Other rhythms of other series: each step once, cells stay empty.
    void anImportGoesOutAsItCameIn()
    {
        const auto logs =
            findTensorBoardLogs(TRAINYARD_SOURCE_DIR "/tests/golden/tensorboard/logs/pytorch").value();
        const LoadedRun loaded = loadTensorBoardLog(logs.front()).value();
        const QString id = writeImportedRun(path("runs"), loaded.import, loaded.series).value();
        const auto run = readRunFolder(QString::fromStdString(path("runs")) + '/' + id).value();
        QVERIFY(exportTensorBoard(run.facts, run.series, path("logs")).ok());
        const LoadedRun again = loadTensorBoardLog(findTensorBoardLogs(path("logs")).value().front()).value();
        QCOMPARE(again.series.size(), loaded.series.size());
        QCOMPARE(again.import.texts, loaded.import.texts);
        QVERIFY(exportCsv(run.facts, run.series, path("run.csv")).ok());
        const CsvTable table = readCsv(path("run.csv")).value();
        QCOMPARE(table.rows, 50u);
        QCOMPARE(table.column("train/lr")->cells.size(), std::size_t(3));
        QCOMPARE(table.column("train/lr")->cells[0].row, 9u);
    }

private:
    std::vector<NamedSeries> all() const { return namedSeries(m_run->facts, m_run->series); }
    QJsonObject exportedJson(const RecordedRun& run) const
    {
        const std::string file = path("exported.json");
        if (!exportJson(run.facts, run.series, file).ok())
            return {};
        return QJsonDocument::fromJson(contentOf(QString::fromStdString(file))).object();
    }
    std::string path(const char* name) const { return m_folder->filePath(name).toStdString(); }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::optional<RecordedRun> m_run;
};

QTEST_GUILESS_MAIN(TestRunExport)
#include "tst_run_export.moc"
