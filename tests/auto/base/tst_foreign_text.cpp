#include <QTest>
#include <nlohmann/json.hpp>

#include "engine/base/json_limits.h"
#include "engine/base/json_problem.h"
#include "engine/base/untrusted_text.h"

using namespace trainyard;

namespace {

QString shown(const char* foreign, Lines lines = Lines::One)
{
    return QString::fromStdString(sanitizeText(foreign, lines));
}

} // namespace

class TestForeignText : public QObject {
    Q_OBJECT

private slots:
    void nothingActs_data()
    {
        QTest::addColumn<QString>("foreign");
        QTest::addColumn<QString>("harmless");
        QTest::addRow("colour") << "\x1b[31mred"
                                << "�[31mred";
        QTest::addRow("title") << "\x1b]0;owned\x07"
                               << "�]0;owned�";
        QTest::addRow("C1 CSI") << QString("a") + QChar(0x9b) + "2J"
                                << "a�2J";
        QTest::addRow("backspace") << "good\b\b\b\bevil"
                                   << "good����evil";
        QTest::addRow("NUL") << QString("a") + QChar(0) + "b"
                             << "a�b";
        QTest::addRow("override") << QString("gpu") + QChar(0x202e) + "exe.txt"
                                  << "gpu�exe.txt";
        QTest::addRow("isolate") << QString(QChar(0x2067)) + "x"
                                 << "�x";
        QTest::addRow("mark") << QString("a") + QChar(0x200f) + QChar(0x61c) << "a��";
        QTest::addRow("zero width") << QString("ro") + QChar(0x200b) + "ot"
                                    << "ro�ot";
        QTest::addRow("line separator") << QString("a") + QChar(0x2028) + "b"
                                        << "a�b";
        QTest::addRow("tag characters") << QString::fromUcs4(U"a\U000E0041") << "a�";
        QTest::addRow("HTML is only text") << "<img src=x>&amp;"
                                           << "<img src=x>&amp;";
        QTest::addRow("languages") << "Grüße, 训练, تدریب, शिक्षा, 👩‍💻"
                                   << "Grüße, 训练, تدریب, शिक्षा, 👩‍💻";
        QTest::addRow("lines") << "a\nb\r\nc\td\re"
                               << "a b c d e";
    }
    void nothingActs()
    {
        QFETCH(QString, foreign);
        QTEST(QString::fromStdString(sanitizeText(foreign.toStdString())), "harmless");
    }

    void keepsLinesWhereThereAreSeveral()
    {
        QCOMPARE(shown("10 %\r20 %\r\n\tdone\n\x1b[K", Lines::Many), "10 %\n20 %\n\tdone\n�[K");
    }

    void isAlwaysUtf8()
    {
        QCOMPARE(shown("\xff\xc0\xafok\xe2\x82"), "���ok��");
        QCOMPARE(shown("\xed\xa0\x80"), "���"); // a surrogate is no character
    }

    void isCutBetweenCharacters()
    {
        QCOMPARE(QString::fromStdString(sanitizeText("ääää", Lines::One, 4)), "ää…");
        QCOMPARE(QString::fromStdString(sanitizeText("abcd", Lines::One, 4)), "abcd");
        const Error error = sanitizeError(failed(std::string(1 << 20, 'x'), "\x1b[2J"));
        QVERIFY(error.message.size() < kShownTextBytes + 8);
        QCOMPARE(QString::fromStdString(error.hint), "�[2J");
    }

    void keepsBothEndsOfALongMessage()
    {
        const std::string shown = shownMessage('"' + std::string(50 << 20, 'x') + "\" cannot name a run");
        QVERIFY(shown.size() < kShownMessageBytes + 8);
        QVERIFY(shown.starts_with("\"xxx"));
        QVERIFY(shown.ends_with("xxx\" cannot name a run"));
        for (int more = 0; more < 3; ++more) { // the end begins anywhere in a character
            const std::string words = std::string(more, 'a') + QString(2000, u'€').toStdString();
            QVERIFY(!QString::fromStdString(shownMessage(words)).contains(QChar::ReplacementCharacter));
        }
        QCOMPARE(shownMessage("a short one"), std::string("a short one"));
    }

    void saysInItsOwnWordsWhatJsonLacks_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("problem");
        QTest::addRow("cut") << QByteArray("{\n  \"files\": [") << "not valid JSON at line 2, column 13";
        QTest::addRow("missing") << QByteArray("{}") << "\"files\" is missing";
        QTest::addRow("other type") << QByteArray(R"({"files": [1]})")
                                    << "a value must be string, but is number";
        QTest::addRow("empty list") << QByteArray(R"({"files": []})") << "a list is too short";
        QTest::addRow("a list") << QByteArray("[]") << "a value has an unexpected type";
        QTest::addRow("beyond") << QByteArray("[1e999]") << "a number is out of range";
    }
    void saysInItsOwnWordsWhatJsonLacks()
    {
        QFETCH(QByteArray, text);
        const std::string json = text.toStdString();
        try {
            nlohmann::json::parse(json).at("files").at(0).get<std::string>();
            QFAIL("was read");
        } catch (const nlohmann::json::exception& problem) {
            QTEST(QString::fromStdString(jsonProblem(problem, json)), "problem");
        }
    }

    void findsWhatWouldOverflowAParser_data()
    {
        QTest::addColumn<QByteArray>("json");
        QTest::addColumn<bool>("fits");
        QTest::addRow("message") << QByteArray(R"({"id":1,"op":"tail","run":"r"})") << true;
        QTest::addRow("64 deep") << QByteArray(64, '[') + QByteArray(64, ']') << true;
        QTest::addRow("65 deep") << QByteArray(65, '[') + QByteArray(65, ']') << false;
        QTest::addRow("a million deep") << QByteArray(1 << 20, '[') << false;
        QTest::addRow("deep objects") << QByteArray(R"({"a":)").repeated(100) << false;
        QTest::addRow("brackets in a text") << '"' + QByteArray(1000, '[') + '"' << true;
        QTest::addRow("an escaped quote") << QByteArray(R"("\")") + QByteArray(1000, '[') + '"' << true;
        QTest::addRow("side by side") << QByteArray("[],").repeated(1000) << true;
        QTest::addRow("200,001 values") << '[' + QByteArray("0,").repeated(200'000) << false;
    }
    void findsWhatWouldOverflowAParser()
    {
        QFETCH(QByteArray, json);
        QTEST(checkJsonLimits(json.toStdString()).ok(), "fits");
    }
};

QTEST_APPLESS_MAIN(TestForeignText)
#include "tst_foreign_text.moc"
