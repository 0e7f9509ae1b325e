// Rows of the same sentences, made here and by NVIDIA's scripts, agree as closely as two seeds of either do.
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <functional>
#include <map>
#include <numeric>

#include "datasets/prepare/preparation.h"
#include "tests/auto/prepare/mutated_shard.h"
#include "tests/support/reference_data.h"

using namespace trainyard;

namespace fs = std::filesystem;

namespace {

constexpr int kSeeds = 6;

fs::path vocabulary()
{
    return referenceData("tokenizer/vocab_bert_uncased_30522.txt");
}

/// A figure of a data set, and how the reference's algorithm spreads it over 30 seeds: mean and standard
/// deviation of a simulation in Python of the instance algorithm on the same sentence lengths. Most of the
/// spread comes from the few long documents that draw a short target length.
struct Figure {
    const char* name;
    std::function<double(const DatasetStatistics&, double rows)> of;
    double mean;
    double deviation;
};

std::vector<Figure> figuresOf(int length)
{
    const auto rows = [](const DatasetStatistics&, double n) { return n; };
    const auto mean = [](const DatasetStatistics& s, double n) {
        return static_cast<double>(s.rowTokens) / n;
    };
    const auto full = [](const DatasetStatistics& s, double n) {
        return static_cast<double>(s.fullRows) / n;
    };
    const auto random = [](const DatasetStatistics& s, double n) {
        return static_cast<double>(s.randomNext) / n;
    };
    if (length == 128)
        return {{"rows", rows, 27720, 589},
                {"mean length", mean, 117.15, 1.79},
                {"full rows", full, 0.7936, 0.0268},
                {"label 1", random, 0.5395, 0.0119}};
    return {{"rows", rows, 8561, 370},
            {"mean length", mean, 404.7, 16.8},
            {"full rows", full, 0.6453, 0.0346},
            {"label 1", random, 0.5312, 0.0148}};
}

double rowsOf(const DatasetStatistics& s)
{
    return static_cast<double>(
        std::accumulate(s.lengthHistogram.begin(), s.lengthHistogram.end(), std::uint64_t{0}));
}

/// Largest difference of the shares of rows up to any length (Kolmogorov and Smirnov).
double largestGap(const DatasetStatistics& a, const DatasetStatistics& b)
{
    double gap = 0, sumA = 0, sumB = 0;
    for (std::size_t i = 0; i < a.lengthHistogram.size(); ++i) {
        sumA += static_cast<double>(a.lengthHistogram[i]) / rowsOf(a);
        sumB += static_cast<double>(b.lengthHistogram[i]) / rowsOf(b);
        gap = std::max(gap, std::fabs(sumA - sumB));
    }
    return gap;
}

} // namespace

class TestReferenceAgreement : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        const fs::path sentences = referenceData("wiki/reference_sentence_per_line.tar.gz");
        NEEDS_REFERENCE(sentences);
        QCOMPARE(QProcess::execute("tar", {"-C", m_folder.path(), "-xzf", QString::fromStdString(sentences)}),
                 0);
        for (int seed = 1; seed <= kSeeds; ++seed)
            QVERIFY(prepare(static_cast<std::uint64_t>(seed)));
    }

    /// Counted by the reference's own steps.
    void holdsTheSameText()
    {
        for (const Manifest& manifest : m_sets[128]) {
            QCOMPARE(manifest.statistics.documents, std::uint64_t(105));
            QCOMPARE(manifest.statistics.sentences, std::uint64_t(17'847));
            QCOMPARE(manifest.statistics.tokens, std::uint64_t(527'681));
        }
    }

    void hasTheFiguresOfTheAlgorithm_data() { addLengths(); }
    void hasTheFiguresOfTheAlgorithm()
    {
        QFETCH(int, length);
        for (const Figure& figure : figuresOf(length)) {
            double sum = 0;
            for (const Manifest& manifest : m_sets[length])
                sum += figure.of(manifest.statistics, rowsOf(manifest.statistics));
            const double error = figure.deviation * std::sqrt(1.0 / kSeeds + 1.0 / 30);
            QVERIFY2(std::fabs(sum / kSeeds - figure.mean) < 4 * error,
                     qPrintable(QStringLiteral("%1: %2").arg(figure.name).arg(sum / kSeeds)));
        }
    }

    void agreesWithTheShardsOfTheReference_data() { addLengths(); }
    void agreesWithTheShardsOfTheReference()
    {
        QFETCH(int, length);
        const auto report = verify({referenceShards(length), vocabulary(), 0}).value();
        QVERIFY(report.ok());
        const DatasetStatistics& theirs = report.statistics;
        for (const Figure& figure : figuresOf(length)) {
            const double value = figure.of(theirs, rowsOf(theirs));
            QVERIFY2(std::fabs(value - figure.mean) < 3 * figure.deviation,
                     qPrintable(QStringLiteral("%1: %2").arg(figure.name).arg(value)));
        }
        for (const Manifest& manifest : m_sets[length]) {
            const DatasetStatistics& ours = manifest.statistics;
            // The share of full rows alone differs by 4 sqrt(2) deviations of its spread at most.
            QVERIFY(largestGap(ours, theirs) < 4 * std::sqrt(2) * figuresOf(length)[2].deviation);
            const auto share = [](std::uint64_t some, const DatasetStatistics& s) {
                return static_cast<double>(some) / static_cast<double>(s.masked);
            };
            QVERIFY(std::fabs(share(ours.maskToken, ours) - share(theirs.maskToken, theirs)) < 0.004);
            QVERIFY(std::fabs(share(ours.keptToken, ours) - share(theirs.keptToken, theirs)) < 0.003);
        }
    }

private:
    static void addLengths()
    {
        QTest::addColumn<int>("length");
        for (const int length : {128, 512})
            QTest::addRow("%d tokens", length) << length;
    }

    bool prepare(std::uint64_t seed)
    {
        const fs::path folder(m_folder.path().toStdString());
        PrepareOptions options;
        for (const auto& entry : fs::directory_iterator(folder)) {
            if (entry.path().extension() == ".txt")
                options.dumps.push_back(entry.path());
        }
        std::sort(options.dumps.begin(), options.dumps.end());
        options.format = CorpusFormat::Sentences;
        options.vocabulary = vocabulary();
        options.out = folder / ("seed" + std::to_string(seed));
        options.shapes = {{128, 20}, {512, 80}};
        options.instances.seed = seed;
        Progress progress;
        const CancelFlag cancel;
        auto sets = prepareDataset(options, progress, cancel);
        if (!sets.ok())
            return false;
        for (PreparedDataset& set : *sets)
            m_sets[set.manifest.sequenceLength].push_back(std::move(set.manifest));
        fs::remove_all(options.out);
        return true;
    }

    QTemporaryDir m_folder;
    std::map<int, std::vector<Manifest>> m_sets; ///< by sequence length
};

QTEST_APPLESS_MAIN(TestReferenceAgreement)
#include "tst_reference_agreement.moc"
