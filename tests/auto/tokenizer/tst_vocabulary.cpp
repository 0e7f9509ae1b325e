#include <QTest>

#include <random>

#include "datasets/tokenizer/piece_trie.h"
#include "datasets/tokenizer/vocabulary.h"
#include "datasets/tokenizer/vocabulary_trainer.h"

using namespace trainyard;

namespace {

const std::string kSpecial = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n";

std::string train(const WordCounts& counts, std::size_t size)
{
    return trainVocabulary(counts, {size, 1000, 2}).value();
}

} // namespace

class TestVocabulary : public QObject {
    Q_OBJECT

private slots:
    void numbersPiecesByLine()
    {
        for (const std::string& text : {kSpecial + "a\n##b\n", kSpecial + "a\r\n##b", kSpecial + "a\n##b"}) {
            const auto vocabulary = Vocabulary::parse(text).value();
            QCOMPARE(vocabulary.size(), std::size_t(7));
            QCOMPARE(vocabulary.piece(6), std::string("##b"));
            QCOMPARE(vocabulary.special().mask, 4);
            QCOMPARE(vocabulary.decode({2, 5, 6, 3}), std::string("[CLS] ab [SEP]"));
        }
    }

    void namesWhatIsWrong_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("named");
        QTest::addRow("no mask") << "[PAD]\n[UNK]\n[CLS]\n[SEP]\na\n"
                                 << "[MASK]";
        QTest::addRow("no specials") << "a\nb\n"
                                     << "[PAD], [UNK], [CLS], [SEP], [MASK]";
        QTest::addRow("repeated") << "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nab\nc\nab\n"
                                  << "line 8";
        QTest::addRow("empty line") << "[PAD]\n[UNK]\n\n[CLS]\n[SEP]\n[MASK]\n"
                                    << "line 3";
        QTest::addRow("padding not first") << "a\n[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n"
                                           << "[PAD] is on line 2";
        QTest::addRow("empty") << ""
                               << "[PAD]";
    }
    void namesWhatIsWrong()
    {
        QFETCH(QString, text);
        QFETCH(QString, named);
        const auto vocabulary = Vocabulary::parse(text.toStdString());
        QVERIFY(!vocabulary.ok());
        QCOMPARE(vocabulary.error().kind, ErrorKind::BadInput);
        QVERIFY2(vocabulary.error().text().find(named.toStdString()) != std::string::npos,
                 vocabulary.error().text().c_str());
    }

    void refusesBytesThatAreNoUtf8() { QVERIFY(!Vocabulary::parse(kSpecial + "a\xFF\n").ok()); }

    void findsTheLongestPieceLikeASearchOfAll()
    {
        std::mt19937 random(3);
        const auto randomText = [&](std::size_t longest) {
            std::string text(1 + random() % longest, ' ');
            for (char& c : text)
                c = static_cast<char>(random() % 4 == 0 ? 0xC3 : 'a' + random() % 3);
            return text;
        };
        std::vector<std::string> pieces(400);
        for (std::string& piece : pieces)
            piece = randomText(6);
        const PieceTrie trie(pieces);
        for (int round = 0; round < 5000; ++round) {
            const std::string text = randomText(10);
            std::size_t longest = 0;
            for (const std::string& piece : pieces) {
                if (text.starts_with(piece))
                    longest = std::max(longest, piece.size());
            }
            const auto match = trie.longest(PieceTrie::kRoot, text);
            QCOMPARE(match.bytes, longest);
            QVERIFY(longest == 0 ? match.id == PieceTrie::kNone
                                 : pieces[static_cast<std::size_t>(match.id)] == text.substr(0, longest));
        }
    }

    void mergesTheMostFrequentPairFirst()
    {
        // l+##o 8, then lo+##w 5, then lo+##t 3
        QCOMPARE(train({{"low", 5}, {"lot", 3}}, 100),
                 kSpecial + "l\no\nt\nw\n##o\n##t\n##w\nlo\nlow\nlot\n");
    }

    void mergesTheOlderPairOfTwoEqualOnes()
    {
        QCOMPARE(train({{"cd", 2}, {"ab", 2}}, 100), kSpecial + "a\nb\nc\nd\n##b\n##d\nab\ncd\n");
    }

    void trainsTheSameVocabularyInAnyOrder()
    {
        std::mt19937 random(1);
        std::vector<std::pair<std::string, std::uint64_t>> words;
        for (int i = 0; i < 500; ++i) {
            std::string word(1 + random() % 8, ' ');
            for (char& c : word)
                c = static_cast<char>('a' + random() % 6);
            words.emplace_back(word, random() % 5 + 1);
        }
        WordCounts forward, backward;
        backward.reserve(10'000);
        for (std::size_t i = 0; i < words.size(); ++i) {
            forward[words[i].first] += words[i].second;
            backward[words[words.size() - 1 - i].first] += words[words.size() - 1 - i].second;
        }
        const std::string text = train(forward, 200);
        QCOMPARE(train(backward, 200), text);
        const auto vocabulary = Vocabulary::parse(text);
        QVERIFY2(vocabulary.ok(), vocabulary.ok() ? "" : vocabulary.error().text().c_str());
        QCOMPARE(vocabulary->size(), std::size_t(200));
    }

    void refusesASizeBelowTheAlphabet()
    {
        const auto text = trainVocabulary({{"abc", 2}}, {6, 1000, 2});
        QVERIFY(!text.ok());
        QCOMPARE(text.error().kind, ErrorKind::BadInput);
    }

    void stopsWhenAsked()
    {
        const auto text = trainVocabulary({{"low", 5}, {"lot", 3}}, {100, 1000, 2}, [] { return true; });
        QVERIFY(!text.ok());
        QCOMPARE(text.error().kind, ErrorKind::Cancelled);
    }

    void stopsWhenNothingIsFrequentEnough()
    {
        const auto vocabulary = Vocabulary::parse(train({{"abc", 1}}, 100)).value();
        QCOMPARE(vocabulary.size(), std::size_t(5 + 3 + 2));
    }
};

QTEST_APPLESS_MAIN(TestVocabulary)
#include "tst_vocabulary.moc"
