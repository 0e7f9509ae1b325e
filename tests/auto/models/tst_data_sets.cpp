#include <cstring>

#include <QAbstractItemModelTester>
#include <QTemporaryDir>
#include <QTest>

#include "app/models/data_set_list_model.h"
#include "app/models/prepare_options.h"
#include "app/models/sample_rows.h"
#include "app/models/stage_progress.h"
#include "remote/launch/data_set_manifest.h"

using namespace trainyard;

namespace {

const char* const kManifest =
    R"({"version":1,"sequence_length":128,"max_predictions":20,"vocabulary_size":30522,
    "vocabulary_sha256":"07eced37","statistics":{"documents":105,"tokens":527681,"row_tokens":10560},
    "shards":[{"file":"a","rows":100,"sha256":"","training":true},{"file":"b","rows":10,"sha256":"","training":false}]})";

DataSetEntry entry(const QString& folder)
{
    DataSetEntry entry;
    entry.name = folder;
    entry.host = "localhost";
    entry.folder = folder;
    return entry;
}

PrepareOptions validOptions()
{
    PrepareOptions options;
    options.dumps = {"/d/a.xml", "/d/b.xml.bz2"};
    options.vocabularyFile = "/d/vocab.txt";
    options.outputFolder = "/d/out put";
    return options;
}

ProgressRecord record(const char* stage, std::uint64_t done, std::uint64_t total, const char* unit,
                      double rate, double left)
{
    return {stage, done, total, unit, rate, left, {}};
}

} // namespace

class TestDataSets : public QObject {
    Q_OBJECT

private slots:
    void readsTheManifest()
    {
        const auto manifest = parseDataSetManifest(kManifest, "manifest.json");
        QVERIFY(manifest.ok());
        QCOMPARE(manifest->documents, std::uint64_t(105));
        QCOMPARE(manifest->vocabularySha256, "07eced37");
        const DataSetEntry read = withManifest(entry("/d"), *manifest);
        QCOMPARE(read.rows, std::uint64_t(110));
        QCOMPARE(read.testRows, std::uint64_t(10));
        QCOMPARE(read.shards, 2);
        QCOMPARE(read.tokens, std::uint64_t(527681));
        QCOMPARE(read.sequenceLength, 128);
        QCOMPARE(read.maxPredictions, 20);
        QCOMPARE(read.vocabularySize, 30522);
        QCOMPARE(read.paddingShare, 0.25); // 10,560 of 110 * 128
        std::string older = kManifest;
        older.erase(older.find(",\"row_tokens\":10560"), std::strlen(",\"row_tokens\":10560"));
        QVERIFY(!parseDataSetManifest(older, "manifest.json")->paddingShare());
    }

    void aStrangeManifestIsAnErrorThatNamesTheFile()
    {
        for (const char* text : {"", "{", "[]", R"({"version":2})", R"({"version":1})"}) {
            const auto read = parseDataSetManifest(text, "/d/manifest.json");
            QVERIFY(!read.ok());
            QVERIFY(read.error().message.find("/d/manifest.json") != std::string::npos);
        }
        const auto missing = readDataSetManifest("/nowhere");
        QCOMPARE(missing.error().kind, ErrorKind::BadInput);
        QVERIFY(missing.error().message.find("/nowhere/manifest.json") != std::string::npos);
    }

    void theListPassesTheModelTesterAndSurvivesTheDisk()
    {
        QTemporaryDir folder;
        const std::filesystem::path file = folder.filePath("datasets.json").toStdString();
        DataSetListModel list;
        QAbstractItemModelTester tester(&list);
        list.put(entry("/old"));
        DataSetEntry padded = entry("/new");
        padded.paddingShare = 0.25;
        list.put(padded);
        list.put(entry("/old")); // known: stays where it is
        QCOMPARE(list.rowCount(), 2);
        QCOMPARE(list.at(0).folder, "/new");
        list.setCheck("localhost", "/old", DataSetEntry::Check::Verified);
        QVERIFY(list.save(file).ok());

        DataSetListModel again;
        QAbstractItemModelTester secondTester(&again);
        QVERIFY(again.load(file).ok());
        QCOMPARE(again.rowCount(), 2);
        QCOMPARE(again.at(1).check, DataSetEntry::Check::Verified);
        QCOMPARE(again.at(0).paddingShare, 0.25);
        QVERIFY(!again.at(1).paddingShare);
        const DataSetEntry removed = again.remove(0);
        again.put(removed, 0);
        QCOMPARE(again.at(0).folder, "/new");
    }

    void prepareArgumentsAreThoseOfTheCommand()
    {
        PrepareOptions options = validOptions();
        QVERIFY(validate(options).empty());
        QCOMPARE(prepareArguments(options).mid(0, 6),
                 (QStringList{"/d/a.xml", "/d/b.xml.bz2", "--vocab", "/d/vocab.txt", "--out", "/d/out put"}));
        options.vocabulary = PrepareOptions::Vocabulary::Train;
        QVERIFY(prepareArguments(options).contains("--train-vocab"));
        QVERIFY(!prepareArguments(options).contains("--vocab"));
        QCOMPARE(jobName(options), "out-put");
    }

    void aJobTellsWhatItWasAskedToDo()
    {
        PrepareOptions options = validOptions();
        options.host = "gpu-03";
        options.shards = 6;
        options.seed = 18'446'744'073'709'551'615u;
        QCOMPARE(fromPrepareArguments("gpu-03", prepareArguments(options)), options);
        options.vocabulary = PrepareOptions::Vocabulary::Train;
        options.vocabularyFile.clear();
        options.vocabularySize = 4000;
        QCOMPARE(fromPrepareArguments("gpu-03", prepareArguments(options)), options);
        QVERIFY(!fromPrepareArguments("gpu-03", {"/d/a.xml", "--test-fraction", "0.2"}));
        QVERIFY(!fromPrepareArguments("gpu-03", {"/d/a.xml", "--shards", "many"}));
        QVERIFY(!fromPrepareArguments("gpu-03", {"/d/a.xml", "--out"}));
    }

    void everyWrongOptionIsNamed_data()
    {
        QTest::addColumn<QString>("member");
        QTest::addColumn<PrepareOptions>("options");
        const auto with = [](auto change) {
            PrepareOptions options = validOptions();
            change(options);
            return options;
        };
        QTest::addRow("no dump") << "dumps" << with([](auto& o) { o.dumps.clear(); });
        QTest::addRow("not an export") << "dumps" << with([](auto& o) { o.dumps = {"/d/a.txt"}; });
        QTest::addRow("relative dump") << "dumps" << with([](auto& o) { o.dumps = {"a.xml"}; });
        QTest::addRow("no vocabulary") << "vocabularyFile" << with([](auto& o) { o.vocabularyFile.clear(); });
        QTest::addRow("no output") << "outputFolder" << with([](auto& o) { o.outputFolder.clear(); });
        QTest::addRow("masks") << "maxPredictions" << with([](auto& o) { o.maxPredictions = 128; });
        QTest::addRow("masks and special tokens")
            << "maxPredictions" << with([](auto& o) { o.maxPredictions = 126; });
        QTest::addRow("no shard") << "shards" << with([](auto& o) { o.shards = 0; });
        QTest::addRow("a lone shard") << "shards" << with([](auto& o) { o.shards = 1; });
    }
    void everyWrongOptionIsNamed()
    {
        QFETCH(QString, member);
        QFETCH(PrepareOptions, options);
        const Diagnostics problems = validate(options);
        QCOMPARE(problems.size(), std::size_t(1));
        QCOMPARE(QString::fromStdString(problems.front().path), member);
        QVERIFY(!problems.front().hint.empty());
    }

    void stagesFillInTheirOrder()
    {
        StageProgress progress;
        progress.apply(record("read", 50, 100, "B", 10, 5));
        progress.apply(record("clean", 12, 0, "pages", 3, -1));
        const auto& stages = progress.stages();
        QCOMPARE(stages.size(), std::size_t(6));
        QCOMPARE(stages[0].fraction(), 0.5);
        QCOMPARE(stages[0].doneText(), "50 / 100 B");
        QCOMPARE(stages[1].doneText(), "12 pages");
        QVERIFY(!stages[2].started);
        QCOMPARE(progress.secondsLeft(), 5.0);
        progress.apply(record("read", 100, 100, "B", 10, 0));
        QVERIFY(progress.stages()[0].finished);
    }

    void trainingAVocabularyIsTheFirstStage()
    {
        StageProgress progress;
        progress.apply(record("vocabulary", 5'000'000, 20'000'000, "B", 1'048'576, 15));
        QCOMPARE(progress.stages().front().name, "vocabulary");
        QCOMPARE(progress.stages().front().doneText(), "4.77 / 19.1 MiB");
        QCOMPARE(progress.stages().front().rateText(), "1 MiB/s");
    }

    void readsWhatVerifyPrints()
    {
        const auto report = parseVerifyReport(R"({"ok":false,
            "violations":[{"invariant":3,"name":"n","file":"a.hdf5","row":7,"problem":"a mask on [SEP]"}],
            "samples":[{"shard":"a.hdf5","row":7,"random_next":true,"tokens":[
                {"text":"[CLS]","segment":0},{"text":"[MASK]","original":"cat","segment":0},{"text":"##s","segment":1}]}]})");
        QVERIFY(report.ok());
        QVERIFY(!report->sound);
        QCOMPARE(report->problems.front(), "a.hdf5: a mask on [SEP]");
        QVERIFY(report->samples.front().tokens[1].isMasked());
        QVERIFY(report->samples.front().tokens[2].isContinuation());
    }

    void garbageFromTheVerifierIsAnError()
    {
        for (const char* text :
             {"", "{}", "null", R"({"ok":1})", R"({"ok":true,"violations":[],"samples":[{}]})"})
            QVERIFY(!parseVerifyReport(text).ok());
    }
};

QTEST_GUILESS_MAIN(TestDataSets)
#include "tst_data_sets.moc"
