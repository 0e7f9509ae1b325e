#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "datasets/prepare/instance_spill.h"
#include "datasets/prepare/preparation.h"
#include "datasets/prepare/shard_plan.h"
#include "datasets/shards/shard_reader.h"
#include "engine/base/check.h"
#include "engine/base/file.h"
#include "tests/auto/prepare/sample_dump.h"

using namespace trainyard;

namespace fs = std::filesystem;

namespace {

Result<Manifest> prepare(const PrepareOptions& options)
{
    Progress progress;
    const CancelFlag cancel;
    auto sets = prepareDataset(options, progress, cancel);
    if (!sets.ok())
        return sets.error();
    return std::move(sets->front().manifest);
}

bool contains(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

std::set<std::string> namesIn(const fs::path& folder)
{
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder))
        names.insert(entry.path().filename());
    return names;
}

} // namespace

class TestPreparation : public QObject {
    Q_OBJECT

private slots:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void publishesAWholeDataset()
    {
        const auto manifest = prepare(smallOptions(out()));
        QVERIFY2(manifest.ok(), manifest.ok() ? "" : manifest.error().text().c_str());
        QCOMPARE(namesIn(path()), std::set<std::string>{"out"});
        QCOMPARE(namesIn(out()),
                 (std::set<std::string>{"manifest.json", "vocab.txt", "wikicorpus_en_training_0.hdf5",
                                        "wikicorpus_en_training_1.hdf5", "wikicorpus_en_training_2.hdf5",
                                        "wikicorpus_en_test_0.hdf5"}));
        QCOMPARE(Manifest::load(out())->toJson(), manifest->toJson());
        QVERIFY(manifest->shards[0].rows - manifest->shards[2].rows <= 1);
        QCOMPARE(manifest->vocabularySize, 1200);
        // 341 articles, of which the sample's own counts leave out redirects and three pages of other
        // namespaces.
        QCOMPARE(manifest->counters.at("pages_of_other_namespaces"), std::uint64_t(3));
        QCOMPARE(manifest->statistics.documents + manifest->counters.at("redirects") + 3 +
                     manifest->counters.at("articles_without_text"),
                 manifest->counters.at("pages"));
        QVERIFY(manifest->counters.at("unknown_tokens") < manifest->statistics.tokens / 20);
        for (const ShardEntry& shard : manifest->shards)
            QCOMPARE(ShardReader::open(out() / shard.file, 64, 10)->rows(), shard.rows);
    }

    void givesTheSameBytesForAnyNumberOfThreads()
    {
        PrepareOptions options = smallOptions(out());
        std::set<std::string> manifests; // they hold the hashes of everything else
        for (const int threads : {1, 2, 5}) {
            options.out = path() / ("threads" + std::to_string(threads));
            options.threads = threads;
            manifests.insert(prepare(options)->toJson());
        }
        QCOMPARE(manifests.size(), std::size_t(1));
        options.out = path() / "seed";
        options.instances.seed += 1;
        const auto other = prepare(options).value();
        QVERIFY(Manifest::load(path() / "threads1")->shards[0].sha256 != other.shards[0].sha256);
        QCOMPARE(other.vocabularySha256, Manifest::load(path() / "threads1")->vocabularySha256);
    }

    void tellsTheBytesOfTheText_data()
    {
        QTest::addColumn<int>("objective");
        QTest::addRow("running text") << int(Objective::Tokens);
        QTest::addRow("pairs") << int(Objective::Bert);
    }
    void tellsTheBytesOfTheText()
    {
        QFETCH(int, objective);
        std::string text;
        for (int document = 0; document < 120; ++document) {
            for (int sentence = 0; sentence < 8; ++sentence)
                text +=
                    "The café number " + std::to_string(document) + " was the first of all in this book.\n";
            text += '\n';
        }
        const fs::path file = path() / "text.txt";
        QVERIFY(writeFileAtomically(file, text).ok());
        PrepareOptions options = smallOptions(out());
        options.dumps = {file};
        options.format = CorpusFormat::Sentences;
        options.trainVocabulary = 150;
        options.instances.objective = Objective(objective);
        options.dupeFactor = 1;
        const auto manifest = prepare(options);
        QVERIFY2(manifest.ok(), manifest.ok() ? "" : manifest.error().text().c_str());
        std::uint64_t bytes = 0, tokens = 0;
        for (const ShardEntry& shard : manifest->shards) {
            QVERIFY(shard.tokens > 0 && shard.textBytes > 0);
            bytes += shard.textBytes;
            tokens += shard.tokens;
        }
        QCOMPARE(tokens, manifest->statistics.rowTokens);
        const auto inFile = double(text.size() - 120); // without the empty lines
        const double perToken = inFile / double(manifest->statistics.tokens);
        const double special = objective == int(Objective::Tokens) ? 1 : 3; // per document, per row
        const double rows = double(manifest->trainingRows() + manifest->testRows());
        const double ofText = double(tokens) - special * (special == 1 ? 120 : rows);
        // Of what is in the rows; the border of the last row tears a document.
        QVERIFY2(std::abs(double(bytes) - ofText * perToken) < 0.01 * inFile,
                 qPrintable(QString::number(bytes)));
    }

    void tokenizesAsTheProfileSays()
    {
        std::string dump = "<mediawiki>";
        for (int page = 1; page <= 40; ++page) {
            dump += "<page><title>P</title><ns>0</ns><id>" + std::to_string(page) + "</id><revision><text>";
            for (int sentence = 0; sentence < 6; ++sentence)
                dump += "The ΛΟΓΟΣ was the first word of all words in this book. ";
            dump += "</text></revision></page>\n";
        }
        const fs::path file = path() / "dump.xml";
        QVERIFY(writeFileAtomically(file, dump + "</mediawiki>\n").ok());
        PrepareOptions options = smallOptions(out());
        options.dumps = {file};
        options.trainVocabulary = 100;
        for (const auto& [profile, stored, finalSigma] :
             {std::tuple{"hf", "hf-0.23", false}, {"google-py", "google-py", true}}) {
            options.out = path() / profile;
            options.profile = profile;
            const auto manifest = prepare(options);
            QVERIFY2(manifest.ok(), manifest.ok() ? "" : manifest.error().text().c_str());
            QCOMPARE(manifest->settings.tokenizerProfile, std::string(stored));
            QCOMPARE(contains(readFile(options.out / "vocab.txt").value(), "λογος"), finalSigma);
        }
    }

    void keepsTestDocumentsOutOfTraining()
    {
        PrepareOptions options = smallOptions(out());
        options.testFraction = 0;
        const auto manifest = prepare(options).value();
        QCOMPARE(manifest.testRows(), std::uint64_t(0));
        QCOMPARE(manifest.statistics.testDocuments, std::uint64_t(0));
    }

    void refusesBadOptions_data()
    {
        QTest::addColumn<QString>("option");
        const auto row = [](const char* option) { QTest::addRow("%s", option) << option; };
        for (const char* option : {"--seq-len", "--max-pred", "--dupe", "--shards", "--test-fraction",
                                   "--threads", "--vocab", "--out", "--name", "--profile"})
            row(option);
    }
    void refusesBadOptions()
    {
        QFETCH(QString, option);
        PrepareOptions options = smallOptions(out());
        const auto is = [&](const char* name) { return option == QLatin1String(name); };
        if (is("--seq-len"))
            options.instances.sequenceLength = 4;
        else if (is("--max-pred"))
            options.instances.maxPredictions = 62;
        else if (is("--dupe"))
            options.dupeFactor = 0;
        else if (is("--shards"))
            options.trainingShards = 1;
        else if (is("--test-fraction"))
            options.testFraction = 1;
        else if (is("--threads"))
            options.threads = -1;
        else if (is("--profile"))
            options.profile = "icu";
        else if (is("--vocab"))
            options.vocabulary = "vocab.txt"; // and --train-vocab
        else if (is("--out"))
            options.out = sampleDump() / "below a file";
        else
            options.corpus = "my_training";
        refuses(options, option.toStdString());
    }

    void refusesToOverwrite()
    {
        QVERIFY(makeFolder(out()).ok() && writeFileAtomically(out() / "precious", "x").ok());
        refuses(smallOptions(out()), "exists and is not empty");
        QCOMPARE(readFile(out() / "precious").value(), std::string("x"));
    }

    void makesMissingParents()
    {
        PrepareOptions options = smallOptions(path() / "sets" / "small" / "out");
        const auto manifest = prepare(options);
        QVERIFY2(manifest.ok(), manifest.ok() ? "" : manifest.error().text().c_str());
        QCOMPARE(namesIn(path() / "sets" / "small"), std::set<std::string>{"out"});
    }

    void takesTheParentsBackWhenItFails()
    {
        PrepareOptions options = smallOptions(path() / "sets" / "small" / "out");
        options.dumps = {path() / "nowhere.xml.bz2"};
        refuses(options, "nowhere.xml.bz2");
        QVERIFY(namesIn(path()).empty());
    }

    void replacesAnEmptyFolderBehindALink()
    {
        fs::create_directory(path() / "disk");
        fs::create_directory_symlink(path() / "disk", out());
        const auto manifest = prepare(smallOptions(out()));
        QVERIFY2(manifest.ok(), manifest.ok() ? "" : manifest.error().text().c_str());
        QVERIFY(fs::is_symlink(out()));
        QVERIFY(fs::exists(path() / "disk" / Manifest::kFileName));
    }

    void refusesMoreShardsThanDocuments()
    {
        PrepareOptions options = smallOptions(out());
        options.trainingShards = 1000;
        refuses(options, "--shards 1000: the dump has only");
    }

    void refusesAVocabularyWithoutMask()
    {
        PrepareOptions options = smallOptions(out());
        options.trainVocabulary = 0;
        options.vocabulary = path() / "vocab.txt";
        QVERIFY(writeFileAtomically(options.vocabulary, "[PAD]\n[UNK]\n[CLS]\n[SEP]\nthe\n").ok());
        refuses(options, "[MASK]");
    }

    void leavesNothingBehindForATruncatedDump()
    {
        PrepareOptions options = smallOptions(out());
        const std::string whole = readFile(sampleDump()).value();
        options.dumps = {path() / "half.xml.bz2"};
        QVERIFY(writeFileAtomically(options.dumps[0], whole.substr(0, whole.size() / 2)).ok());
        refuses(options, "half.xml.bz2");
        QCOMPARE(namesIn(path()), std::set<std::string>{"half.xml.bz2"});
    }

    void namesAMissingDumpBeforeItStarts()
    {
        PrepareOptions options = smallOptions(out());
        options.dumps.push_back(path() / "nowhere.xml.bz2");
        refuses(options, "nowhere.xml.bz2");
    }

    void stopsWhenCancelled()
    {
        Progress progress;
        CancelFlag cancel;
        cancel.set();
        const auto manifest = prepareDataset(smallOptions(out()), progress, cancel);
        QCOMPARE(manifest.error().kind, ErrorKind::Cancelled);
        QVERIFY(namesIn(path()).empty());
    }

    void dealsRowsEqually()
    {
        const auto plan = planShards("c", true, 11, 3).value();
        QCOMPARE(plan[0].rows, std::uint64_t(4));
        QCOMPARE(plan[1].rows, std::uint64_t(4));
        QCOMPARE(plan[2].rows, std::uint64_t(3));
        QCOMPARE(plan[2].firstRow, std::uint64_t(8));
        QCOMPARE(plan[2].file, std::string("c_training_2.hdf5"));
        QVERIFY(!planShards("c", true, 2, 3).ok());
    }

    void sortsInstancesTheSameWithAnyNumberOfBuckets_data()
    {
        QTest::addColumn<quint64>("buckets");
        QTest::addColumn<bool>("narrow");
        QTest::newRow("one") << quint64(1) << false;
        QTest::newRow("seven") << quint64(7) << true;
        QTest::newRow("thousands") << quint64(4000) << true;
    }
    void sortsInstancesTheSameWithAnyNumberOfBuckets()
    {
        QFETCH(quint64, buckets);
        QFETCH(bool, narrow);
        auto spill = InstanceSpill::create(path() / "spill", {buckets, narrow}).value();
        QVERIFY(addInstances(spill, 0, 1000).ok());
        QVERIFY(spill.seal().ok());
        QCOMPARE(orderOf(spill), expectedOrder());
    }

    void goesOnWithASpillWhereItWasCommitted()
    {
        const InstanceSpill::Shape shape{5, true};
        std::uint64_t size = 0;
        {
            auto spill = InstanceSpill::create(path() / "spill", shape).value();
            QVERIFY(addInstances(spill, 0, 300).ok());
            QVERIFY(spill.commit().ok());
            QVERIFY(addInstances(spill, 300, 600).ok());
            size = spill.commit().value();
            QVERIFY(addInstances(spill, 600, 900).ok()); // the process ends here, in the middle
            QVERIFY(spill.commit().ok());
        }
        auto spill = InstanceSpill::resume(path() / "spill", shape, size).value();
        QVERIFY(addInstances(spill, 600, 1000).ok());
        QVERIFY(spill.seal().ok());
        QCOMPARE(orderOf(spill), expectedOrder());
    }

    void refusesASpillThatIsShorterThanNoted()
    {
        {
            auto spill = InstanceSpill::create(path() / "spill", {1, true}).value();
            QVERIFY(addInstances(spill, 0, 10).ok() && spill.commit().ok());
        }
        const auto size = fs::file_size(path() / "spill");
        QVERIFY(!InstanceSpill::resume(path() / "spill", {1, true}, size + 1).ok());
    }

    void clearsTheNoteThatAKilledProcessHadBegun()
    {
        QVERIFY(makeFolder(path() / ".out.part").ok());
        QVERIFY(writeFileAtomically(path() / ".out.part" / ".job.tmp-1", "x").ok());
        QVERIFY(prepare(smallOptions(out())).ok());
        QCOMPARE(namesIn(path()), std::set<std::string>{"out"});
    }

    void makesSeveralShapesOutOfOneReading()
    {
        PrepareOptions options = smallOptions(out());
        options.shapes = {{64, 10}, {128, 20}};
        Progress progress;
        const CancelFlag cancel;
        const auto sets = prepareDataset(options, progress, cancel).value();
        QCOMPARE(namesIn(out()), (std::set<std::string>{"seq64", "seq128"}));
        QCOMPARE(sets[1].folder, out() / "seq128");
        QCOMPARE(sets[1].manifest.sequenceLength, 128);
        for (const RowShape& shape : options.shapes) { // as if it had been made alone
            PrepareOptions alone = smallOptions(path() / "alone" / std::to_string(shape.sequenceLength));
            alone.shapes = {shape};
            QCOMPARE(prepare(alone)->toJson(),
                     Manifest::load(out() / ("seq" + std::to_string(shape.sequenceLength)))->toJson());
        }
    }

    void refusesTheSameShapeTwice()
    {
        PrepareOptions options = smallOptions(out());
        options.shapes = {{64, 10}, {64, 12}};
        refuses(options, "--seq-len 64 is given twice");
    }

private:
    /// Instance i says i in its tokens and lies where a mixing of i puts it.
    static std::uint64_t keyOf(std::uint32_t i) { return std::uint64_t(i) * 0x9E3779B97F4A7C15u; }
    static Status addInstances(InstanceSpill& spill, std::uint32_t first, std::uint32_t end)
    {
        for (std::uint32_t i = first; i < end; ++i) {
            Instance instance;
            instance.tokens = {2, static_cast<std::int32_t>(i), 3, 65535, 3};
            instance.firstSegment = 3;
            instance.randomNext = i % 2 == 0;
            instance.singleSentence = i % 3 == 0;
            instance.maskedPositions = {1};
            instance.maskedIds = {7};
            TRAINYARD_TRY_STATUS(spill.add({keyOf(i), i, 0, 0}, instance));
        }
        return {};
    }
    static std::vector<std::int32_t> orderOf(const InstanceSpill& spill)
    {
        TRAINYARD_CHECK(spill.size() == 1000);
        std::vector<std::int32_t> order;
        for (const auto& [first, count] : {std::pair{0, 10}, {10, 700}, {710, 290}}) {
            const Status visited = spill.visit(
                static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(count),
                [&](const Instance& instance) -> Status {
                    const std::int32_t i = instance.tokens[1];
                    TRAINYARD_CHECK(instance.tokens == (std::vector<std::int32_t>{2, i, 3, 65535, 3}));
                    TRAINYARD_CHECK(instance.randomNext == (i % 2 == 0) && instance.firstSegment == 3);
                    TRAINYARD_CHECK(instance.singleSentence == (i % 3 == 0));
                    TRAINYARD_CHECK(instance.maskedIds.at(0) == 7 && instance.maskedPositions.at(0) == 1);
                    order.push_back(i);
                    return {};
                });
            TRAINYARD_CHECK(visited.ok());
        }
        return order;
    }
    static std::vector<std::int32_t> expectedOrder()
    {
        std::vector<std::int32_t> order(1000);
        std::iota(order.begin(), order.end(), 0);
        std::sort(order.begin(), order.end(), [](std::int32_t a, std::int32_t b) {
            return keyOf(static_cast<std::uint32_t>(a)) < keyOf(static_cast<std::uint32_t>(b));
        });
        return order;
    }

    fs::path path() const { return m_folder->path().toStdString(); }
    fs::path out() const { return path() / "out"; }

    void refuses(const PrepareOptions& options, const std::string& named)
    {
        const auto manifest = prepare(options);
        QVERIFY(!manifest.ok());
        QCOMPARE(manifest.error().kind, ErrorKind::BadInput);
        QVERIFY2(contains(manifest.error().text(), named), manifest.error().text().c_str());
        QVERIFY(!manifest.error().hint.empty());
        QVERIFY(!fs::exists(out() / Manifest::kFileName));
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_APPLESS_MAIN(TestPreparation)
#include "tst_preparation.moc"
