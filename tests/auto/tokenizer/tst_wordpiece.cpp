#include <QTest>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include <nlohmann/json.hpp>

#include "datasets/tokenizer/wordpiece.h"
#include "engine/base/file.h"

using namespace trainyard;

namespace {

using Ids = std::vector<std::int32_t>;

std::filesystem::path sharedData()
{
    if (const char* folder = std::getenv("TRAINYARD_SHARED"))
        return std::filesystem::path(folder) / "data";
    return TRAINYARD_SOURCE_DIR "/../shared/data";
}

Vocabulary small()
{
    return Vocabulary::parse(
               "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n[\n]\nmask\nun\n##aff\n##able\naff\nа\n中\n.\n#\n##\n")
        .value();
}

Ids encode(const Vocabulary& vocabulary, std::string_view text, bool cased = false)
{
    Ids ids;
    WordPiece(vocabulary, huggingFaceTables(), cased).encode(text, ids);
    return ids;
}

} // namespace

class TestWordPiece : public QObject {
    Q_OBJECT

private slots:
    void cutsWordsGreedily_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QList<int>>("expected");
        QTest::addRow("longest pieces") << QByteArray("unaffable") << QList<int>{8, 9, 10};
        QTest::addRow("folds case and accents") << QByteArray("ÚNAFFABLE") << QList<int>{8, 9, 10};
        QTest::addRow("unknown rest") << QByteArray("unaffably") << QList<int>{1};
        QTest::addRow("no continuation at a start") << QByteArray("able") << QList<int>{1};
        QTest::addRow("ideographs alone") << QByteArray("un中aff") << QList<int>{8, 13, 11};
        QTest::addRow("punctuation alone") << QByteArray("un.aff") << QList<int>{8, 14, 11};
        QTest::addRow("hash signs") << QByteArray("##aff") << QList<int>{15, 15, 11};
        QTest::addRow("soft hyphen") << QByteArray("un\u00ADaffable") << QList<int>{8, 9, 10};
        QTest::addRow("damaged UTF-8") << QByteArray("un\xFF"
                                                     "affable")
                                       << QList<int>{8, 9, 10};
        QTest::addRow("100 characters") << QByteArray(100, 'x') << QList<int>{1};
        QTest::addRow("nothing") << QByteArray(" \t\n") << QList<int>{};
    }
    void cutsWordsGreedily()
    {
        QFETCH(QByteArray, text);
        QFETCH(QList<int>, expected);
        QCOMPARE(encode(small(), text.toStdString()), Ids(expected.begin(), expected.end()));
    }

    void rawTextNeverBecomesASpecialToken()
    {
        const Vocabulary vocabulary = small();
        for (const bool cased : {false, true}) {
            for (const auto& text : {"[MASK]", "[PAD]", "x[SEP]y", "[CLS] un", "[ MASK ]", "[MASK"}) {
                for (const std::int32_t id : encode(vocabulary, text, cased))
                    QVERIFY(id == vocabulary.special().unknown || !vocabulary.isSpecial(id));
            }
        }
        QCOMPARE(encode(vocabulary, "[mask]"), (Ids{5, 7, 6}));
    }

    void agreesWithHuggingFace_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("key");
        QTest::addColumn<bool>("cased");
        QTest::addRow("30522 uncased") << "vocab_bert_uncased_30522.txt"
                                       << "ids_bert" << false;
        QTest::addRow("30522 cased") << "vocab_bert_uncased_30522.txt"
                                     << "ids_bert_cased" << true;
        QTest::addRow("8000 uncased") << "vocab_8000.txt"
                                      << "ids_v8000" << false;
        QTest::addRow("8000 cased") << "vocab_8000.txt"
                                    << "ids_v8000_cased" << true;
    }
    void agreesWithHuggingFace()
    {
        QFETCH(QString, file);
        QFETCH(QString, key);
        QFETCH(bool, cased);
        const auto folder = sharedData() / "tokenizer";
        if (!std::filesystem::exists(folder))
            QSKIP(
                "the parity lines are not here; set TRAINYARD_SHARED to the folder that has data/tokenizer");
        const auto vocabulary = Vocabulary::load(folder / file.toStdString()).value();
        const WordPiece tokenizer(vocabulary, huggingFaceTables(), cased);
        std::istringstream lines(readFile(folder / "public_500.jsonl").value());
        int compared = 0;
        for (std::string line; std::getline(lines, line);) {
            const auto item = nlohmann::json::parse(line);
            if (item.at("src") == "special")
                continue; // Hugging Face gives special tokens to raw text, we do not
            Ids ids;
            tokenizer.encode(item.at("text").get<std::string>(), ids);
            QVERIFY2(ids == item.at(key.toStdString()).get<Ids>(), item.dump().c_str());
            ++compared;
        }
        QVERIFY(compared > 480);
    }
};

QTEST_APPLESS_MAIN(TestWordPiece)
#include "tst_wordpiece.moc"
