#include <QTest>

#include <cmath>
#include <map>
#include <set>

#include "datasets/pretraining/instance.h"
#include "datasets/pretraining/instance_builder.h"
#include "datasets/pretraining/masking.h"
#include "datasets/shards/row_block.h"
#include "tests/auto/pretraining/counting_documents.h"

using namespace trainyard;

namespace {

constexpr int kPieces = 2000;

Vocabulary numbered()
{
    std::string text = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n";
    for (int i = 5; i < kPieces; ++i)
        text += "w" + std::to_string(i) + "\n";
    return Vocabulary::parse(text).value();
}

InstanceSettings settings(int length)
{
    InstanceSettings out;
    out.sequenceLength = length;
    out.maxPredictions = length;
    return out;
}

/// The instance as it was before masking.
std::vector<std::int32_t> unmasked(const Instance& instance)
{
    auto tokens = instance.tokens;
    for (std::size_t i = 0; i < instance.maskedIds.size(); ++i)
        tokens[static_cast<std::size_t>(instance.maskedPositions[i])] = instance.maskedIds[i];
    return tokens;
}

std::vector<Instance> buildAll(const CountingDocuments& documents, const InstanceSettings& settings,
                               std::uint32_t passes, std::uint64_t* dropped = nullptr)
{
    const auto partners = documents.all();
    const Vocabulary vocabulary = numbered();
    const InstanceBuilder builder(settings, documents, partners, vocabulary);
    std::vector<Instance> out;
    for (std::uint32_t pass = 0; pass < passes; ++pass) {
        for (std::size_t place = 0; place < partners.size(); ++place) {
            const auto lost = builder.build(
                place, pass, [&](Instance&& instance, std::uint32_t) { out.push_back(std::move(instance)); });
            if (dropped)
                *dropped += lost;
        }
    }
    return out;
}

const std::vector<std::vector<int>> kThree{{5, 9, 4, 30, 7, 7, 3}, {12, 3, 3, 8}, {6, 6, 40, 2, 2, 9}};

} // namespace

class TestInstances : public QObject {
    Q_OBJECT

private slots:
    void frameEveryPairWithSpecialTokens()
    {
        const CountingDocuments documents(kThree);
        for (const Instance& instance : buildAll(documents, settings(32), 50)) {
            const auto tokens = unmasked(instance);
            QVERIFY(tokens.size() >= 5 && tokens.size() <= 32);
            QCOMPARE(tokens.front(), 2);
            QCOMPARE(tokens.back(), 3);
            QCOMPARE(tokens[instance.firstSegment - 1], 3);
            QCOMPARE(std::count(tokens.begin(), tokens.end(), 3), 2);
            QVERIFY(instance.firstSegment >= 3 && instance.firstSegment + 2 <= tokens.size());
        }
    }

    void keepTheOrderOfTheDocumentWithinASide()
    {
        const CountingDocuments documents(kThree);
        for (const Instance& instance : buildAll(documents, settings(32), 50)) {
            const auto tokens = unmasked(instance);
            const auto countsUp = [&](std::size_t begin, std::size_t end) {
                for (std::size_t i = begin + 1; i < end; ++i)
                    QCOMPARE(tokens[i], tokens[i - 1] + 1);
            };
            countsUp(1, instance.firstSegment - 1);
            countsUp(instance.firstSegment, tokens.size() - 1);
        }
    }

    void takeTheSecondSideFromWhereTheLabelSays()
    {
        const CountingDocuments documents(kThree);
        int random = 0, total = 0;
        for (const Instance& instance : buildAll(documents, settings(32), 200)) {
            const auto tokens = unmasked(instance);
            const auto a = tokens[1], lastOfA = tokens[instance.firstSegment - 2],
                       b = tokens[instance.firstSegment];
            QCOMPARE(documents.documentOf(a) != documents.documentOf(b), instance.randomNext);
            QVERIFY(instance.randomNext || b > lastOfA);
            QVERIFY(instance.randomNext || !instance.singleSentence);
            random += instance.randomNext;
            ++total;
        }
        QVERIFY(random > total * 0.45 && random < total * 0.8); // 1/2 and all single sentences
    }

    void neverPairADocumentWithItself()
    {
        const CountingDocuments alone({{4, 5, 6, 40, 3}});
        std::uint64_t dropped = 0;
        const auto instances = buildAll(alone, settings(32), 100, &dropped);
        QVERIFY(!instances.empty());
        for (const Instance& instance : instances)
            QVERIFY(!instance.randomNext && !instance.singleSentence);
        QVERIFY(dropped > 0);
    }

    void useEverySentenceInEveryPass()
    {
        // Rows so long that nothing is truncated; every sentence must then appear as A or as a true B.
        const CountingDocuments documents(kThree);
        InstanceSettings wide = settings(200);
        wide.shortSequenceShare = 0;
        const auto partners = documents.all();
        const Vocabulary vocabulary = numbered();
        const InstanceBuilder builder(wide, documents, partners, vocabulary);
        for (std::uint32_t pass = 0; pass < 50; ++pass) {
            for (std::size_t place = 0; place < partners.size(); ++place) {
                std::set<std::int32_t> seen;
                builder.build(place, pass, [&](Instance&& instance, std::uint32_t) {
                    const auto tokens = unmasked(instance);
                    seen.insert(tokens.begin(), tokens.end());
                });
                const TokenSpan tokens = documents.document(partners[place]).tokens;
                for (std::size_t i = 0; i < tokens.size(); ++i)
                    QVERIFY(seen.contains(tokens[i]));
            }
        }
    }

    void dependOnSeedDocumentAndPassAlone()
    {
        const CountingDocuments documents(kThree);
        const auto first = buildAll(documents, settings(32), 3);
        const auto again = buildAll(documents, settings(32), 3);
        InstanceSettings otherSeed = settings(32);
        otherSeed.seed += 1;
        const auto other = buildAll(documents, otherSeed, 3);
        QCOMPARE(first.size(), again.size());
        bool differs = first.size() != other.size();
        for (std::size_t i = 0; i < first.size(); ++i) {
            QCOMPARE(first[i].tokens, again[i].tokens);
            differs = differs || first[i].tokens != other[i].tokens;
        }
        QVERIFY(differs);
    }

    void swapTheSidesOrNot()
    {
        const CountingDocuments documents(kThree);
        InstanceSettings swap = settings(32);
        swap.nextSentence = NextSentence::Swap;
        int swapped = 0, total = 0;
        for (const Instance& instance : buildAll(documents, swap, 400)) {
            const auto tokens = unmasked(instance);
            const auto a = tokens[1], b = tokens[instance.firstSegment];
            QCOMPARE(documents.documentOf(a), documents.documentOf(b));
            QCOMPARE(b < a, instance.randomNext);
            QCOMPARE(instance.b.sentence < instance.a.sentence, instance.randomNext);
            swapped += instance.randomNext;
            ++total;
        }
        QVERIFY(std::abs(swapped - total / 2.0) < 5 * std::sqrt(total / 4.0));
    }

    void alwaysFollowWhenAskedTo()
    {
        const CountingDocuments documents(kThree);
        InstanceSettings follow = settings(32);
        follow.nextSentence = NextSentence::Follow;
        for (const Instance& instance : buildAll(documents, follow, 50)) {
            const auto tokens = unmasked(instance);
            QVERIFY(!instance.randomNext);
            QVERIFY(instance.isPair() && tokens[instance.firstSegment] > tokens[instance.firstSegment - 2]);
        }
        std::uint64_t dropped = 0;
        const CountingDocuments oneSentence(std::vector<std::vector<int>>{{40}});
        QVERIFY(buildAll(oneSentence, follow, 3, &dropped).empty());
        QCOMPARE(dropped, std::uint64_t(3));
    }

    void makeRowsOfOneSideForMasksAlone()
    {
        const CountingDocuments documents(kThree);
        InstanceSettings masked = settings(32);
        masked.objective = Objective::Masked;
        std::size_t longest = 0;
        for (const Instance& instance : buildAll(documents, masked, 50)) {
            const auto tokens = unmasked(instance);
            QVERIFY(tokens.size() >= 3 && tokens.size() <= 32);
            QVERIFY(!instance.isPair() && !instance.randomNext);
            QCOMPARE(instance.firstSegment, static_cast<std::uint32_t>(tokens.size()));
            QCOMPARE(tokens.front(), 2);
            QCOMPARE(tokens.back(), 3);
            for (std::size_t i = 2; i + 1 < tokens.size(); ++i)
                QCOMPARE(tokens[i], tokens[i - 1] + 1); // consecutive tokens of one document
            longest = std::max(longest, tokens.size());
        }
        QCOMPARE(longest, std::size_t(32));
    }

    void tellWhichSentencesTheyBeginWith()
    {
        const CountingDocuments documents(kThree);
        InstanceSettings wide = settings(400); // nothing is cut
        for (const auto objective : {Objective::Bert, Objective::Masked}) {
            wide.objective = objective;
            for (const Instance& instance : buildAll(documents, wide, 30)) {
                const auto tokens = unmasked(instance);
                const auto first = [&](const SentencePlace& place) {
                    return documents.document(place.document).sentence(place.sentence)[0];
                };
                QCOMPARE(tokens[1], first(instance.a));
                QCOMPARE(tokens[instance.isPair() ? instance.firstSegment : 1], first(instance.b));
                QCOMPARE(instance.randomNext, instance.a.document != instance.b.document);
            }
        }
    }

    void maskWholeWordsOrNone()
    {
        std::string text = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n";
        for (int i = 5; i < kPieces; ++i)
            text += (i % 3 == 0 ? "w" : "##") + std::to_string(i) + "\n"; // words of three pieces
        const Vocabulary vocabulary = Vocabulary::parse(text).value();
        InstanceSettings whole = settings(48);
        whole.wholeWords = true;
        const TokenMasker masker(whole, vocabulary);
        TokenMasker::Scratch scratch;
        Instance plain; // A: 2 pieces of a cut word, 6 words; B: 6 words, the last of 2 pieces
        plain.tokens = {2};
        for (std::int32_t id = 301; id < 321; ++id)
            plain.tokens.push_back(id);
        plain.tokens.push_back(3);
        plain.firstSegment = 22;
        for (std::int32_t id = 600; id < 617; ++id)
            plain.tokens.push_back(id);
        plain.tokens.push_back(3);
        std::map<std::int32_t, int> chosen;
        constexpr int rounds = 20'000;
        for (std::uint32_t round = 0; round < rounds; ++round) {
            Instance instance = plain;
            masker.mask(instance, CounterRandom(1, RandomStream::Masks, round, 0), scratch);
            QCOMPARE(unmasked(instance), plain.tokens);
            const std::set<std::int32_t> positions(instance.maskedPositions.begin(),
                                                   instance.maskedPositions.end());
            QVERIFY(positions.size() >= 4 && positions.size() <= 6); // 2 + 2, 2 + 3 or 3 + 3 of 6
            for (const std::int32_t position : positions) {
                ++chosen[position];
                const std::int32_t id = plain.tokens[static_cast<std::size_t>(position)];
                const std::int32_t word = id - id % 3; // its first piece
                for (std::size_t at = 1; at < plain.tokens.size(); ++at) {
                    const std::int32_t other = plain.tokens[at];
                    if (other > 4 && other - other % 3 == word)
                        QVERIFY(positions.contains(static_cast<std::int32_t>(at)));
                }
            }
        }
        QCOMPARE(chosen.size(), plain.tokens.size() - 3);
        for (std::int32_t position = 3; position < 18; ++position) // words of the same length alike
            QVERIFY(std::abs(chosen[position] - chosen[24]) < 5 * std::sqrt(2.0 * chosen[24]));
    }

    void maskNothingWhereNoWordFits()
    {
        const Vocabulary vocabulary =
            Vocabulary::parse("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nab\n##c\n").value();
        InstanceSettings whole = settings(32);
        whole.wholeWords = true;
        TokenMasker::Scratch scratch;
        Instance instance;
        instance.tokens = {2, 5, 6, 3, 5, 6, 3}; // one prediction, and both words have two pieces
        instance.firstSegment = 4;
        TokenMasker(whole, vocabulary).mask(instance, CounterRandom(1, RandomStream::Masks, 0, 0), scratch);
        QVERIFY(instance.maskedPositions.empty() && instance.maskedIds.empty());
        QCOMPARE(instance.tokens, (std::vector<std::int32_t>{2, 5, 6, 3, 5, 6, 3}));
    }

    void countPredictionsAsPythonRounds_data()
    {
        QTest::addColumn<int>("length");
        QTest::addColumn<int>("expected");
        // round(n * 0.15) of Python 3, with 0.15 * 30 = 4.5, 0.15 * 50 = 7.5, 0.15 * 70 = 10.5, 0.15 * 90
        // = 13.5
        for (const auto& [length, expected] :
             {std::pair{5, 1}, {10, 2}, {30, 4}, {50, 8}, {70, 10}, {90, 14}, {128, 19}, {512, 77}})
            QTest::addRow("%d", length) << length << expected;
    }
    void countPredictionsAsPythonRounds()
    {
        QFETCH(int, length);
        QFETCH(int, expected);
        QCOMPARE(predictionsFor(static_cast<std::size_t>(length), settings(512)), expected);
    }

    void neverPredictMoreThanFits()
    {
        InstanceSettings narrow = settings(512);
        narrow.maxPredictions = 20;
        QCOMPARE(predictionsFor(512, narrow), 20);
    }

    void maskEightyTenTenAndEveryPositionAlike()
    {
        Instance plain;
        plain.tokens = {2, 100, 101, 102, 103, 3, 104, 105, 106, 3};
        plain.firstSegment = 6;
        constexpr std::uint32_t rounds = 40'000;
        const TokenMasker masker(settings(32), numbered());
        TokenMasker::Scratch scratch;
        std::map<std::int32_t, int> chosen;
        int mask = 0, kept = 0, random = 0;
        for (std::uint32_t round = 0; round < rounds; ++round) {
            Instance instance = plain;
            masker.mask(instance, CounterRandom(1, RandomStream::Masks, round, 0), scratch);
            QCOMPARE(unmasked(instance), plain.tokens);
            QCOMPARE(instance.maskedIds.size(), std::size_t(2));
            for (std::size_t i = 0; i < 2; ++i) {
                const auto position = instance.maskedPositions[i];
                ++chosen[position];
                const auto shown = instance.tokens[static_cast<std::size_t>(position)];
                ++(shown == 4 ? mask : shown == instance.maskedIds[i] ? kept : random);
            }
        }
        const double total = 2.0 * rounds;
        const auto close = [](double share, double expected, double n) {
            return std::fabs(share - expected) < 5 * std::sqrt(expected * (1 - expected) / n) + 2.0 / kPieces;
        };
        QVERIFY(close(mask / total, 0.8, total));
        QVERIFY(close(kept / total, 0.1, total));
        QVERIFY(close(random / total, 0.1, total));
        QCOMPARE(chosen.size(), std::size_t(7)); // never 0, 5 or 9
        for (const auto& [position, count] : chosen)
            QVERIFY(close(count / total, 1.0 / 7, total));
    }

    void becomeRowsOfZerosAfterTheirEnd()
    {
        Instance instance;
        instance.tokens = {2, 4, 101, 3, 104, 3};
        instance.firstSegment = 4;
        instance.randomNext = true;
        instance.maskedPositions = {1};
        instance.maskedIds = {100};
        RowBlock rows(8, 2);
        appendRow(instance, rows);
        appendRow(instance, rows);
        using Ids = std::vector<std::int32_t>;
        using Flags = std::vector<std::int8_t>;
        QCOMPARE(rows.inputIds, (Ids{2, 4, 101, 3, 104, 3, 0, 0, 2, 4, 101, 3, 104, 3, 0, 0}));
        QCOMPARE(rows.inputMask, (Flags{1, 1, 1, 1, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0}));
        QCOMPARE(rows.segmentIds, (Flags{0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0}));
        QCOMPARE(rows.maskedPositions, (Ids{1, 0, 1, 0}));
        QCOMPARE(rows.maskedIds, (Ids{100, 0, 100, 0}));
        QCOMPARE(rows.nextSentenceLabels, (Flags{1, 1}));
    }

    void drawUniformly()
    {
        CounterRandom random(5, RandomStream::Pairs, 1, 2);
        std::map<std::uint32_t, int> counts;
        for (int i = 0; i < 60'000; ++i)
            ++counts[random.between(3, 8)];
        QCOMPARE(counts.size(), std::size_t(6));
        for (const auto& [value, count] : counts)
            QVERIFY(value >= 3 && value <= 8 && std::abs(count - 10'000) < 500);
    }
};

QTEST_APPLESS_MAIN(TestInstances)
#include "tst_instances.moc"
