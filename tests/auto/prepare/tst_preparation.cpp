#include <QTemporaryDir>
#include <QTest>

#include <set>

#include "datasets/prepare/instance_spill.h"
#include "datasets/prepare/preparation.h"
#include "datasets/prepare/shard_plan.h"
#include "datasets/shards/shard_reader.h"
#include "engine/base/file.h"
#include "tests/auto/prepare/sample_dump.h"

using namespace trainyard;

namespace fs = std::filesystem;

namespace {

Result<Manifest> prepare(const PrepareOptions& options)
{
    Progress progress;
    const CancelFlag cancel;
    return prepareDataset(options, progress, cancel);
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

    void keepsNoFileOpenBehindASealedSpill()
    {
        const auto openFiles = [] { return namesIn("/proc/self/fd").size(); };
        const auto before = openFiles();
        auto spill = InstanceSpill::create(path() / "spill", std::uint64_t(1) << 40).value();
        QVERIFY(openFiles() > before + 100);
        QVERIFY(spill.seal().ok());
        QCOMPARE(openFiles(), before);
    }

    void sortsInstancesTheSameWithAnyNumberOfBuckets()
    {
        std::vector<std::vector<std::int32_t>> orders;
        for (const std::uint64_t expectedBytes : {std::uint64_t(0), std::uint64_t(1) << 31}) {
            auto spill =
                InstanceSpill::create(path() / ("spill" + std::to_string(orders.size())), expectedBytes)
                    .value();
            for (std::uint32_t i = 0; i < 1000; ++i) {
                Instance instance;
                instance.tokens = {2, static_cast<std::int32_t>(i), 3, 9, 3};
                instance.firstSegment = 3;
                instance.randomNext = i % 2 == 0;
                instance.maskedPositions = {1};
                instance.maskedIds = {7};
                QVERIFY(spill.add({std::uint64_t(i) * 0x9E3779B97F4A7C15u, i, 0, 0}, instance).ok());
            }
            QVERIFY(spill.seal().ok());
            QCOMPARE(spill.size(), std::uint64_t(1000));
            auto& order = orders.emplace_back();
            for (const auto& [first, count] : {std::pair{0, 10}, {10, 700}, {710, 290}}) {
                QVERIFY(spill
                            .visit(static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(count),
                                   [&](const Instance& instance) -> Status {
                                       TRAINYARD_CHECK(instance.randomNext == (instance.tokens[1] % 2 == 0) &&
                                                       instance.maskedIds[0] == 7);
                                       order.push_back(instance.tokens[1]);
                                       return {};
                                   })
                            .ok());
            }
        }
        QCOMPARE(orders[0], orders[1]);
        QCOMPARE(std::set<std::int32_t>(orders[0].begin(), orders[0].end()).size(), std::size_t(1000));
    }

private:
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
