#include <QTemporaryDir>
#include <QTest>

#include "app/exchange/csv_import.h"

using namespace trainyard;

namespace {

std::vector<LoadedRun> load(const char* text)
{
    const CsvTable table = parseCsv(text).value();
    return loadCsv(table, guessColumns(table), "curves", "/tmp/curves.csv").value();
}

} // namespace

class TestCsvImport : public QObject {
    Q_OBJECT

private slots:
    void findsDelimiterAndHeading_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<char>("delimiter");
        QTest::addColumn<bool>("heading");
        QTest::newRow("comma") << QByteArray("step,loss\n1,2.5\n2,2.25\n") << ',' << true;
        QTest::newRow("semicolon, decimal comma") << QByteArray("step;loss\n1;2,5\n2;2,25\n") << ';' << true;
        QTest::newRow("tabulator, Windows") << QByteArray("step\tloss\r\n1\t2.5\r\n2\t2.25") << '\t' << true;
        QTest::newRow("bar, old Mac") << QByteArray("step|loss\r1|2.5\r2|2.25") << '|' << true;
        QTest::newRow("byte order mark")
            << QByteArray("\xef\xbb\xbfstep,loss\n1,2.5\n2,2.25\n") << ',' << true;
        QTest::newRow("quoted") << QByteArray("\"step\",\"loss\"\n\"1\",\"2.5\"\n\"2\",\"2.25\"\n") << ','
                                << true;
        QTest::newRow("blanks, empty lines")
            << QByteArray("step , loss\n\n 1, 2.5 \n2,2.25\n\n") << ',' << true;
        QTest::newRow("no heading") << QByteArray("1,2.5\n2,2.25\n") << ',' << false;
    }

    void findsDelimiterAndHeading()
    {
        QFETCH(QByteArray, text);
        const CsvTable table = parseCsv(text.toStdString()).value();
        QTEST(table.delimiter, "delimiter");
        QTEST(table.hasHeading, "heading");
        QCOMPARE(table.rows, 2u);
        QCOMPARE(table.columns.size(), std::size_t(2));
        QCOMPARE(table.columns[0].name, table.hasHeading ? QString("step") : QString("column 1"));
        QCOMPARE(table.columns[1].cells[0].value, 2.5);
        QCOMPARE(table.columns[1].cells[1].value, 2.25);
    }

    void keepsWhatIsNotFiniteAndLeavesOutWhatIsEmpty()
    {
        const CsvTable table = parseCsv("step,loss\n1,nan\n2,\n3,-inf\n4,broken\n5,1e-400\n").value();
        const CsvColumn& loss = *table.column("Loss");
        QCOMPARE(loss.cells.size(), std::size_t(3));
        QVERIFY(std::isnan(loss.cells[0].value));
        QCOMPARE(loss.cells[1].value, -INFINITY);
        QCOMPARE(loss.cells[1].row, 2u);
        QCOMPARE(loss.cells[2].value, 0.0);
        QCOMPARE(loss.otherCells, std::size_t(1));
    }

    void readsQuotedCells()
    {
        const CsvTable table = parseCsv("step,\"a, \"\"b\"\"\nc\"\n1,2\n").value();
        QCOMPARE(table.columns[1].name, QString("a, \"b\"\nc"));
    }

    void refusesWhatHoldsNoNumber_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::newRow("nothing") << QByteArray();
        QTest::newRow("heading alone") << QByteArray("step,loss\n");
        QTest::newRow("words") << QByteArray("a,b\nc,d\n");
        QTest::newRow("binary") << QByteArray(1000, '\0');
        QTest::newRow("too wide") << QByteArray(20'000, ',');
        QTest::newRow("open quotation") << QByteArray("\"step,loss\n1,2\n");
    }

    void refusesWhatHoldsNoNumber()
    {
        QFETCH(QByteArray, text);
        const auto table = parseCsv(std::string_view(text.constData(), std::size_t(text.size())));
        QVERIFY(!table.ok());
        QCOMPARE(table.error().kind, ErrorKind::BadInput);
    }

    void namesWhatIsWrongAndWhere_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("message");
        const QString open = "a quotation mark is never closed";
        const QString early = "text follows the closing quotation mark of a cell";
        QTest::newRow("open in a row")
            << QByteArray("step,loss\n1,2.5\n2,\"2.25\n3,2\n") << "line 3: " + open;
        QTest::newRow("open in the heading")
            << QByteArray("step,\"loss\n1,2.5\n2,2.25\n") << "line 1: " + open;
        QTest::newRow("open, semicolons") << QByteArray("step;\"loss\n1;2,5\n2;2,25\n") << "line 1: " + open;
        QTest::newRow("open behind quoted lines")
            << QByteArray("step,\"a\nloss\"\r\n1,2\r\n\r\n2,\"3\r\n") << "line 5: " + open;
        QTest::newRow("open, old Mac") << QByteArray("step,loss\r1,2.5\r2,\"2.25\r") << "line 3: " + open;
        QTest::newRow("open, doubled at the end")
            << QByteArray("step,loss\n1,\"2\"\"\n") << "line 2: " + open;
        QTest::newRow("an inch and another")
            << QByteArray("step,loss,size\n1,2,\"5 in\n2,3,\n3,4,\"6 in\n") << "line 2: " + early;
        QTest::newRow("nothing") << QByteArray() << "it is empty";
        QTest::newRow("blank lines") << QByteArray(" \r\n\n") << "it is empty";
        QTest::newRow("heading alone") << QByteArray("step,loss\n") << "it contains no numbers";
        QTest::newRow("UTF-16") << QByteArray("\xff\xfes\0t\0", 6) << "it is encoded in UTF-16";
    }

    void namesWhatIsWrongAndWhere()
    {
        QFETCH(QByteArray, text);
        const auto table = parseCsv(std::string_view(text.constData(), std::size_t(text.size())));
        QVERIFY(!table.ok());
        QCOMPARE(table.error().kind, ErrorKind::BadInput);
        QTEST(QString::fromStdString(table.error().message), "message");
        QVERIFY(!table.error().hint.empty());
    }

    void mayHaveBlanksBehindQuotationMarks()
    {
        const auto runs = load("step , \"loss\" \n\"1\" ,\"2.5\"\t\n");
        QCOMPARE(runs[0].series[0].points, (std::vector<SeriesPoint>{{1, 0, 2.5}}));
    }

    void namesTheFileThatIsNone()
    {
        const QTemporaryDir folder;
        for (const std::filesystem::path file :
             {folder.path().toStdString(), folder.filePath("none.csv").toStdString(),
              std::string("/dev/null")}) {
            const auto table = readCsv(file);
            QVERIFY(!table.ok());
            QVERIFY(table.error().message.find(file.string()) != std::string::npos);
        }
    }

    void refusesATableWithoutASeries_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::newRow("steps alone") << QByteArray("step\n1\n2\n");
        QTest::newRow("steps and times") << QByteArray("step,time\n1,1790000000\n");
        QTest::newRow("values that are words") << QByteArray("step,loss\n1,low\n2,lower\n");
    }

    void refusesATableWithoutASeries()
    {
        QFETCH(QByteArray, text);
        const CsvTable table = parseCsv(text.toStdString()).value();
        const auto runs = loadCsv(table, guessColumns(table), "curves", "/tmp/curves.csv");
        QVERIFY(!runs.ok());
        QCOMPARE(runs.error().kind, ErrorKind::BadInput);
        QVERIFY(runs.error().message.find("/tmp/curves.csv: it has no numeric column") == 0);
    }

    void takesOffThePrefixThatKeepsSpreadsheetsFromComputing()
    {
        const CsvTable table = parseCsv("step,'=loss,''=loss,'loss'\n1,2,3,4\n").value();
        QCOMPARE(table.names(), (QStringList{"step", "=loss", "'=loss", "'loss'"}));
    }

    void usesTheColumnsThatPeopleUsuallyWrite()
    {
        const auto runs =
            load("iteration,_timestamp,train/loss,note\n10,1790000000,2.5,x\n20,1790000060000,2.0,y\n");
        QCOMPARE(runs.size(), std::size_t(1));
        QCOMPARE(runs[0].import.name, QString("curves"));
        QCOMPARE(runs[0].series.size(), std::size_t(1));
        QCOMPARE(runs[0].series[0].points,
                 (std::vector<SeriesPoint>{{10, 1790000000, 2.5}, {20, 1790000060, 2.0}}));
        QCOMPARE(runs[0].import.metrics.at(ImportedMetric::Loss), QString("train/loss"));
    }

    void readsWhatTensorBoardLetsOneDownload()
    {
        const auto runs = load("Wall time,Step,Value\n1790000000.5,1,2.5\n1790000001.5,2,2\n");
        QCOMPARE(runs[0].series[0].name, QString("Value"));
        QCOMPARE(runs[0].series[0].points,
                 (std::vector<SeriesPoint>{{1, 1790000000.5, 2.5}, {2, 1790000001.5, 2}}));
    }

    void dividesTheRunsOfAWandbChart()
    {
        const auto runs =
            load("\"Step\",\"lamb-1 - train/loss\",\"lamb-1 - train/loss__MIN\",\"lamb-1 - "
                 "train/loss__MAX\",\"adam - 2 - train/loss\"\n\"1\",\"2.5\",\"2.4\",\"2.6\",\"\"\n"
                 "\"2\",\"2\",\"2\",\"2\",\"3.5\"\n");
        QCOMPARE(runs.size(), std::size_t(2));
        QCOMPARE(runs[0].import.name, QString("adam - 2"));
        QCOMPARE(runs[0].series[0].points, (std::vector<SeriesPoint>{{2, 0, 3.5}}));
        QCOMPARE(runs[1].import.name, QString("lamb-1"));
        QCOMPARE(runs[1].series.size(), std::size_t(1));
    }

    void readsDates()
    {
        const auto runs = load("date,loss\n2026-11-21T09:15:05Z,1\n2026-11-21 09:15:06.5+00:00,2\n");
        QCOMPARE(runs[0].series[0].points,
                 (std::vector<SeriesPoint>{{1, 1795252505, 1}, {2, 1795252506.5, 2}}));
    }

    void namesAColumnThatHoldsNoNumber()
    {
        const CsvTable table = parseCsv("step,loss,note\n1,2,x\n").value();
        for (const CsvColumns& columns : {CsvColumns{"step", {}, {"note"}}, CsvColumns{"note", {}, {"loss"}},
                                          CsvColumns{"step", "note", {"loss"}}}) {
            const auto runs = loadCsv(table, columns, "x", "x.csv");
            QVERIFY(!runs.ok());
            QCOMPARE(runs.error().message, std::string("x.csv: the column \"note\" has no numbers"));
        }
    }

    void namesAColumnThatIsNotThere()
    {
        const CsvTable table = parseCsv("step,loss\n1,2\n").value();
        const auto runs = loadCsv(table, {"step", {}, {"accuracy"}}, "x", "x");
        QVERIFY(!runs.ok());
        QVERIFY(runs.error().message.find("accuracy") != std::string::npos);
        QVERIFY(runs.error().hint.find("loss") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(TestCsvImport)
#include "tst_csv_import.moc"
