#include <QTemporaryDir>
#include <QTest>

#include <set>

#include "datasets/prepare/checked_options.h"
#include "datasets/prepare/preparation.h"
#include "datasets/pretraining/masking.h"
#include "datasets/pretraining/row_statistics.h"
#include "datasets/verification/overlap_check.h"
#include "datasets/verification/share_checks.h"
#include "engine/base/file.h"
#include "engine/base/hash.h"
#include "tests/auto/prepare/mutated_shard.h"
#include "tests/auto/prepare/sample_dump.h"

using namespace trainyard;

namespace fs = std::filesystem;

namespace {

struct Recipe {
    const char* name;
    Objective objective;
    NextSentence nextSentence;
    bool wholeWords;
    bool provenance;
};

constexpr Recipe kRecipes[]{
    {"random", Objective::Bert, NextSentence::Random, false, true},
    {"swap", Objective::Bert, NextSentence::Swap, false, true},
    {"none", Objective::Bert, NextSentence::Follow, true, true},
    {"masks", Objective::Masked, NextSentence::Random, false, true},
    {"words", Objective::Masked, NextSentence::Random, true, false},
    {"text", Objective::Tokens, NextSentence::Random, false, false},
};

const Recipe& recipe(const QString& name)
{
    return *std::find_if(std::begin(kRecipes), std::end(kRecipes),
                         [&](const Recipe& r) { return name == QLatin1String(r.name); });
}

PrepareOptions optionsOf(const Recipe& recipe, const fs::path& out)
{
    PrepareOptions options = smallOptions(out);
    options.instances.objective = recipe.objective;
    options.instances.nextSentence = recipe.nextSentence;
    options.instances.wholeWords = recipe.wholeWords;
    options.extra.provenance = recipe.provenance;
    return options;
}

Result<Manifest> prepareObjective(const PrepareOptions& options)
{
    Progress progress;
    const CancelFlag cancel;
    TRAINYARD_TRY(auto sets, prepareDataset(options, progress, cancel));
    return std::move(sets.front().manifest);
}

/// The first row with this label.
std::size_t rowWith(const RowBlock& rows, std::int8_t label)
{
    return static_cast<std::size_t>(
        std::find(rows.nextSentenceLabels.begin(), rows.nextSentenceLabels.end(), label) -
        rows.nextSentenceLabels.begin());
}

struct ObjectiveMutant {
    const char* name;
    const char* recipe;
    Invariant broken;
    Mutation mutation;
};

const std::vector<ObjectiveMutant>& objectiveMutants()
{
    static const std::vector<ObjectiveMutant> all{
        {"labels of the wrong sense", "random", Invariant::NextSentences,
         [](RowBlock& r) {
             for (std::int8_t& label : r.nextSentenceLabels)
                 label = static_cast<std::int8_t>(1 - label);
         }},
        {"label 0 across documents", "random", Invariant::NextSentences,
         [](RowBlock& r) { r.nextSentenceLabels[rowWith(r, 1)] = 0; }},
        {"label 1 within a document", "random", Invariant::NextSentences,
         [](RowBlock& r) { r.nextSentenceLabels[rowWith(r, 0)] = 1; }},
        {"B before A", "random", Invariant::NextSentences,
         [](RowBlock& r) { std::swap(r.sentenceA[rowWith(r, 0)], r.sentenceB[rowWith(r, 0)]); }},
        {"a negative sentence", "random", Invariant::NextSentences, [](RowBlock& r) { r.sentenceB[5] = -1; }},
        {"a swap that the label does not tell", "swap", Invariant::NextSentences,
         [](RowBlock& r) { r.nextSentenceLabels[rowWith(r, 1)] = 0; }},
        {"another document in a swap", "swap", Invariant::NextSentences,
         [](RowBlock& r) { ++r.documentB[3]; }},
        {"a label where all follow", "none", Invariant::NextSentences,
         [](RowBlock& r) { r.nextSentenceLabels[3] = 1; }},
        {"two places of one side", "masks", Invariant::NextSentences, [](RowBlock& r) { ++r.sentenceB[3]; }},
        {"a second side", "masks", Invariant::Segments, [](RowBlock& r) { r.segmentIds[2] = 1; }},
        {"a word masked in part", "words", Invariant::Predictions,
         [](RowBlock& r) {
             // The last prediction of a row that has several of one word.
             const auto width = static_cast<std::size_t>(r.maxPredictions);
             for (std::size_t row = 0;; ++row) {
                 std::int32_t* positions = &r.maskedPositions[row * width];
                 std::size_t count = 0;
                 while (count < width && positions[count] > 0)
                     ++count;
                 if (count < 2 || positions[count - 1] != positions[count - 2] + 1)
                     continue;
                 const std::size_t last = row * width + count - 1;
                 r.inputIds[row * static_cast<std::size_t>(r.sequenceLength) +
                            static_cast<std::size_t>(positions[count - 1])] = r.maskedIds[last];
                 r.maskedPositions[last] = r.maskedIds[last] = 0;
                 break;
             }
         }},
        {"[CLS] in running text", "text", Invariant::SpecialTokens, [](RowBlock& r) { r.inputIds[70] = 2; }},
        {"an id outside of the vocabulary", "text", Invariant::Padding,
         [](RowBlock& r) { r.inputIds[70] = 1200; }},
    };
    return all;
}

} // namespace

class TestObjectives : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        for (const Recipe& each : kRecipes) {
            const auto manifest = prepareObjective(optionsOf(each, good(each.name)));
            QVERIFY2(manifest.ok(), manifest.ok() ? "" : manifest.error().text().c_str());
        }
    }
    void cleanup() { fs::remove_all(copy()); }

    void keepEveryInvariant_data() { addRecipes(); }
    void keepEveryInvariant()
    {
        QFETCH(QString, name);
        const auto report = verify({good(name), {}, 3}).value();
        QVERIFY2(report.ok(), report.ok() ? "" : report.violations[0].text().c_str());
        QCOMPARE(report.samples.size(), std::size_t(3));
        QCOMPARE(report.rules.provenance, recipe(name).provenance);
        QVERIFY(report.rows() > 200);
    }

    void areToldApartWithoutAManifest_data() { addRecipes(); }
    void areToldApartWithoutAManifest()
    {
        QFETCH(QString, name);
        const Recipe& made = recipe(name);
        if (made.wholeWords ||
            (made.objective == Objective::Bert && made.nextSentence != NextSentence::Random))
            return; // the rows do not say so
        fs::copy(good(name), copy());
        fs::remove(copy() / Manifest::kFileName);
        const auto report = verify({copy(), copy() / "vocab.txt", 0}).value();
        QVERIFY2(report.ok(), report.ok() ? "" : report.violations[0].text().c_str());
        QCOMPARE(report.rules.objective, made.objective);
        QCOMPARE(report.rules.provenance, made.provenance);
    }

    void giveTheSameBytesForAnyNumberOfThreads_data() { addRecipes(); }
    void giveTheSameBytesForAnyNumberOfThreads()
    {
        QFETCH(QString, name);
        PrepareOptions options = optionsOf(recipe(name), copy());
        options.threads = 5;
        QCOMPARE(prepareObjective(options)->toJson(), Manifest::load(good(name))->toJson());
    }

    void holdEveryTokenOfRunningText()
    {
        const auto manifest = Manifest::load(good("text")).value();
        const DatasetStatistics& s = manifest.statistics;
        const std::uint64_t dropped = manifest.counters.at("tokens_after_the_last_row");
        QCOMPARE(manifest.maxPredictions, 0);
        QCOMPARE(s.rowTokens + dropped, 2 * (s.tokens + s.documents)); // two passes
        std::uint64_t separators = 0;
        for (const ShardEntry& shard : manifest.shards) {
            const RowBlock rows = readShard(good("text") / shard.file).value();
            separators +=
                static_cast<std::uint64_t>(std::count(rows.inputIds.begin(), rows.inputIds.end(), 3));
        }
        QVERIFY(separators <= 2 * s.documents && separators + dropped >= 2 * s.documents);
    }

    void refuseWhatDoesNotGoTogether()
    {
        PrepareOptions options = optionsOf(recipe("text"), copy());
        options.extra.provenance = true;
        QVERIFY(checkedOptions(options).error().message.find("--provenance") != std::string::npos);
        options = optionsOf(recipe("text"), copy());
        options.instances.wholeWords = true;
        QVERIFY(checkedOptions(options).error().message.find("--whole-word") != std::string::npos);
        options = optionsOf(recipe("masks"), copy());
        options.instances.nextSentence = NextSentence::Swap;
        QVERIFY(checkedOptions(options).error().message.find("--nsp swap") != std::string::npos);
    }

    void findEveryMutant_data()
    {
        QTest::addColumn<int>("mutant");
        for (std::size_t i = 0; i < objectiveMutants().size(); ++i)
            QTest::addRow("%s", objectiveMutants()[i].name) << static_cast<int>(i);
    }
    void findEveryMutant()
    {
        QFETCH(int, mutant);
        const ObjectiveMutant& tried = objectiveMutants()[static_cast<std::size_t>(mutant)];
        fs::copy(good(tried.recipe), copy());
        const char* const shard = "wikicorpus_en_training_1.hdf5";
        QVERIFY(mutate(copy() / shard, tried.mutation).ok());
        Manifest manifest = Manifest::load(copy()).value();
        for (ShardEntry& entry : manifest.shards)
            entry.sha256 = sha256OfFile(copy() / entry.file).value();
        QVERIFY(writeFileAtomically(copy() / Manifest::kFileName, manifest.toJson()).ok());
        const auto report = verify({copy(), {}, 0}).value();
        QCOMPARE(report.violations.size(), std::size_t(1));
        const Violation& violation = report.violations[0];
        QVERIFY2(violation.invariant == tried.broken, violation.text().c_str());
        QCOMPARE(violation.file, std::string(shard));
    }

    void findTestDocumentsInTraining()
    {
        fs::copy(good("random"), copy());
        fs::remove(copy() / Manifest::kFileName);
        const std::int64_t held = readShard(copy() / "wikicorpus_en_test_0.hdf5")->documentA[0];
        QVERIFY(mutate(copy() / "wikicorpus_en_training_1.hdf5", [&](RowBlock& r) {
                    const std::size_t row = rowWith(r, 0);
                    r.documentA[row] = r.documentB[row] = held;
                }).ok());
        const auto report = verify({copy(), copy() / "vocab.txt", 0}).value();
        QCOMPARE(report.violations.size(), std::size_t(1));
        QCOMPARE(report.violations[0].invariant, Invariant::Documents);
        QVERIFY(report.violations[0].problem.find(std::to_string(held)) != std::string::npos);
    }

    void findDocumentsWithoutRows_data()
    {
        QTest::addColumn<QString>("name");
        for (const char* name : {"random", "masks", "text"})
            QTest::addRow("%s", name) << name;
    }
    void findDocumentsWithoutRows()
    {
        QFETCH(QString, name);
        fs::copy(good(name), copy());
        Manifest manifest = Manifest::load(copy()).value();
        manifest.statistics.documents += 200;
        QVERIFY(writeFileAtomically(copy() / Manifest::kFileName, manifest.toJson()).ok());
        const auto report = verify({copy(), {}, 0}).value();
        QCOMPARE(report.violations.size(), std::size_t(1));
        QVERIFY2(report.violations[0].invariant == Invariant::Documents, report.violations[0].text().c_str());
    }

    /// A side of other documents shares fewer words; the labels say the contrary.
    void findLabelsOfTheWrongSenseWithoutProvenance()
    {
        for (const bool swapped : {false, true}) {
            OverlapCheck check(2000);
            for (std::int32_t row = 0; row < 300; ++row) {
                const std::int32_t a = 10 + 3 * row, elsewhere = 1500 + row % 7;
                Instance follows; // B begins with a word of A, every second one with two
                follows.tokens = {2, a, a + 1, a + 2, 3, a, row % 2 == 0 ? a + 1 : elsewhere, elsewhere, 3};
                follows.firstSegment = 5;
                follows.randomNext = swapped;
                check.add(follows);
                Instance random = follows;
                random.tokens[5] = elsewhere;
                random.randomNext = !swapped;
                check.add(random);
            }
            QCOMPARE(check.problem().has_value(), swapped);
        }
    }

    /// Documents of one sentence each: all rows but a few have label 1, and none of these few shares a word.
    void tellNothingFromAFewRowsOfOneLabel()
    {
        OverlapCheck check(2000);
        for (std::int32_t row = 0; row < 600; ++row) {
            const std::int32_t a = 10 + 3 * row;
            Instance instance;
            instance.randomNext = row >= 20;
            instance.tokens = {2, a, a + 1, a + 2, 3, instance.randomNext ? a : 1900, 1901, 3};
            instance.firstSegment = 5;
            check.add(instance);
        }
        QVERIFY(!check.problem());
    }

    /// A random word that is the original is not seen as one; with few pieces that is one in a few.
    void areUniformWithAFewFrequentPieces()
    {
        const Vocabulary vocabulary =
            Vocabulary::parse("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\nb\nc\nd\ne\n").value();
        Instance plain;
        plain.tokens = {2, 5, 5, 5, 5, 5, 5, 6, 6, 7, 3, 5, 5, 5, 5, 5, 6, 6, 8, 9, 3};
        plain.firstSegment = 11;
        InstanceSettings settings;
        const TokenMasker masker(settings, vocabulary);
        TokenMasker::Scratch scratch;
        UniformityCheck check(vocabulary);
        DatasetStatistics found;
        for (std::uint32_t row = 0; row < 50'000; ++row) {
            Instance instance = plain;
            masker.mask(instance, CounterRandom(1, RandomStream::Masks, row, 0), scratch);
            check.add(instance);
            addRow(found, instance, 64, vocabulary.special().mask);
        }
        const auto problem = checkUniformity(check, false);
        QVERIFY2(!problem, problem ? problem->c_str() : "");
        // One random word in ten is [MASK], and one is the original.
        QVERIFY(!checkMaskShares(found, vocabulary.size()));
        QVERIFY(checkMaskShares(found, 30'000).has_value());
    }

    void knowRowsThatCannotBeOfWholeDocuments()
    {
        Manifest manifest;
        manifest.sequenceLength = 128;
        manifest.settings.shortSequenceShare = 0.1;
        manifest.statistics.documents = 200;
        manifest.statistics.tokens = 200'000; // 1000 each
        manifest.statistics.sentences = 8000;
        DatasetStatistics found;
        found.fullRows = 800;
        QVERIFY(!checkRowLengths(found, 1000, manifest));
        found.fullRows = 0;
        QVERIFY(checkRowLengths(found, 1000, manifest).has_value());
        QVERIFY(!checkRowLengths(found, 100, manifest)); // too few to tell
        found.fullRows = 1000;
        QVERIFY(checkRowLengths(found, 1000, manifest).has_value());
        manifest.statistics.sentences = 3000; // so long that two fill a row
        QVERIFY(!checkRowLengths(found, 1000, manifest));
        manifest.statistics.tokens = 20'000; // documents that are shorter than rows
        found.fullRows = 0;
        QVERIFY(!checkRowLengths(found, 1000, manifest));
    }

private:
    static void addRecipes()
    {
        QTest::addColumn<QString>("name");
        for (const Recipe& each : kRecipes)
            QTest::addRow("%s", each.name) << each.name;
    }
    fs::path good(const QString& name) const
    {
        return fs::path(m_folder.path().toStdString()) / name.toStdString();
    }
    fs::path copy() const { return fs::path(m_folder.path().toStdString()) / "copy"; }

    QTemporaryDir m_folder;
};

QTEST_APPLESS_MAIN(TestObjectives)
#include "tst_objectives.moc"
