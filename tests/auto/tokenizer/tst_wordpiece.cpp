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

namespace fs = std::filesystem;

/// Lines and ids that tests/golden/tokenizer/make_golden.py took from the implementations themselves.
fs::path golden()
{
    return TRAINYARD_SOURCE_DIR "/tests/golden/tokenizer";
}

/// Further lines with the ids of Hugging Face, which are no part of the repository.
fs::path furtherLines()
{
    const char* shared = std::getenv("TRAINYARD_SHARED");
    const fs::path data =
        shared ? fs::path(shared) / "data" : fs::path(TRAINYARD_SOURCE_DIR "/../shared/data");
    return data / "tokenizer";
}

std::vector<nlohmann::json> readLines(const fs::path& file)
{
    std::istringstream text(readFile(file).value());
    std::vector<nlohmann::json> lines;
    for (std::string line; std::getline(text, line);)
        lines.push_back(nlohmann::json::parse(line));
    return lines;
}

Ids encode(const WordPiece& tokenizer, std::string_view text)
{
    Ids ids;
    tokenizer.encode(text, ids);
    return ids;
}

Vocabulary small()
{
    return Vocabulary::parse(
               "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n[\n]\nmask\nun\n##aff\n##able\naff\nа\n中\n.\n#\n##\n")
        .value();
}

Ids encode(const Vocabulary& vocabulary, std::string_view text, bool cased = false)
{
    return encode(WordPiece(vocabulary, huggingFaceTables(), cased), text);
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

    void givesTheIdsOfTheImplementation_data()
    {
        QTest::addColumn<QString>("vocabulary");
        QTest::addColumn<QString>("lines");
        QTest::addColumn<QString>("key");
        QTest::addColumn<bool>("google");
        QTest::addColumn<bool>("cased");
        const auto row = [](const char* name, const fs::path& folder, const char* vocabulary,
                            const char* lines, const char* key, bool google, bool cased) {
            QTest::addRow("%s", name) << QString::fromStdString(folder / vocabulary)
                                      << QString::fromStdString(folder / lines) << key << google << cased;
        };
        const auto ours = [&](const char* name, const char* key, bool google, bool cased) {
            row(name, golden(), "vocab.txt", "lines.jsonl", key, google, cased);
        };
        ours("Hugging Face, uncased", "hf", false, false);
        ours("Hugging Face, cased", "hf_cased", false, true);
        ours("Google's Python, uncased", "google_py", true, false);
        ours("Google's Python, cased", "google_py_cased", true, true);
        if (!fs::exists(furtherLines()))
            return;
        const auto further = [&](const char* name, const char* vocabulary, const char* key, bool cased) {
            row(name, furtherLines(), vocabulary, "public_500.jsonl", key, false, cased);
        };
        further("30522 uncased", "vocab_bert_uncased_30522.txt", "ids_bert", false);
        further("30522 cased", "vocab_bert_uncased_30522.txt", "ids_bert_cased", true);
        further("8000 uncased", "vocab_8000.txt", "ids_v8000", false);
        further("8000 cased", "vocab_8000.txt", "ids_v8000_cased", true);
    }
    void givesTheIdsOfTheImplementation()
    {
        QFETCH(QString, vocabulary);
        QFETCH(QString, lines);
        QFETCH(QString, key);
        QFETCH(bool, google);
        QFETCH(bool, cased);
        const WordPiece tokenizer(Vocabulary::load(vocabulary.toStdString()).value(),
                                  google ? googlePythonTables() : huggingFaceTables(), cased);
        int compared = 0;
        for (const auto& line : readLines(lines.toStdString())) {
            if (line.value("src", "") == "special")
                continue; // made by a tokenizer that gives special tokens to raw text
            const Ids ids = encode(tokenizer, line.at("text").get<std::string>());
            QVERIFY2(ids == line.at(key.toStdString()).get<Ids>(), line.dump().c_str());
            ++compared;
        }
        QVERIFY(compared > 300);
    }
};

QTEST_APPLESS_MAIN(TestWordPiece)
#include "tst_wordpiece.moc"
