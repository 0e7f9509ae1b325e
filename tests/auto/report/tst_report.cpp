#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>
#include <QXmlStreamReader>

#include <algorithm>

#include "app/models/display_text.h"
#include "app/models/hardware_library.h"
#include "app/models/run_folder.h"
#include "app/report/figure_painter.h"
#include "app/report/html_report.h"
#include "app/report/paged_report.h"
#include "app/report/report_builder.h"
#include "app/report/report_writer.h"
#include "app/report/text_report.h"
#include "engine/planner/memory_model.h"
#include "tests/support/sample_run/sample_run.h"

using namespace trainyard;

namespace {

const ReportSection* sectionOf(const ReportDocument& document, const QString& title)
{
    for (const ReportSection& section : document.sections) {
        if (section.title == title)
            return &section;
    }
    return nullptr;
}

template <typename Block>
QList<Block> blocksOf(const ReportSection& section)
{
    QList<Block> found;
    for (const ReportBlock& block : section.blocks) {
        if (const auto* typed = std::get_if<Block>(&block))
            found << *typed;
    }
    return found;
}

QByteArray contentOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

class TestReport : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        support::SampleRun two;
        two.steps = two.reached = 120;
        two.hardware = "cpu-node";
        two.rowLength = 128;
        support::SampleRun one = two;
        one.name = "bert-tiny-1r";
        one.id = "20261121T090000Z-bert-tiny-1r-aaaa";
        one.worldSize = 1;
        one.secondsPerStep = 0.8;
        m_two = support::writeSampleRun(m_folder.path(), two);
        m_one = support::writeSampleRun(m_folder.path(), one);
        QVERIFY(!m_one.isEmpty() && !m_two.isEmpty());
        m_study =
            std::make_unique<ReportDocument>(buildReport(QStringList{m_one, m_two}, m_hardware).value());
    }

    void hasEverySectionOfAStudy()
    {
        QStringList titles;
        for (const ReportSection& section : m_study->sections)
            titles << section.title;
        QCOMPARE(titles, (QStringList{"Summary", "Scaling", "Curves", "Memory per device", "Step time",
                                      "Data set", "Hosts", "Specification", "Events"}));
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
        const double speedUp = table.rows[1].value(4).toDouble();
        const double efficiency = table.rows[1].value(5).remove(" %").toDouble() / 100;
        QVERIFY2(std::abs(efficiency - speedUp / 2) < 0.006, qPrintable(table.rows[1].join(' ')));
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
                QVERIFY(toCsv(*m_study).contains('\n' + layer.name + ','));
                QVERIFY(toJson(*m_study).contains(layer.name.toUtf8()));
            }
        }
    }

    void tellsTheTimeThatWasPlanned()
    {
        const auto tables = blocksOf<ReportTable>(*sectionOf(*m_study, "Step time"));
        QCOMPARE(tables.size(), 4); // causes and figures of two runs
        const QStringList step = tables[0].rows.last();
        QCOMPARE(step.front(), "step");
        for (const QString& cell : step)
            QVERIFY2(cell != "–", qPrintable(step.join(' ')));
        QVERIFY(toHtml(*m_study).contains("planned for cpu-node"));
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
        const auto tables = blocksOf<ReportTable>(*sectionOf(*m_study, "Specification"));
        QCOMPARE(tables.size(), 2);
        QStringList differing;
        for (const QStringList& row : tables[0].rows)
            differing << row.front();
        QVERIFY(differing.contains("layout.data"));
        QVERIFY(!differing.contains("optimizer.learning_rate"));
    }

    void writesWellFormedSelfContainedHtml()
    {
        const QString html = toHtml(*m_study);
        QXmlStreamReader xml(html);
        int figures = 0;
        while (!xml.atEnd()) {
            if (xml.readNext() == QXmlStreamReader::StartElement && xml.name() == QLatin1String("svg"))
                ++figures;
        }
        QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
        QVERIFY2(figures >= 8, qPrintable(QString::number(figures)));
        QVERIFY(!html.contains("<script"));
        QVERIFY(!html.contains("src="));
        QVERIFY(!html.contains("href="));
        QVERIFY(!html.contains("<image"));
    }

    void escapesTextFromElsewhere()
    {
        const ReportDocument hostile{
            "<b>run</b>",
            "a & b",
            {{"<script>", {QString("\"<img>\""), ReportTable{"<i>", {"<u>"}, {{"=1+1"}}}}}}};
        const QString html = toHtml(hostile);
        for (const char* tag : {"<b>", "<script>", "<img>", "<i>", "<u>"})
            QVERIFY2(!html.contains(tag), tag);
        QVERIFY(toCsv(hostile).contains("\n'=1+1\n"));
    }

    void keepsNumbersNumbersInCsv()
    {
        const ReportDocument document{
            "t", {}, {{"s", {ReportTable{{}, {"a", "b"}, {{"-1.5", "x, \"y\""}}}}}}};
        QVERIFY2(toCsv(document).endsWith("a,b\n-1.5,\"x, \"\"y\"\"\"\n"), qPrintable(toCsv(document)));
    }

    void saysTheSameInEveryFormat()
    {
        const QString html = toHtml(*m_study);
        const QString csv = toCsv(*m_study);
        const QJsonArray sections = QJsonDocument::fromJson(toJson(*m_study)).object()["sections"].toArray();
        QCOMPARE(sections.size(), m_study->sections.size());
        for (const ReportSection& section : m_study->sections) {
            for (const ReportTable& table : blocksOf<ReportTable>(section)) {
                for (const QStringList& row : table.rows) {
                    for (const QString& cell : row) {
                        QVERIFY2(html.contains(cell.toHtmlEscaped()), qPrintable(cell));
                        QVERIFY2(csv.contains(QString(cell).replace('"', "\"\"")), qPrintable(cell));
                    }
                }
            }
        }
    }

    void numbersThePagesOfThePdf()
    {
        const QString file = m_folder.filePath("report.pdf");
        QVERIFY(writeReport(*m_study, file).ok());
        const QByteArray pdf = contentOf(file);
        QVERIFY(pdf.startsWith("%PDF-"));
        const PagedReport pages(*m_study);
        QVERIFY(pages.pageCount() >= 3);
        QCOMPARE(pdf.count("/Type /Page\n"), pages.pageCount());
        QVERIFY2(!pdf.contains("/Subtype /Image"), "figures must be vectors");
    }

    void refusesAnUnknownEndingAndLeavesNothing()
    {
        const Status status = writeReport(*m_study, m_folder.filePath("report.docx"));
        QVERIFY(!status.ok());
        QVERIFY(status.error().text().find(".html, .pdf, .csv or .json") != std::string::npos);
        QVERIFY(!QFile::exists(m_folder.filePath("report.docx")));
    }

    void namesTheFolderThatIsMissing()
    {
        const Status status = writeReport(*m_study, m_folder.filePath("nowhere/report.html"));
        QCOMPARE(status.error().kind, ErrorKind::BadInput);
        QVERIFY2(status.error().message.ends_with("there is no folder " +
                                                  m_folder.filePath("nowhere").toStdString()),
                 status.error().message.c_str());
    }
    void namesAFolderThatIsNoRun()
    {
        const auto document = buildReport(QStringList{m_folder.filePath("nothing")}, m_hardware);
        QVERIFY(!document.ok());
        QCOMPARE(document.error().kind, ErrorKind::BadInput);
        QVERIFY(document.error().message.find("nothing") != std::string::npos);
    }

private:
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

    QTemporaryDir m_folder;
    HardwareLibrary m_hardware{m_folder.filePath("hardware").toStdString()};
    QString m_one;
    QString m_two;
    std::unique_ptr<ReportDocument> m_study;
};

QTEST_MAIN(TestReport)
#include "tst_report.moc"
