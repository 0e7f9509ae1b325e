#include <QTest>

#include "datasets/corpus/rule_segmenter.h"

using namespace trainyard;

class TestSentenceSegmenter : public QObject {
    Q_OBJECT

private slots:
    void splitsAtTheEndOfSentences_data()
    {
        QTest::addColumn<QString>("expected"); // with "|" where it splits
        for (const char* text : {
                 "It is old.|It is new.",
                 "Is it?|Yes!|No...|Well.",
                 "He said \"It is old.\"|She laughed.",
                 "It is old (or new).|(It was.)|It is.",
                 "It is 3.5 m high.|It fell 2.4 times.",
                 "Dr. Smith met Mr. J. R. R. Tolkien and Prof. Lee.|They talked.",
                 "The U.S. Army came.|It left.",
                 "He lived in the U.S.|The town was small.",
                 "See No. 5 and vol. 3, p. 12 of it.|No.|It is not.",
                 "They make cars, trucks, etc.|The firm is large.",
                 "Acme Inc. makes cars.|It is large.",
                 "It opened at 5 p.m. on Monday.|It closed at 6 p.m.|The crowd left.",
                 "The film \"Who? me\" is old.|It runs.",
                 "e.g. this and i.e. that.|So be it.",
                 "He fell... and rose.|He walked.",
                 "It rose to 1000 m.|The top is flat.",
                 "1. It is the first of 12 rules.|2. It is not.",
                 "彼は言った。|そうだ！|はい。",
                 "Él vino.|Ésta no.|Über alles.",
                 "It costs 5 $.|5 people paid.",
                 "no capital here. but it goes on.",
                 "Left open",
             })
            QTest::addRow("%s", text) << QString::fromUtf8(text);
    }
    void splitsAtTheEndOfSentences()
    {
        QFETCH(QString, expected);
        const QByteArray paragraph =
            QString(expected).replace("。|", "。").replace("！|", "！").replace('|', ' ').toUtf8();
        QStringList found;
        for (const std::string_view sentence :
             splitSentences({paragraph.data(), static_cast<std::size_t>(paragraph.size())}))
            found << QString::fromUtf8(sentence.data(), static_cast<qsizetype>(sentence.size()));
        QCOMPARE(found.join('|'), expected);
    }

    void losesNothingButBlanks()
    {
        const std::string text = "  A b.  C d?! E. (F) g. \" H. ... I ";
        std::string joined, expected;
        for (const std::string_view sentence : splitSentences(text))
            joined += sentence;
        for (const char c : text)
            expected += c == ' ' ? "" : std::string(1, c);
        joined.erase(std::remove(joined.begin(), joined.end(), ' '), joined.end());
        QCOMPARE(joined, expected);
    }

    void givesNothingForNothing()
    {
        QVERIFY(splitSentences("").empty());
        QVERIFY(splitSentences("   ").empty());
    }
};

QTEST_APPLESS_MAIN(TestSentenceSegmenter)
#include "tst_sentence_segmenter.moc"
