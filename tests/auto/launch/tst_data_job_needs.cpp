#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include "remote/launch/data_job_needs.h"

using namespace trainyard;

/// Which data jobs bring the libraries of Parquet and Arrow along.
class TestDataJobNeeds : public QObject {
    Q_OBJECT

private slots:
    void sendsThemWhereFilesMayBeTables_data()
    {
        QTest::addColumn<QString>("command");
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<bool>("expected");
        const auto row = [](const QStringList& arguments, bool expected, const char* command = "prepare") {
            QTest::addRow("%s %s", command, qPrintable(arguments.join(' ')))
                << command << arguments << expected;
        };
        row({"/d/a.parquet", "--vocab", "v"}, true);
        row({"/d/a.xml.bz2", "/d/b.arrow", "--vocab", "v"}, true);
        row({"/d/squad", "--vocab", "v"}, true);
        row({"/d/corpus_text_document.idx", "/d/other.bin", "--vocab", "v"}, false);
        row({"/d/enwiki-latest-pages-articles1.xml-p10p30302.bz2", "/d/b.jsonl.zst", "--vocab", "v.parquet"},
            false);
        row({"/d/corpus.txt", "--format", "articles"}, false);
        row({"/d/corpus", "--format", "articles"}, false);
        row({"/d/corpus", "--format", "auto"}, true);
        row({"/d/corpus", "--format", "parquet"}, true);
        row({"/d/corpus"}, true, "documents");
        row({"/d/data"}, false, "verify");
        row({"/d/SST-2", "--task", "classify"}, false);
        row({"/d/a.csv", "--task", "classify", "--held-out", "/d/b.parquet"}, true);
        row({"/d/a.arrow", "--task", "tag"}, true);
        row({"--documents", "/d/1"}, false);
    }
    void sendsThemWhereFilesMayBeTables()
    {
        QFETCH(QString, command);
        QFETCH(QStringList, arguments);
        QFETCH(bool, expected);
        const QJsonObject job{
            {"name", "wiki"}, {"command", command}, {"arguments", QJsonArray::fromStringList(arguments)}};
        QCOMPARE(mayReadTables(QJsonDocument(job).toJson()), expected);
    }
};

QTEST_GUILESS_MAIN(TestDataJobNeeds)
#include "tst_data_job_needs.moc"
