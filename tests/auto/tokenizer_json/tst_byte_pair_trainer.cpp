#include <QTest>

#include <random>

#include "datasets/tokenizer_json/byte_pair_trainer.h"
#include "datasets/tokenizer_json/tokenizer_file.h"
#include "tests/auto/tokenizer_json/brute_force_merges.h"

using namespace trainyard;
using nlohmann::json;

namespace {

/// Words of few letters: many ties, repeated letters, and tokens that come about in two ways.
WordCounts randomWords(std::mt19937& random)
{
    WordCounts counts;
    for (int i = 0; i < 150; ++i) {
        std::string word;
        for (unsigned letters = 1 + random() % 10; letters > 0; --letters)
            word += "abc\xC3"[random() % 4];
        counts[word] += 1 + random() % 3;
    }
    return counts;
}

} // namespace

class TestBytePairTrainer : public QObject {
    Q_OBJECT

private slots:
    void equalsABruteForce();
    void trainsATokenizerThatItsReaderUses_data();
    void trainsATokenizerThatItsReaderUses();
    void refusesWhatCannotBeTrained();
};

void TestBytePairTrainer::equalsABruteForce()
{
    std::mt19937 random(3);
    for (int round = 0; round < 20; ++round) {
        const WordCounts counts = randomWords(random);
        const auto trained = trainBytePairs(counts, {.size = 10'000});
        QVERIFY(mergesOf(*trained) == BruteForce(counts).merges(10'000));
    }
}

void TestBytePairTrainer::trainsATokenizerThatItsReaderUses_data()
{
    QTest::addColumn<int>("split");
    QTest::addRow("GPT-2") << static_cast<int>(BytePairSplit::Gpt2);
    QTest::addRow("Llama 3") << static_cast<int>(BytePairSplit::Llama3);
    QTest::addRow("Qwen") << static_cast<int>(BytePairSplit::Qwen);
}

void TestBytePairTrainer::trainsATokenizerThatItsReaderUses()
{
    QFETCH(int, split);
    const BytePairTraining training{.size = 300, .split = static_cast<BytePairSplit>(split)};
    WordCounts counts;
    PieceCounter(training.split).count("the cat and the hat and 12345 cafe\u0301, the the THE'S", counts);
    QCOMPARE(counts.at(" the"), std::uint64_t(3));
    QVERIFY(counts.contains(split == int(BytePairSplit::Gpt2)     ? " 12345"
                            : split == int(BytePairSplit::Llama3) ? "123"
                                                                  : "1"));
    const auto trained = trainBytePairs(counts, training);
    const auto tokenizer = parseTokenizer(*trained);
    QVERIFY2(tokenizer.ok(), tokenizer.ok() ? "" : tokenizer.error().text().c_str());
    std::vector<std::int32_t> ids;
    (*tokenizer)->encoder()->encode("the<|endoftext|> the", ids);
    const json vocabulary = json::parse(*trained).at("model").at("vocab");
    QCOMPARE(ids.at(ids.size() - 2), 0);
    QCOMPARE(ids.back(), vocabulary.at("Ġthe").get<int>());
}

void TestBytePairTrainer::refusesWhatCannotBeTrained()
{
    QVERIFY(!trainBytePairs({}, {.size = 256}).ok());
    QVERIFY(trainBytePairs({}, {.size = 257}).ok());
    QVERIFY(!trainBytePairs({}, {.special = {"<a>", "<a>"}}).ok());
    QVERIFY(!trainBytePairs({}, {.special = {""}}).ok());
    QCOMPARE(trainBytePairs({{"ab", 9}}, {}, [] { return true; }).error().kind, ErrorKind::Cancelled);
}

QTEST_APPLESS_MAIN(TestBytePairTrainer)
#include "tst_byte_pair_trainer.moc"
