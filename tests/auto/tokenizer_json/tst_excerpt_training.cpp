#include <QTest>

#include <sstream>

#include <zlib.h>

#include "datasets/tokenizer_json/byte_pair_trainer.h"
#include "tests/auto/tokenizer_json/brute_force_merges.h"
#include "tests/support/reference_data.h"

using namespace trainyard;

namespace {

std::string excerpt()
{
    std::string text;
    const auto file = referenceData("wiki/reference_one_article_per_line.txt.gz");
    gzFile in = gzopen(file.c_str(), "rb");
    char buffer[1 << 16];
    for (int bytes = 0; (bytes = gzread(in, buffer, sizeof buffer)) > 0;)
        text.append(buffer, static_cast<std::size_t>(bytes));
    gzclose(in);
    return text;
}

/// Of the lines of the excerpt.
WordCounts countsOfExcerpt(BytePairSplit split)
{
    const PieceCounter counter(split);
    WordCounts counts;
    std::istringstream lines(excerpt());
    for (std::string line; std::getline(lines, line);)
        counter.count(line, counts);
    return counts;
}

} // namespace

class TestExcerptTraining : public QObject {
    Q_OBJECT

private slots:
    void equalsABruteForce();
};

void TestExcerptTraining::equalsABruteForce()
{
    NEEDS_REFERENCE(referenceData("wiki"));
    const WordCounts counts = countsOfExcerpt(BytePairSplit::Gpt2);
    const auto trained = trainBytePairs(counts, {.size = 16384});
    const Merges merges = mergesOf(*trained);
    QCOMPARE(merges.size(), std::size_t(16384 - 257));
    QVERIFY(merges == BruteForce(counts).merges(merges.size()));
}

QTEST_APPLESS_MAIN(TestExcerptTraining)
#include "tst_excerpt_training.moc"
