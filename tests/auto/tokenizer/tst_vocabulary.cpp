#include <QTest>

#include <algorithm>
#include <map>
#include <random>
#include <set>

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

using Pieces = std::vector<std::string>;

/// The pieces of a word of ASCII letters, one letter each.
Pieces lettersOf(const std::string& word)
{
    Pieces pieces;
    for (const char letter : word)
        pieces.push_back((pieces.empty() ? "" : "##") + std::string(1, letter));
    return pieces;
}

/// The same by counting all pairs anew before every merge.
std::string trainByBruteForce(const WordCounts& counts, std::size_t size)
{
    std::map<std::string, std::uint64_t> sorted(counts.begin(), counts.end());
    std::set<std::string> letters;
    Pieces vocabulary;
    std::vector<std::pair<Pieces, std::uint64_t>> words;
    for (const auto& [word, count] : sorted) {
        words.emplace_back(lettersOf(word), count);
        for (const char letter : word)
            letters.insert(std::string(1, letter));
    }
    vocabulary.assign(letters.begin(), letters.end());
    const auto ageOf = [&](const std::string& piece) {
        const auto found = std::find(vocabulary.begin(), vocabulary.end(), piece);
        if (found == vocabulary.end())
            vocabulary.push_back(piece);
        return found - vocabulary.begin();
    };
    for (const auto& [pieces, count] : words) {
        for (const std::string& piece : pieces)
            ageOf(piece);
    }
    while (vocabulary.size() + 5 < size) {
        std::map<std::pair<std::ptrdiff_t, std::ptrdiff_t>, std::uint64_t> pairs; // by age
        for (const auto& [pieces, count] : words) {
            for (std::size_t i = 0; i + 1 < pieces.size(); ++i)
                pairs[{ageOf(pieces[i]), ageOf(pieces[i + 1])}] += count;
        }
        const auto best = std::max_element(pairs.begin(), pairs.end(), [](const auto& a, const auto& b) {
            return a.second < b.second; // the first of the greatest
        });
        if (best == pairs.end() || best->second < 2)
            break;
        const std::string first = vocabulary[static_cast<std::size_t>(best->first.first)];
        const std::string second = vocabulary[static_cast<std::size_t>(best->first.second)];
        const std::string merged = first + second.substr(2);
        ageOf(merged);
        for (auto& [pieces, count] : words) {
            Pieces replaced;
            for (std::size_t i = 0; i < pieces.size(); ++i) {
                const bool here = i + 1 < pieces.size() && pieces[i] == first && pieces[i + 1] == second;
                replaced.push_back(here ? merged : pieces[i]);
                i += here ? 1 : 0;
            }
            pieces = replaced;
        }
    }
    std::string text = kSpecial;
    for (const std::string& piece : vocabulary)
        text += piece + "\n";
    return text;
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

    void takesOffWhatEditorsAdd()
    {
        const std::string mark = "\xEF\xBB\xBF";
        for (const std::string& text : {mark + kSpecial, kSpecial + "\n", mark + kSpecial + "\n"}) {
            const auto vocabulary = Vocabulary::parse(text);
            QVERIFY2(vocabulary.ok(), vocabulary.ok() ? "" : vocabulary.error().text().c_str());
            QCOMPARE(vocabulary->size(), std::size_t(5));
            QCOMPARE(vocabulary->piece(0), std::string("[PAD]"));
            QCOMPARE(vocabulary->text(), kSpecial);
            QCOMPARE(vocabulary->sha256(), Vocabulary::parse(kSpecial)->sha256());
        }
        QCOMPARE(Vocabulary::parse("[PAD]\r\n[UNK]\r\n[CLS]\r\n[SEP]\r\n[MASK]\r\n\r\n")->size(),
                 std::size_t(5));
    }

    void tellsCasedFromUncased()
    {
        QVERIFY(!Vocabulary::parse(kSpecial + "a\nrail\n\u03c9\n")->looksCased());
        for (const std::string capital : {"Rail", "\u00c4", "\u03a9", "\u0416"})
            QVERIFY(Vocabulary::parse(kSpecial + "a\n" + capital + "\n")->looksCased());
        std::string uncased = kSpecial + "I\n";
        for (int i = 0; i < 1000; ++i)
            uncased += "##" + std::to_string(i) + "\n";
        QVERIFY(!Vocabulary::parse(uncased)->looksCased());
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

    void mergesLikeCountingAllPairsAnew()
    {
        std::mt19937 random(11);
        for (int round = 0; round < 60; ++round) {
            WordCounts counts;
            for (int i = 0; i < 40; ++i) {
                std::string word(1 + random() % 9, ' ');
                for (char& c : word)
                    c = static_cast<char>('a' + random() % (1 + static_cast<unsigned>(round) % 4));
                counts[word] += random() % 4 + 1;
            }
            const std::size_t size = 20 + random() % 100;
            QCOMPARE(train(counts, size), trainByBruteForce(counts, size));
        }
    }

    void forgetsTheRarestWordsWhenThereAreTooMany()
    {
        WordCounts counts{{"a", 9}, {"b", 1}, {"c", 2}};
        addCounts({{"b", 1}, {"d", 1}}, 4, counts);
        QCOMPARE(counts, (WordCounts{{"a", 9}, {"b", 2}, {"c", 2}, {"d", 1}}));
        addCounts({{"e", 5}}, 4, counts); // five words: those seen once or twice go
        QCOMPARE(counts, (WordCounts{{"a", 9}, {"e", 5}}));
    }

    void refusesASizeBelowTheAlphabet()
    {
        const auto text = trainVocabulary({{"abc", 2}}, {6, 1000, 2});
        QVERIFY(!text.ok());
        QCOMPARE(text.error().kind, ErrorKind::BadInput);
    }

    void stopsWhenAsked_data()
    {
        QTest::addColumn<int>("size");
        QTest::addRow("to merge") << 100;
        QTest::addRow("to count characters") << 5 + 4 + 3; // no room for a merge
    }
    void stopsWhenAsked()
    {
        QFETCH(int, size);
        const auto text = trainVocabulary({{"low", 5}, {"lot", 3}}, {static_cast<std::size_t>(size), 1000, 2},
                                          [] { return true; });
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
