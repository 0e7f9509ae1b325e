#include <QTest>

#include <array>
#include <filesystem>
#include <random>
#include <sstream>

#include <nlohmann/json.hpp>

#include "datasets/tokenizer/text_normalizer.h"
#include "datasets/tokenizer/wordpiece_encoder.h"
#include "engine/base/file.h"
#include "engine/base/hash.h"
#include "engine/base/utf8.h"
#include "tests/support/reference_data.h"

using namespace trainyard;

namespace {

using Ids = std::vector<std::int32_t>;

namespace fs = std::filesystem;

/// Lines and ids that tests/golden/tokenizer/make_golden.py took from the implementations themselves.
fs::path golden()
{
    return TRAINYARD_SOURCE_DIR "/tests/golden/tokenizer";
}

/// Further lines with the ids of Hugging Face, which are not part of the repository.
fs::path furtherLines()
{
    return referenceData("tokenizer");
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

Ids encode(WordPieceEncoder& encoder, std::string_view text)
{
    Ids ids;
    encoder.encode(text, ids);
    return ids;
}

/// Characters of every kind in words of every length, with few enough of them that words come back.
std::string randomText(std::mt19937& random, std::size_t bytes)
{
    static const std::array<std::string, 24> kCharacters{
        "a",    "b",       "A", "E", "un",     "able",   ".",      "-",  "[",  std::string(1, '\0'), "\v",
        "\x7F", "é",       "Σ", "ß", "\u0301", "\u00A0", "\u2028", "中", "가", "\U0001F600",         "\xC3",
        "\xFF", "\xF0\x9F"};
    std::string text;
    while (text.size() < bytes) {
        const std::size_t longest = random() % 8 == 0 ? 130 : 10; // characters
        for (std::size_t i = random() % longest; i > 0; --i)
            text += kCharacters[random() % (random() % 3 == 0 ? kCharacters.size() : 6)];
        for (std::size_t blanks = random() % 5 == 0 ? random() % 4 : 1; blanks > 0; --blanks)
            text += " \t\n\r"[random() % 4];
    }
    return text.substr(0, bytes);
}

Vocabulary small()
{
    return Vocabulary::parse(
               "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n[\n]\nmask\nun\n##aff\n##able\naff\nа\n中\n.\n#\n##\n"
               "##\u302E\n##\U0001E000\n")
        .value();
}

Ids encode(const Vocabulary& vocabulary, std::string_view text, bool cased = false)
{
    return encode(WordPiece(vocabulary, huggingFaceTables(), cased), text);
}

/// Hashes the words of every code point, alone and between letters and marks that it may move or fold.
std::string hashOfAllCodePoints(const TextNormalizer& normalizer)
{
    Xxh3 hash;
    for (char32_t code = 0; code < 0x110000; ++code) {
        std::array<char, kMaxUtf8Length> bytes{};
        const std::string character(bytes.data(), encodeUtf8(code, bytes.data()));
        for (const std::string& text : {character, "A\u0301" + character + "\u302E\u0316b",
                                        "A\u03A3" + character + "b " + character + "\u03A3"}) {
            normalizer.forEachWord(text, [&](std::string_view word) {
                hash.update(word);
                hash.update("|");
            });
        }
        hash.update("\n");
    }
    return hash.hexDigest();
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
        QTest::addRow("marks by class, 224 before 230")
            << QByteArray("un\U0001E000\u302Eaff") << QList<int>{8, 17, 18, 9};
        QTest::addRow("marks on both sides of a removed starter")
            << QByteArray("un\U0001E000\u0E31\u302Eaff") << QList<int>{8, 18, 17, 9};
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

    /// The hashes are those of the tables as probed, when every mapping was listed in full for both
    /// implementations.
    void everyCodePointKeepsItsMapping_data()
    {
        QTest::addColumn<QString>("tables");
        QTest::addColumn<bool>("cased");
        QTest::addColumn<QString>("expected");
        QTest::addRow("hf, uncased") << "hf" << false << "fad9ccfd2ac07b04";
        QTest::addRow("hf, cased") << "hf" << true << "e73842b4fa016eda";
        QTest::addRow("google-py, uncased") << "google-py" << false << "80aabbff3a43b169";
        QTest::addRow("google-py, cased") << "google-py" << true << "e52188a550b23f30";
    }
    void everyCodePointKeepsItsMapping()
    {
        QFETCH(QString, tables);
        QFETCH(bool, cased);
        QFETCH(QString, expected);
        const TextNormalizer normalizer(*unicodeTables(tables.toStdString()), cased);
        QCOMPARE(QString::fromStdString(hashOfAllCodePoints(normalizer)), expected);
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

    void remembersWhatItWouldCutAgain_data()
    {
        QTest::addColumn<bool>("google");
        QTest::addColumn<bool>("cased");
        for (const bool google : {false, true}) {
            for (const bool cased : {false, true})
                QTest::addRow("%s, %s", google ? "google-py" : "hf", cased ? "cased" : "uncased")
                    << google << cased;
        }
    }
    void remembersWhatItWouldCutAgain()
    {
        QFETCH(bool, google);
        QFETCH(bool, cased);
        const WordPiece tokenizer(small(), google ? googlePythonTables() : huggingFaceTables(), cased);
        WordPieceEncoder encoder(tokenizer);
        std::mt19937 random(7);
        for (int round = 0; round < 4000; ++round) {
            const std::string text = randomText(random, random() % 400);
            QVERIFY2(encode(encoder, text) == encode(tokenizer, text),
                     QByteArray::fromStdString(text).toHex());
        }
    }

    void looksAtNoByteBehindTheText()
    {
        const Vocabulary vocabulary = small();
        const WordPiece tokenizer(vocabulary, huggingFaceTables(), false);
        WordPieceEncoder encoder(tokenizer);
        const std::string words = "un able affable un-able unaffableunaffable un aff . unaffable ";
        std::string text;
        while (text.size() < 300)
            text += words;
        for (std::size_t size = 0; size <= text.size(); ++size) {
            const std::vector<char> exact(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(size));
            const Ids expected = encode(tokenizer, text.substr(0, size));
            QCOMPARE(encode(encoder, {exact.data(), exact.size()}), expected);
        }
    }

    void forgetsUnderPressureWithoutAChange()
    {
        const WordPiece tokenizer(small(), huggingFaceTables(), false);
        WordPieceEncoder encoder(tokenizer);
        std::string text;
        for (std::size_t i = 0; i < 3 * ChunkCache::kSets; ++i) // 1.5 for every place
            text += std::to_string(i) + (i % 2 == 0 ? "." : "un") + " un.aff ";
        const Ids expected = encode(tokenizer, text);
        for (int round = 0; round < 2; ++round)
            QVERIFY(encode(encoder, text) == expected);
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
        WordPieceEncoder encoder(tokenizer);
        int compared = 0;
        for (const auto& line : readLines(lines.toStdString())) {
            if (line.value("src", "") == "special")
                continue; // made by a tokenizer that gives special tokens to raw text
            const Ids ids = encode(tokenizer, line.at("text").get<std::string>());
            QVERIFY2(ids == line.at(key.toStdString()).get<Ids>(), line.dump().c_str());
            for (int round = 0; round < 2; ++round)
                QVERIFY2(encode(encoder, line.at("text").get<std::string>()) == ids, line.dump().c_str());
            ++compared;
        }
        QVERIFY(compared > 300);
    }
};

QTEST_APPLESS_MAIN(TestWordPiece)
#include "tst_wordpiece.moc"
