#include <algorithm>
#include <cmath>

#include <QDir>
#include <QFile>
#include <QTest>

#include "app/base/display_text.h"
#include "app/report/equal_hosts.h"
#include "app/report/figure_painter.h"
#include "app/report/html_report.h"
#include "app/report/paged_report.h"
#include "app/report/text_report.h"
#include "app/runs/recorded_run.h"
#include "engine/planner/memory/memory_model.h"
#include "tests/auto/report/study_fixture.h"

Q_DECLARE_METATYPE(trainyard::ReportTemplate)

using namespace trainyard;

namespace {

/// Of 400 steps, evaluated after every fortieth.
support::SampleRun evaluatedSample(const QString& name, int worldSize)
{
    support::SampleRun run;
    run.name = name;
    run.worldSize = worldSize;
    run.evaluateEvery = 40;
    return run;
}

} // namespace

/// Contents of reports.
class TestReport : public QObject, private StudyFixture {
    Q_OBJECT

private slots:
    /// Hourly prices of a node are known, so cost is of each phase and of all.
    void listsThePhasesWithPlanAndCost()
    {
        support::SampleRun run;
        run.secondPhaseAt = 281;
        run.rowLength = 128;
        run.hardware = "p4d.24xlarge";
        const auto document = reportOf({run});
        const ReportSection* section = sectionOf(document, "Phases");
        QVERIFY(section);
        const auto table = blocksOf<ReportTable>(*section).value(0);
        QCOMPARE(table.rows.size(), 3);
        QCOMPARE(table.rows[0].mid(0, 3), (QStringList{"1: short", "280", "128"}));
        QCOMPARE(table.rows[1].mid(0, 3), (QStringList{"2: long", "120", "512"}));
        QCOMPARE(table.rows[2].mid(0, 2), (QStringList{"all", "400"}));
        for (const char* column : {"cost, plan", "cost, actual"}) {
            const qsizetype at = table.columns.indexOf(column);
            const double first = table.rows[0][at].section(' ', 0, 0).toDouble();
            const double second = table.rows[1][at].section(' ', 0, 0).toDouble();
            const double all = table.rows[2][at].section(' ', 0, 0).toDouble();
            QVERIFY2(std::abs(all - first - second) <= 0.01 * all, qPrintable(table.rows[2].join(" | ")));
        }
        const auto cost = blocksOf<ReportTable>(*sectionOf(document, "Cost")).value(0);
        QCOMPARE(cost.rows[0].value(3), table.rows[2].value(table.columns.indexOf("cost, plan")));
        QCOMPARE(cost.rows[0].value(4), table.rows[2].value(table.columns.indexOf("cost, actual")));
        QCOMPARE(cost.rows[0].value(5), cost.rows[0].value(4)); // all steps are done
        QCOMPARE(blocksOf<ReportTable>(*sectionOf(document, "Data set")).size(), 2);
        for (const ReportFigure& figure : blocksOf<ReportFigure>(*sectionOf(document, "Curves")))
            QCOMPARE(figure.marks, (QList<ReportMark>{{280.5, "phase 2: long"}}));
        QVERIFY(!sectionOf(reportOf({support::SampleRun()}), "Phases"));
    }

    void marksThePhasesOfHeldOutFigures()
    {
        support::SampleRun run;
        run.secondPhaseAt = 281;
        run.evaluateEvery = 40;
        const auto document = reportOf({run});
        const auto figures = blocksOf<ReportFigure>(*sectionOf(document, "Held-out evaluation"));
        QVERIFY(figures.size() > 1); // loss and other metrics
        for (const ReportFigure& figure : figures) {
            QCOMPARE(figure.marks, (QList<ReportMark>{{280.5, "phase 2: long"}}));
            QVERIFY(QString::fromUtf8(figureSvg(figure)).contains(">phase 2: long<"));
        }
        QCOMPARE(toHtml(document).count(">phase 2: long<"), figures.size() + 4); // with those of the curves
        run.secondPhaseAt = 0;
        const auto plain = reportOf({run});
        QVERIFY(!toHtml(plain).contains(">phase 2"));
    }

    void hasEverySectionOfAStudy()
    {
        QStringList titles;
        for (const ReportSection& section : m_study->sections)
            titles << section.title;
        QCOMPARE(titles, (QStringList{"Summary", "Scaling", "Curves", "Step time", "Memory per device",
                                      "Cost", "Settings", "Data set", "Environment", "Events",
                                      "Settings at their defaults"}));
    }

    void drawsEveryStepOfEveryRun()
    {
        const auto figures = blocksOf<ReportFigure>(*sectionOf(*m_study, "Curves"));
        QCOMPARE(figures.size(), 4);
        for (const ReportCurve& curve : figures[0].curves) {
            QCOMPARE(curve.x.size(), 120);
            QCOMPARE(curve.x.front(), 1.0);
            QCOMPARE(curve.x.back(), 120.0);
        }
    }

    void computesTheEfficiencyOfTheStudy()
    {
        const auto table = blocksOf<ReportTable>(*sectionOf(*m_study, "Scaling")).value(0);
        QCOMPARE(table.rows.size(), 2);
        QCOMPARE(table.rows[0].value(5), "100.0 %");
        const double speedUp = table.rows[1].value(6).toDouble();
        const double efficiency = table.rows[1].value(5).remove(" %").toDouble() / 100;
        QVERIFY2(std::abs(efficiency - speedUp / 2) < 0.006, qPrintable(table.rows[1].join(' ')));
    }

    /// The columns of the tables that others publish of such studies.
    void hasTheScalingTableThatOthersPublish()
    {
        const auto table = blocksOf<ReportTable>(*sectionOf(*m_study, "Scaling")).value(0);
        QCOMPARE(table.columns.mid(0, 6), (QStringList{"model", "instances", "ranks", "sequences/s",
                                                       "sequences/s per rank", "efficiency"}));
        QCOMPARE(table.rows[1].mid(0, 3), (QStringList{"bert-tiny", "1", "2"}));
        QVERIFY2(table.caption.contains("efficiency against 1 rank"), qPrintable(table.caption));
    }

    void tellsTheIdealFromTheMeasured()
    {
        const auto figure = blocksOf<ReportFigure>(*sectionOf(*m_study, "Scaling")).value(0);
        QCOMPARE(figure.curves.size(), 2);
        QCOMPARE(figure.curves[0].look, ReportCurve::Look::Marked);
        QCOMPARE(figure.curves[1].look, ReportCurve::Look::Dashed);
        const QString svg = QString::fromUtf8(figureSvg(figure));
        QVERIFY(svg.contains(">1<") && svg.contains(">2<"));
        QVERIFY2(!svg.contains(">1.5<"), "there is no rank and a half");
    }

    void plansMemoryForTheRowsOfTheDataSet()
    {
        const QString dataset = m_folder.filePath("rows of 512");
        QVERIFY(writeManifest(dataset, 512, 80));
        const auto planned = plannedColumn(dataset);
        const RunSpec spec = *readRunFolder(m_two)->facts.spec;
        const MemoryEstimate expected = estimateMemory(spec, {512, 80});
        QCOMPARE(planned.value("activations"),
                 displayBytes(double(expected.bytes[std::size_t(MemoryCategory::Activations)])));
        QCOMPARE(planned.value("all"), displayBytes(double(expected.total())));
        QVERIFY(planned.value("all") != displayBytes(double(estimateMemory(spec, {}).total())));
    }

    void plansNothingForRowsThatItCannotSee()
    {
        for (const QString& cell : plannedColumn("/not/on/this/machine"))
            QCOMPARE(cell, "–");
    }

    void drawsThePlanBesideTheMeasurement()
    {
        for (const char* title : {"Memory per device", "Step time"}) {
            const auto figure = blocksOf<ReportFigure>(*sectionOf(*m_study, title)).value(0);
            const auto planned = std::ranges::count_if(figure.layers, &ReportLayer::isPlanned);
            QCOMPARE(planned * 2, figure.layers.size());
            for (const ReportLayer& layer : figure.layers) {
                QCOMPARE(layer.values.size(), figure.bars.size());
                QVERIFY(toCsv(*m_study).contains(',' + layer.name + ','));
                QVERIFY(toJson(*m_study).contains(layer.name.toUtf8()));
            }
        }
    }

    void tellsTheTimeThatWasPlanned()
    {
        const auto study = blocksOf<ReportTable>(*sectionOf(*m_study, "Step time"));
        QCOMPARE(study.size(), 2); // the steps of two runs, and their causes
        const auto single = buildReport(QStringList{m_two}, m_hardware).value();
        const auto causes = blocksOf<ReportTable>(*sectionOf(single, "Step time")).value(0);
        QCOMPARE(causes.rows.last().front(), "step");
        for (const QStringList& row : study[0].rows + QList<QStringList>{causes.rows.last()}) {
            for (const QString& cell : row)
                QVERIFY2(cell != "–", qPrintable(row.join(' ')));
        }
        QVERIFY(toHtml(*m_study).contains("Planned for cpu-node"));
    }

    void saysHowToGetAPlanOfTheTime()
    {
        support::SampleRun run;
        run.steps = run.reached = 5;
        run.rowLength = 128;
        QTemporaryDir folder;
        const auto document =
            buildReport(QStringList{support::writeSampleRun(folder.path(), run)}, m_hardware).value();
        const auto said = blocksOf<QString>(*sectionOf(document, "Step time"));
        QVERIFY(said.value(0).contains("trainyard calibrate"));
        QVERIFY(blocksOf<QString>(*sectionOf(document, "Memory per device")).isEmpty());
    }

    void showsWhatDiffersBetweenRuns()
    {
        const auto tables = blocksOf<ReportTable>(*sectionOf(*m_study, "Settings"));
        QCOMPARE(tables.size(), 2);
        QVERIFY(fieldsIn(tables[0]).contains("layout.data"));
        QVERIFY(!fieldsIn(tables[0]).contains("optimizer.learning_rate"));
        QCOMPARE(tables[0].rows[fieldsIn(tables[0]).indexOf("layout.data")].front(), "Data parallel");
    }

    void defaultsComeLastAndFolded()
    {
        const ReportSection& last = m_study->sections.back();
        QVERIFY(last.isFolded);
        const auto unset = fieldsIn(blocksOf<ReportTable>(last).value(0));
        const auto set = fieldsIn(blocksOf<ReportTable>(*sectionOf(*m_study, "Settings")).value(1));
        QVERIFY(unset.contains("launch.slurm.partition"));
        QVERIFY(!set.contains("launch.slurm.partition"));
        QVERIFY(set.contains("launch.steps"));
        QVERIFY(toHtml(*m_study).contains("<details>"));
        for (const QString& field : set)
            QVERIFY2(!unset.contains(field), qPrintable(field));
    }

    void takesTheTemplateThatTheRunsAskFor_data()
    {
        QTest::addColumn<QStringList>("folders");
        QTest::addColumn<QString>("name");
        QTest::addRow("one run") << QStringList{m_two} << "run";
        QTest::addRow("two sizes of one model") << QStringList{m_one, m_two} << "scaling";
        QTest::addRow("twice the same size") << QStringList{m_two, m_two} << "comparison";
    }

    void takesTheTemplateThatTheRunsAskFor()
    {
        QFETCH(QStringList, folders);
        QFETCH(QString, name);
        const auto pattern = reportTemplateFromName(name.toStdString());
        QVERIFY(pattern);
        QCOMPARE(buildReport(folders, m_hardware).value(),
                 buildReport(folders, m_hardware, {pattern}).value());
    }

    void refusesATemplateThatSaysNothingOfTheRuns_data()
    {
        QTest::addColumn<ReportTemplate>("pattern");
        QTest::addColumn<QStringList>("folders");
        QTest::addRow("run") << ReportTemplate::Run << QStringList{m_one, m_two};
        QTest::addRow("comparison") << ReportTemplate::Comparison << QStringList{m_one};
        QTest::addRow("scaling") << ReportTemplate::Scaling << QStringList{m_two, m_two};
        QTest::addRow("data set") << ReportTemplate::DataSet << QStringList{m_one};
    }

    void refusesATemplateThatSaysNothingOfTheRuns()
    {
        QFETCH(ReportTemplate, pattern);
        QFETCH(QStringList, folders);
        const auto document = buildReport(folders, m_hardware, {pattern});
        QVERIFY(!document.ok());
        QCOMPARE(document.error().kind, ErrorKind::BadInput);
        QVERIFY(!document.error().hint.empty());
    }

    void tellsWhatTheHostsSaidBeforeTheLaunch()
    {
        const auto tables = blocksOf<ReportTable>(*sectionOf(*m_study, "Environment"));
        QCOMPARE(tables.size(), 3);
        QCOMPARE(tables[0].rows.size(), 2);
        QCOMPARE(tables[1].rows.size(), 1); // both runs found the same host
        QVERIFY(tables[1].rows[0].contains("6.1.0-28-amd64"));
        QCOMPARE(tables[2].rows, (QList<QStringList>{{"localhost", "locked memory", "warn", "8.00 MiB",
                                                      "raise memlock in limits.conf"}}));
    }

    void tellsWhatTheRunsCost()
    {
        NodeModel rented = HardwareLibrary({}).find("cpu-node").value();
        rented.name = "rented";
        rented.price = {3.6, "EUR", "2026-11"};
        QTemporaryDir folder;
        const HardwareLibrary own(folder.path().toStdString());
        QVERIFY(own.store("rented", rented).ok());
        support::SampleRun run;
        run.steps = 200;
        run.reached = 100;
        run.hardware = "rented";
        run.rowLength = 128;
        const auto document =
            buildReport(QStringList{support::writeSampleRun(folder.path(), run)}, own).value();
        const auto table = blocksOf<ReportTable>(*sectionOf(document, "Cost")).value(0);
        QCOMPARE(table.rows.size(), 1);
        const double all = table.rows[0].value(4).section(' ', 0, 0).toDouble();
        const double soFar = table.rows[0].value(5).section(' ', 0, 0).toDouble();
        QVERIFY2(std::abs(soFar / all - 0.5) < 0.01, qPrintable(table.rows[0].join(" | ")));
        // 0.42 s a step with two ranks, at 3.60 EUR an hour.
        QVERIFY2(std::abs(all - 200 * 0.42 * 3.6 / 3600) < 0.1 * all, qPrintable(table.rows[0].join(" | ")));
    }

    void reportsHeldOutEvaluationsOfARun()
    {
        support::SampleRun sample = evaluatedSample("evaluated", 2);
        sample.overfitsAt = 200;
        const auto document = reportOf({sample});
        const ReportSection* section = sectionOf(document, "Held-out evaluation");
        QVERIFY(section);
        const auto figures = blocksOf<ReportFigure>(*section);
        QCOMPARE(figures.size(), 3); // loss, and two accuracies
        QCOMPARE(figures[0].curves.size(), 2);
        QCOMPARE(figures[0].curves[0].x.size(), 400);
        QCOMPARE(figures[0].curves[1].name, QString("held-out"));
        QCOMPARE(figures[0].curves[1].x, (QList<double>{40, 80, 120, 160, 200, 240, 280, 320, 360, 400}));
        QCOMPARE(figures[0].curves[1].y[4], support::sampleEvaluation(sample, 200).loss);
        const auto tables = blocksOf<ReportTable>(*section);
        QCOMPARE(tables.size(), 3);
        QCOMPARE(tables[0].rows.size(), 1);
        QCOMPARE(tables[0].columns.mid(0, 5),
                 (QStringList{"run", "evaluations", "last loss", "lowest loss", "at step"}));
        QCOMPARE(tables[0].rows[0].mid(0, 2), (QStringList{"evaluated", "10"}));
        QCOMPARE(tables[0].rows[0].value(4), QString("200"));
        QCOMPARE(tables[0].rows[0].value(tables[0].columns.indexOf("masked-LM accuracy")),
                 displayPercent(support::sampleEvaluation(sample, 200).tokenAccuracy));
        QVERIFY2(tables[1].caption.startsWith("Time, tokens and cost to the lowest held-out loss"),
                 qPrintable(tables[1].caption));
        QCOMPARE(tables[1].rows[0].value(2), QString("200"));
        QCOMPARE(tables[2].rows.size(), 10);
        QVERIFY(!sectionOf(reportOf({support::SampleRun()}), "Held-out evaluation"));
    }

    void reportsTheMetricsOfATask()
    {
        support::SampleRun sample = evaluatedSample("questions", 2);
        sample.task = TaskKind::Answer;
        const auto document = reportOf({sample});
        const ReportSection* section = sectionOf(document, "Held-out evaluation");
        QVERIFY(section);
        const auto figures = blocksOf<ReportFigure>(*section);
        QCOMPARE(figures.size(), 3); // loss, exact match and F1
        QCOMPARE(figures[1].caption, QString("Held-out exact match (%)"));
        QCOMPARE(figures[2].curves[0].y.last(), support::sampleEvaluation(sample, 400).task.f1.value_or(0));
        const auto tables = blocksOf<ReportTable>(*section);
        QVERIFY(tables[0].columns.contains("exact match (%)") && tables[0].columns.contains("F1"));
        QVERIFY(!tables[0].columns.contains("masked-LM accuracy"));
    }

    void tellsTimeTokensAndCostToTheTarget()
    {
        support::SampleRun one = evaluatedSample("one", 1);
        one.heldOutTarget = 5;
        support::SampleRun two = evaluatedSample("two", 2);
        two.heldOutTarget = 5;
        const auto tables = blocksOf<ReportTable>(*sectionOf(reportOf({two, one}), "Held-out evaluation"));
        QVERIFY2(tables[1].caption.contains("a held-out loss of 5.000 (evaluation.target)"),
                 qPrintable(tables[1].caption));
        QCOMPARE(tables[1].columns,
                 (QStringList{"run", "ranks", "after step", "time", "tokens", "cost", "speed-up"}));
        const int step = [&] {
            int reached = 40;
            while (support::sampleEvaluation(one, reached).loss > 5)
                reached += 40;
            return reached;
        }();
        QCOMPARE(tables[1].rows[0].mid(0, 3), (QStringList{"one", "1", QString::number(step)}));
        QCOMPARE(tables[1].rows[1].mid(0, 3), (QStringList{"two", "2", QString::number(step)}));
        QCOMPARE(tables[1].rows[0].value(6), QString("1.00"));
        // Amdahl's law of the samples, and evaluations that take as long on both.
        const double speedUp = tables[1].rows[1].value(6).toDouble();
        QVERIFY2(speedUp > 1.7 && speedUp < 1.95, qPrintable(tables[1].rows[1].join(" | ")));
    }

    void runsWithoutACommonTargetAreComparedByWhatAllReach()
    {
        support::SampleRun good = evaluatedSample("good", 1);
        support::SampleRun bad = evaluatedSample("bad", 2);
        bad.heldOutTarget = 3; // of one of them alone
        bad.overfitsAt = 80;
        const auto tables = blocksOf<ReportTable>(*sectionOf(reportOf({good, bad}), "Held-out evaluation"));
        const double reached =
            std::min(support::sampleEvaluation(bad, 80).loss, support::sampleEvaluation(bad, 120).loss);
        QVERIFY2(tables[1].caption.contains("a held-out loss of " + displayLoss(reached) +
                                            ", which all runs reach"),
                 qPrintable(tables[1].caption));
        for (const QStringList& row : tables[1].rows)
            QVERIFY2(row.value(2) != "not reached", qPrintable(row.join(" | ")));
    }

    void saysThatATargetWasNotReached()
    {
        support::SampleRun sample = evaluatedSample("short", 2);
        sample.heldOutTarget = 0.5;
        const auto tables = blocksOf<ReportTable>(*sectionOf(reportOf({sample}), "Held-out evaluation"));
        QCOMPARE(tables[1].rows[0].value(2), QString("not reached"));
    }

    void drawsHostsWhereThereAreMoreRanksThanBarsFit()
    {
        support::SampleRun run;
        run.steps = run.reached = 5;
        run.rowLength = 128;
        run.hosts.clear();
        for (int host = 0; host < 64; ++host)
            run.hosts << QStringLiteral("rental-eu-west-3-gpu-node-%1.cluster.example.org")
                             .arg(host, 6, 10, QChar('0'));
        run.worldSize = 512;
        QTemporaryDir folder;
        const auto document =
            buildReport(QStringList{support::writeSampleRun(folder.path(), run)}, m_hardware).value();
        const auto figure = blocksOf<ReportFigure>(*sectionOf(document, "Memory per device")).value(0);
        QCOMPARE(figure.bars.size(), 64);
        QVERIFY2(figure.caption.contains("each host"), qPrintable(figure.caption));
        const auto hosts = blocksOf<ReportTable>(*sectionOf(document, "Environment"))[1];
        QCOMPARE(hosts.rows.size(), 1);
        QCOMPARE(hosts.rows[0][0], QString("64 x rental-eu-west-3-gpu-node-000000.cluster.example.org to "
                                           "rental-eu-west-3-gpu-node-000063.cluster.example.org"));
        QVERIFY(PagedReport(document).pageCount() < 40);
    }

    void namesHostsInShort_data()
    {
        QTest::addColumn<QString>("names");
        QTest::addColumn<QString>("inShort");
        QTest::addRow("one") << "gpu-01"
                             << "gpu-01";
        QTest::addRow("two are named") << "gpu-01 gpu-02"
                                       << "gpu-01, gpu-02";
        QTest::addRow("a row of numbers") << "gpu-8 gpu-9 gpu-10"
                                          << "gpu-8 to gpu-10";
        QTest::addRow("a hole") << "n1 n2 n3 n5"
                                << "n1 to n3, n5";
        QTest::addRow("numbers of another length") << "n8 n9 n010"
                                                   << "n8, n9, n010";
        QTest::addRow("of other domains") << "n1.a n2.b n3.a"
                                          << "n1.a, n2.b, n3.a";
        QTest::addRow("without numbers") << "anna ben"
                                         << "anna, ben";
    }
    void namesHostsInShort()
    {
        QFETCH(QString, names);
        QTEST(shortList(names.split(' ')), "inShort");
    }

    void keepsHostsApartThatDiffer()
    {
        const ReportTable table{
            "Hosts", {"host", "cores"}, {{"a1", "8"}, {"a2", "8"}, {"b1", "16"}, {"a3", "8"}}};
        QCOMPARE(withEqualHostsFolded(table).rows, (QList<QStringList>{{"3 x a1 to a3", "8"}, {"b1", "16"}}));
    }

    void reportsOnADataSet()
    {
        const ReportDocument document = dataSetReport();
        QStringList titles;
        for (const ReportSection& section : document.sections)
            titles << section.title;
        QCOMPARE(titles, (QStringList{"Summary", "Contents", "Lengths", "Samples", "Preparation", "Shards"}));
        const auto lengths = blocksOf<ReportFigure>(*sectionOf(document, "Lengths")).value(0);
        QCOMPARE(lengths.bars, (QStringList{"32", "64", "96", "128"}));
        QCOMPARE(lengths.layers.value(0).values, (QList<double>{0, 10, 20, 70}));
        const auto samples = blocksOf<ReportTable>(*sectionOf(document, "Samples")).value(0);
        QCOMPARE(samples.rows.value(0),
                 (QStringList{"a.hdf5", "7", "random", "the train {MASK} departs ‖ at noon"}));
        QVERIFY(toHtml(document).contains("valid: every invariant of rows and manifest holds"));
    }

    void saysThatADataSetIsDamaged()
    {
        DataSetFindings findings = dataSetFindings();
        findings.rows = VerifyReport{false, {}, {"a.hdf5: row 3: a masked position is not in the row"}, {}};
        const ReportDocument document = buildDataSetReport(findings);
        QVERIFY(toHtml(document).contains("damaged"));
        QVERIFY(toCsv(document).contains("row 3: a masked position is not in the row"));
    }

    void namesAFolderThatIsNoRun()
    {
        const auto document = buildReport(QStringList{m_folder.filePath("nothing")}, m_hardware);
        QVERIFY(!document.ok());
        QCOMPARE(document.error().kind, ErrorKind::BadInput);
        QVERIFY(document.error().message.find("nothing") != std::string::npos);
    }

private:
    ReportDocument reportOf(const QList<support::SampleRun>& samples) const
    {
        const QTemporaryDir folder;
        QStringList runs;
        for (const support::SampleRun& sample : samples)
            runs << support::writeSampleRun(folder.path(), sample);
        return buildReport(runs, m_hardware).value();
    }
    static bool writeManifest(const QString& folder, int length, int predictions)
    {
        const QJsonObject manifest{{"version", 1},
                                   {"sequence_length", length},
                                   {"max_predictions", predictions},
                                   {"vocabulary_size", 30522},
                                   {"vocabulary_sha256", "07eced37"},
                                   {"statistics", QJsonObject{{"documents", 105}, {"tokens", 527681}}},
                                   {"shards", QJsonArray()}};
        QDir().mkpath(folder);
        QFile file(folder + "/manifest.json");
        return file.open(QIODevice::WriteOnly) && file.write(QJsonDocument(manifest).toJson()) > 0;
    }

    /// What the report of a run on that data set says is planned, by category.
    QMap<QString, QString> plannedColumn(const QString& dataset) const
    {
        support::SampleRun run;
        run.steps = run.reached = 5;
        run.datasetPath = dataset;
        QTemporaryDir folder;
        const auto document =
            buildReport(QStringList{support::writeSampleRun(folder.path(), run)}, m_hardware).value();
        QMap<QString, QString> planned;
        for (const QStringList& row :
             blocksOf<ReportTable>(*sectionOf(document, "Memory per device")).last().rows)
            planned[row[0]] = row[1];
        return planned;
    }
};

QTEST_MAIN(TestReport)
#include "tst_report.moc"
