#include <QTemporaryDir>
#include <QTest>

#include "datasets/tokenizer_json/byte_pair_trainer.h"
#include "engine/base/file.h"
#include "engine/worker/text_codec.h"

using namespace trainyard;

namespace fs = std::filesystem;

namespace {

const std::vector<std::string> kSigns{"<s>", "<pad>", "</s>", "<unk>", "<mask>"};

ModelSpec modelOf(int vocabulary)
{
    ModelSpec model;
    model.vocabulary = vocabulary;
    return model;
}

} // namespace

/// Texts and tokens of a tokenizer.json, here a byte-level BPE.
class TestTextCodec : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        WordCounts counts;
        const PieceCounter counter(BytePairSplit::Gpt2);
        for (int i = 0; i < 5; ++i)
            counter.count("the train leaves the station, and the train returns to the station", counts);
        const auto trained = trainBytePairs(counts, {.size = 300, .special = kSigns});
        QVERIFY(writeFileAtomically(file(), trained.value()).ok());
    }

    void streamsWhatItEncodes()
    {
        const TextCodec codec = load();
        const std::string text = "the train 🚂 to 北京\n\tleaves";
        const TokenIds tokens = codec.encode(text);
        QVERIFY(tokens.size() > 10);
        std::string streamed;
        TokenIds grown;
        for (const TokenId token : tokens) {
            grown.push_back(token);
            streamed += codec.textFrom(grown, grown.size() - 1);
        }
        QCOMPARE(streamed, text);
        QCOMPARE(codec.textFrom(tokens, 0), text);
    }

    void putsMasksInThePlaceOfWords_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addRow("its own name") << "the <mask> leaves";
        QTest::addRow("BERT's name") << "the [MASK] leaves";
    }
    void putsMasksInThePlaceOfWords()
    {
        QFETCH(QString, text);
        const TextCodec codec = load();
        TokenIds expected{0};
        for (const TokenId token : codec.encode("the"))
            expected.push_back(token);
        expected.push_back(codec.mask());
        for (const TokenId token : codec.encode(" leaves"))
            expected.push_back(token);
        expected.push_back(2);
        QVERIFY(codec.encodeWithMasks(text.toStdString()) == expected);
        QCOMPARE(codec.mask(), TokenId(4));
        QCOMPARE(codec.documentEnd(), std::optional<TokenId>(2));
    }

    void knowsThePlacesOfPieces()
    {
        const std::string text = "the café";
        std::string joined;
        std::size_t done = 0; // tokens of one character all have its place
        for (const AlignedPiece& piece : load().align(text)) {
            if (piece.end > done)
                joined += text.substr(piece.begin, piece.end - piece.begin);
            done = piece.end;
        }
        QCOMPARE(joined, std::string("thecafé")); // the space belongs to no place
    }

    void encodesWordsAsInTraining()
    {
        const TextCodec codec = load();
        QCOMPARE(codec.encodeWord("leaves"), codec.encode(" leaves"));
        QCOMPARE(codec.encodePrompt("the"), codec.encode("the")); // an encoder's tokenizer
        const TokenIds ids = codec.encode("the train");
        QCOMPARE(codec.findWords(std::vector<std::int32_t>(ids.begin(), ids.end())).front(), true);
        QCOMPARE(codec.frame()->behind, std::vector<std::int32_t>{2});
    }

    void showsTokensForPeople()
    {
        const TextCodec codec = load();
        QCOMPARE(codec.piece(4), std::string("<mask>"));
        QCOMPARE(codec.piece(codec.encode(" the").front()), std::string("the"));
        QCOMPARE(codec.piece(5000), std::string("<5000>")); // of a model with more entries
    }

    void refusesTheTokenizerOfALargerModel()
    {
        const auto refused = TextCodec::load({file(), {}, {}}, modelOf(100));
        QVERIFY(!refused.ok());
        QVERIFY(refused.error().kind == ErrorKind::BadInput);
    }

private:
    fs::path file() const { return fs::path(m_folder.path().toStdString()) / "tokenizer.json"; }
    TextCodec load() const
    {
        auto codec = TextCodec::load({file(), {}, {}}, modelOf(6000));
        if (!codec.ok())
            qFatal("%s", codec.error().text().c_str());
        return std::move(codec).value();
    }

    QTemporaryDir m_folder;
};

QTEST_GUILESS_MAIN(TestTextCodec)
#include "tst_text_codec.moc"
