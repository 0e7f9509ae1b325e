#include <algorithm>
#include <cmath>
#include <functional>

#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QRegularExpression>
#include <QTest>
#include <QXmlStreamReader>

#include "app/base/display_text.h"
#include "app/report/column_widths.h"
#include "app/report/html_report.h"
#include "app/report/paged_report.h"
#include "app/report/report_writer.h"
#include "app/report/text_report.h"
#include "app/report/thinned_curve.h"
#include "tests/auto/report/study_fixture.h"
#include "tests/support/file_content.h"

using namespace trainyard;
using trainyard::support::contentOf;

/// Reports as HTML, PDF, CSV and JSON.
class TestReportFormats : public QObject, private StudyFixture {
    Q_OBJECT

private slots:
    void writesAllFormatsAtOnce()
    {
        const auto files = writeReportInAllFormats(*m_study, m_folder.filePath("study"));
        QVERIFY(files.ok());
        QCOMPARE(files->size(), 4);
        for (const QString& file : *files)
            QVERIFY2(QFileInfo(file).size() > 1000, qPrintable(file));
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
        QVERIFY(toCsv(hostile).contains(",'=1+1\n"));
    }

    void keepsNumbersNumbersInCsv()
    {
        const ReportDocument document{
            "t", {}, {{"s", {ReportTable{{}, {"a", "b"}, {{"-1.5", "x, \"y\""}}}}}}};
        QVERIFY2(toCsv(document).endsWith("s,,1,a,,,-1.5,,-1.5\ns,,1,b,,,,,\"x, \"\"y\"\"\"\n"),
                 qPrintable(toCsv(document)));
    }

    void tellsNumbersFromTheirUnits_data()
    {
        QTest::addColumn<QString>("cell");
        QTest::addColumn<QString>("value");
        QTest::addColumn<QString>("unit");
        QTest::addRow("count") << displayCount(1'234'567) << "1234567"
                               << "";
        QTest::addRow("bytes") << displayBytes(1.5 * 1024 * 1024 * 1024) << "1.5"
                               << "GiB";
        QTest::addRow("percent") << displayPercent(0.827) << "82.7"
                                 << "%";
        QTest::addRow("seconds") << displaySeconds(0.82) << "820"
                                 << "ms";
        QTest::addRow("large") << displayLarge(336e6) << "3.36e+08"
                               << "";
        QTest::addRow("minutes") << displaySeconds(200) << ""
                                 << "";
        QTest::addRow("text") << "bert-large"
                              << ""
                              << "";
        QTest::addRow("none") << "–"
                              << ""
                              << "";
    }
    void tellsNumbersFromTheirUnits()
    {
        QFETCH(QString, cell);
        QFETCH(QString, value);
        QFETCH(QString, unit);
        const ReportDocument document{"t", {}, {{"s", {ReportTable{{}, {"a"}, {{cell}}}}}}};
        const QString row = "s,,1,a,,," + value + ',' + unit + ',';
        QVERIFY2(toCsv(document).contains(row), qPrintable(toCsv(document)));
        const auto first =
            QJsonDocument::fromJson(toJson(document))["sections"][0]["blocks"][0]["rows"][0][0];
        QCOMPARE(first.isDouble(), !value.isEmpty() && unit.isEmpty());
    }

    void saysTheSameInEveryFormat_data()
    {
        QTest::addColumn<bool>("ofDataSet");
        QTest::addRow("study") << false;
        QTest::addRow("data set") << true;
    }

    /// Every heading, caption, paragraph and cell of the document, in the HTML, the PDF's text, the CSV and
    /// the JSON.
    void saysTheSameInEveryFormat()
    {
        QFETCH(bool, ofDataSet);
        const ReportDocument document = ofDataSet ? dataSetReport() : *m_study;
        const QString html = toHtml(document);
        const QString pages = PagedReport(document).text();
        const QString csv = toCsv(document);
        const QString json = plainTextOf(toJson(document)); // numbers are numbers there
        static const QRegularExpression isNumber(
            QStringLiteral("^[-\\x{2212}]?\\d[\\d\\x{2009}\\x{202f} .e+-]*( million| billion)?$"));
        for (const QString& said : sayingsOf(document)) {
            QVERIFY2(html.contains(said.toHtmlEscaped()), qPrintable("HTML: " + said));
            QVERIFY2(pages.contains(said), qPrintable("PDF: " + said));
            QVERIFY2(csv.contains(QString(said).replace('"', "\"\"")), qPrintable("CSV: " + said));
            QVERIFY2(isNumber.match(said).hasMatch() || json.contains(said), qPrintable("JSON: " + said));
        }
    }

    void breaksNoWordWhereTheColumnsHaveRoomForIt()
    {
        const QFontMetricsF metrics{QFont()};
        const double word = metrics.horizontalAdvance("efficiency");
        const QString sentence = QStringList(40, "word").join(' ');
        const ReportTable table{
            {}, {"run", "efficiency", "words"}, {{"a", "1", sentence}, {"b", "2", "short"}}};
        const QList<double> widths = columnWidths(table, metrics, 2, 400);
        QVERIFY(std::abs(widths[0] + widths[1] + widths[2] - 400) < 0.001);
        QVERIFY(widths[1] >= word + 4);
        QVERIFY(widths[2] > widths[1]);
    }

    void breaksOnlyTheLongestWordsWhereNotAllFit()
    {
        const QFontMetricsF metrics{QFont()};
        const QString name(60, 'n');
        const ReportTable table{{}, {"run", "state", "steps"}, {{name, "running", "2 412"}}};
        const double width = metrics.horizontalAdvance(name) * 0.8;
        const QList<double> widths = columnWidths(table, metrics, 2, width);
        QVERIFY(std::abs(widths[0] + widths[1] + widths[2] - width) < 0.001);
        QVERIFY(widths[1] >= metrics.horizontalAdvance("running") + 4);
        QVERIFY(widths[2] >= metrics.horizontalAdvance("steps") + 4);
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

    void replacesNoSpecification()
    {
        const QString spec = m_folder.filePath("alike.json");
        QVERIFY(QFile::copy(m_two + "/spec.json", spec));
        const QByteArray before = contentOf(spec);
        const auto files = writeReportInAllFormats(*m_study, m_folder.filePath("alike"));
        QVERIFY(!files.ok());
        QCOMPARE(files.error().kind, ErrorKind::BadInput);
        QCOMPARE(contentOf(spec), before);
        QVERIFY(QFile::remove(spec));
        QVERIFY(writeReport(*m_study, spec).ok());
        QVERIFY2(writeReport(*m_study, spec).ok(), "a report may replace a report");
    }

    void namesTheFolderThatIsMissing()
    {
        const Status status = writeReport(*m_study, m_folder.filePath("nowhere/report.html"));
        QCOMPARE(status.error().kind, ErrorKind::BadInput);
        QVERIFY2(status.error().message.ends_with("there is no folder " +
                                                  m_folder.filePath("nowhere").toStdString()),
                 status.error().message.c_str());
    }

    void keepsEveryExtremeOfALongCurve()
    {
        ReportCurve curve{"loss", {}, {}};
        for (int step = 1; step <= 1'000'000; ++step) {
            curve.x << step;
            curve.y << (step == 123'457   ? 99.0
                        : step == 765'431 ? -99.0
                        : step == 500'001 ? qQNaN()
                                          : step % 7);
        }
        const ReportCurve thin = thinned(curve);
        QVERIFY2(thin.x.size() <= 5 * kCurveBuckets, qPrintable(QString::number(thin.x.size())));
        QCOMPARE(thin.x.front(), 1.0);
        QCOMPARE(thin.x.back(), 1e6);
        QCOMPARE(thin.y.value(thin.x.indexOf(123'457)), 99.0);
        QCOMPARE(thin.y.value(thin.x.indexOf(765'431)), -99.0);
        QVERIFY(std::isnan(thin.y.value(thin.x.indexOf(500'001))));
        QVERIFY(std::ranges::is_sorted(thin.x));
    }

private:
    static void addSayings(const ReportTable& table, QStringList& all)
    {
        all << table.caption << table.columns;
        for (const QStringList& row : table.rows)
            all << row;
    }

    static QStringList sayingsOf(const ReportDocument& document)
    {
        QStringList all{document.title, document.subtitle};
        for (const ReportSection& section : document.sections) {
            all << section.title;
            for (const ReportBlock& block : section.blocks) {
                if (const auto* text = std::get_if<QString>(&block))
                    all << *text;
                else if (const auto* figure = std::get_if<ReportFigure>(&block))
                    all << figure->caption;
                else
                    addSayings(std::get<ReportTable>(block), all);
            }
        }
        return all;
    }

    /// Keys and texts, one a line.
    static QString plainTextOf(const QByteArray& json)
    {
        QString text;
        const std::function<void(const QJsonValue&)> add = [&](const QJsonValue& value) {
            if (value.isString())
                text += value.toString() + QLatin1Char('\n');
            for (const QJsonValue& entry : value.toArray())
                add(entry);
            for (const QJsonValue& entry : value.toObject())
                add(entry);
        };
        add(QJsonDocument::fromJson(json).object());
        return text;
    }
};

QTEST_MAIN(TestReportFormats)
#include "tst_report_formats.moc"
