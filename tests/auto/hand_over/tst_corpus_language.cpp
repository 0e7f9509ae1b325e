#include <QTest>

#include "engine/hand_over/corpus_language.h"

using namespace trainyard;

class TestCorpusLanguage : public QObject {
    Q_OBJECT

private slots:
    void isThatOfAllDumps_data()
    {
        QTest::addColumn<QStringList>("files");
        QTest::addColumn<QString>("language");
        QTest::addRow("one") << QStringList{"enwiki-20260101-pages-articles.xml.bz2"} << "en";
        QTest::addRow("three letters") << QStringList{"cebwiki-latest-pages-articles.xml"} << "ceb";
        QTest::addRow("parts") << QStringList{"dewiki-1-p1.bz2", "dewiki-1-p2.bz2"} << "de";
        QTest::addRow("two languages") << QStringList{"dewiki-1.bz2", "enwiki-1.bz2"} << "";
        QTest::addRow("one of them unknown") << QStringList{"dewiki-1.bz2", "news.xml"} << "";
        QTest::addRow("no files") << QStringList() << "";
        QTest::addRow("pictures") << QStringList{"commonswiki-1.xml"} << "";
        QTest::addRow("dialect") << QStringList{"zh_yuewiki-1.xml"} << "";
        QTest::addRow("capital letters") << QStringList{"ENwiki-1.xml"} << "";
        QTest::addRow("one letter") << QStringList{"ewiki-1.xml"} << "";
    }
    void isThatOfAllDumps()
    {
        QFETCH(QStringList, files);
        QFETCH(QString, language);
        std::vector<std::string> names;
        for (const QString& file : files)
            names.push_back(file.toStdString());
        QCOMPARE(QString::fromStdString(languageOfDumps(names).value_or("")), language);
    }
};

QTEST_GUILESS_MAIN(TestCorpusLanguage)
#include "tst_corpus_language.moc"
