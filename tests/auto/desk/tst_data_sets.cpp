#include <cstring>

#include <QAbstractItemModelTester>
#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include "app/base/display_text.h"
#include "app/data/model/data_set_details.h"
#include "app/data/model/data_set_list_model.h"
#include "app/data/model/local_data_sets.h"
#include "app/data/model/preparation_counters.h"
#include "app/data/model/prepare_request.h"
#include "app/data/model/sample_rows.h"
#include "app/hosts/model/stage_progress.h"
#include "datasets/options/prepare_command_line.h"
#include "engine/base/file.h"
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

PrepareRequest validOptions()
{
    PrepareRequest options;
    options.dumps = {"/d/a.xml", "/d/b.xml.bz2"};
    options.vocabulary = "/d/vocab.txt";
    options.out = "/d/out put";
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
    void readsTheManifestOfATask()
    {
        QByteArray text = kManifest;
        text.replace(R"("statistics")",
                     R"("settings":{"objective":"tag"},"task":{"labels":["O","B-LOC","I-LOC"],)"
                     R"("held_out":[],"doc_stride":0,"questions":""},"statistics")");
        const auto manifest = parseDataSetManifest(text.toStdString(), "manifest.json");
        QVERIFY(manifest.ok());
        const DataSetEntry read = withManifest(entry("/d"), *manifest);
        QCOMPARE(read.objective, std::string("tag"));
        QCOMPARE(read.labels, 3);
        QCOMPARE(read.documents, std::uint64_t(105));
        QCOMPARE(taskTextOf(read), QString("3 tags"));
        QCOMPARE(taskTextOf(entry("/d")), QString());
        const auto details = readDataSetDetails(text);
        QVERIFY(details.ok());
        QVERIFY(details->settings.rows.contains(QStringList({"Labels", "O, B-LOC, I-LOC"})));
        QCOMPARE(details->statistics.rows.first().first(), QString("Examples"));
    }

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
        padded.labels = 4;
        padded.documents = 77;
        padded.vocabularySha256 = "07eced37";
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
        QCOMPARE(again.at(0).labels, 4);
        QCOMPARE(again.at(0).documents, std::uint64_t(77));
        QCOMPARE(again.at(0).vocabularySha256, std::string("07eced37"));
        const DataSetEntry removed = again.remove(0);
        again.put(removed, 0);
        QCOMPARE(again.at(0).folder, "/new");
    }

    void labelledExamplesHaveNoUseForOptionsOfACorpus()
    {
        PrepareRequest options = validOptions();
        options.task.kind = TaskKind::Classify;
        options.instances.seed = 7;
        options.testFraction = 0.2;
        PrepareRequest asked = options;
        asked.readers = {"gpu-03"};
        asked.trainVocabulary = 4000;
        asked.keepLists = asked.extra.mds = asked.instances.wholeWords = true;
        asked.shapes = {{128, 20}, {512, 80}};
        asked.dupeFactor = 9;
        QVERIFY(!validate(asked).empty());
        QCOMPARE(withoutCorpusOptions(asked), options);
        QVERIFY(validate(options).empty());
        const auto again = requestOf(options.host, toStringList(prepareArguments(options)));
        QVERIFY(again && *again == options); // found again when the window opens
        PrepareRequest hidden = options;
        hidden.task.docStride = 9;
        QCOMPARE(prepareArguments(hidden), prepareArguments(options));
    }

    void prepareArgumentsAreThoseOfTheCommand()
    {
        PrepareRequest options = validOptions();
        QVERIFY(validate(options).empty());
        const auto argumentsOf = [&] { return toStringList(prepareArguments(options)); };
        QCOMPARE(argumentsOf().mid(0, 6),
                 (QStringList{"/d/a.xml", "/d/b.xml.bz2", "--vocab", "/d/vocab.txt", "--out", "/d/out put"}));
        options.trainVocabulary = 30522;
        QVERIFY(argumentsOf().contains("--train-vocab"));
        QVERIFY(!argumentsOf().contains("--vocab"));
        QCOMPARE(jobName(options), "out-put");
    }

    void aJobTellsWhatItWasAskedToDo_data()
    {
        QTest::addColumn<PrepareRequest>("options");
        const auto row = [](const char* name, auto change) {
            PrepareRequest options = validOptions();
            options.host = "gpu-03";
            change(options);
            QTest::addRow("%s", name) << options;
        };
        row("defaults", [](auto&) {});
        row("numbers", [](auto& o) {
            o.trainingShards = 6;
            o.instances.seed = 18'446'744'073'709'551'615u;
            o.testShards = 3;
            o.testFraction = 0.123456789;
            o.dupeFactor = 10;
            o.threads = 16;
            o.memoryBytes = 300 * kMiB;
        });
        row("trained vocabulary", [](auto& o) {
            o.vocabulary.clear();
            o.trainVocabulary = 4000;
        });
        row("tokenizer.json", [](auto& o) {
            o.vocabulary.clear();
            o.tokenizer = "/d/my tokenizer.json";
        });
        row("trained tokenizer", [](auto& o) {
            o.vocabulary.clear();
            o.trainTokenizer = 32000;
        });
        row("every flag", [](auto& o) {
            o.keepHeadings = o.keepLists = o.cased = o.instances.wholeWords = true;
            o.extra = {true, true, true};
        });
        row("every choice", [](auto& o) {
            o.format = CorpusFormat::JsonLines;
            o.profile = "google-py";
            o.instances.objective = Objective::Masked;
            o.instances.nextSentence = NextSentence::Swap;
            o.punkt = "/d/punkt";
            o.corpus = "wiki_bg";
        });
        row("both phases", [](auto& o) { o.shapes = {{128, 20}, {512, 80}}; });
    }
    void aJobTellsWhatItWasAskedToDo()
    {
        QFETCH(PrepareRequest, options);
        QVERIFY(validate(options).empty());
        QCOMPARE(requestOf("gpu-03", toStringList(prepareArguments(options))), options);
    }

    void readsArgumentsAsPeopleTypeThem()
    {
        const auto options =
            requestOf("gpu-03", {"/d/a.xml", "--seq-len=64", "--max-pred", "10", "--memory", "2GiB", "--also",
                                 "megatron,mds", "--train-vocab", "300", "--out", "/d/set"});
        QVERIFY(options);
        QCOMPARE(options->shapes, (std::vector<RowShape>{{64, 10}}));
        QCOMPARE(options->dumps, std::vector<std::filesystem::path>{"/d/a.xml"});
        QCOMPARE(options->memoryBytes, 2 * kGiB);
        QVERIFY(options->extra.megatron && options->extra.mds);
        for (const QStringList& wrong : {QStringList{"--colour", "red"},
                                         {"--shards", "many"},
                                         {"--out"},
                                         {"--seq-len", "128,512", "--max-pred", "20"},
                                         {"--documents", "/d/part"},
                                         {"--also", "parquet"},
                                         {"--seq-len", "128,x", "--max-pred", "20,80"}})
            QVERIFY2(!requestOf("gpu-03", QStringList{"/d/a.xml", "--out", "/d/set"} + wrong),
                     qPrintable(wrong.join(' ')));
    }

    void bothPhasesMakeTwoFolders()
    {
        PrepareRequest options = validOptions();
        QCOMPARE(options.dataSetFolders(), QStringList{"/d/out put"});
        options.shapes = {{128, 20}, {512, 80}};
        QCOMPARE(options.dataSetFolders(), (QStringList{"/d/out put/seq128", "/d/out put/seq512"}));
    }

    void everyWrongOptionIsNamed_data()
    {
        QTest::addColumn<QString>("option");
        QTest::addColumn<PrepareRequest>("options");
        const auto with = [](auto change) {
            PrepareRequest options = validOptions();
            change(options);
            return options;
        };
        QTest::addRow("no dump") << "dumps" << with([](auto& o) { o.dumps.clear(); });
        QTest::addRow("part of a host that does not read")
            << "dumps" << with([](auto& o) { o.dumps = {"gpu-03:/d/a.xml"}; });
        QTest::addRow("relative part") << "dumps" << with([](auto& o) {
            o.readers = {"gpu-03"};
            o.dumps = {"gpu-03:a.xml"};
        });
        QTest::addRow("vocabulary of several hosts") << "vocabulary" << with([](auto& o) {
            o.readers = {"gpu-03", "gpu-04"};
            o.trainVocabulary = 30522;
        });
        QTest::addRow("weights of several hosts") << "--weights" << with([](auto& o) {
            o.readers = {"gpu-03", "gpu-04"};
            o.weights = {1, 2};
        });
        QTest::addRow("a weight too few") << "--weights" << with([](auto& o) { o.weights = {1}; });
        QTest::addRow("a weight of nothing") << "--weights" << with([](auto& o) { o.weights = {1, 0}; });
        QTest::addRow("relative dump") << "dumps" << with([](auto& o) { o.dumps = {"a.xml"}; });
        QTest::addRow("no vocabulary") << "--vocab" << with([](auto& o) { o.vocabulary.clear(); });
        QTest::addRow("relative tokenizer") << "--tokenizer" << with([](auto& o) {
            o.vocabulary.clear();
            o.tokenizer = "tokenizer.json";
        });
        QTest::addRow("tokens for less than all bytes") << "--train-tokenizer" << with([](auto& o) {
            o.vocabulary.clear();
            o.trainTokenizer = 200;
        });
        QTest::addRow("no output") << "--out" << with([](auto& o) { o.out.clear(); });
        QTest::addRow("masks") << "--max-pred" << with([](auto& o) { o.shapes = {{128, 128}}; });
        QTest::addRow("masks and special tokens") << "--max-pred" << with([](auto& o) {
            o.shapes = {{128, 126}};
        });
        QTest::addRow("short rows") << "--seq-len" << with([](auto& o) { o.shapes = {{7, 1}}; });
        QTest::addRow("the same rows twice") << "--seq-len" << with([](auto& o) {
            o.shapes = {{128, 20}, {128, 20}};
        });
        QTest::addRow("all for tests") << "--test-fraction" << with([](auto& o) { o.testFraction = 1; });
        QTest::addRow("no test shard") << "--test-shards" << with([](auto& o) { o.testShards = 0; });
        QTest::addRow("name of both kinds") << "--name" << with([](auto& o) { o.corpus = "training"; });
        QTest::addRow("hidden name") << "--name" << with([](auto& o) { o.corpus = ".."; });
        QTest::addRow("relative Punkt folder") << "--punkt" << with([](auto& o) { o.punkt = "punkt"; });
        QTest::addRow("no memory") << "--memory" << with([](auto& o) { o.memoryBytes = kMiB; });
        QTest::addRow("threads") << "--threads" << with([](auto& o) { o.threads = -1; });
        QTest::addRow("no shard") << "--shards" << with([](auto& o) { o.trainingShards = 0; });
        QTest::addRow("a lone shard") << "--shards" << with([](auto& o) { o.trainingShards = 1; });
    }
    void everyWrongOptionIsNamed()
    {
        QFETCH(QString, option);
        QFETCH(PrepareRequest, options);
        const Diagnostics problems = validate(options);
        QCOMPARE(problems.size(), std::size_t(1));
        QCOMPARE(QString::fromStdString(problems.front().path), option);
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

    void countersMemoryAndDiskAreShownWithTheStages()
    {
        StageProgress progress;
        ProgressRecord read = record("read", 50, 100, "B", 10, 5);
        read.counters = R"({"pages":7,"redirects":3,"note":"no number"})";
        progress.apply(read);
        ProgressRecord clean = record("clean", 12, 0, "pages", 3, -1);
        clean.counters = R"({"headings_dropped":4})";
        progress.apply(clean);
        progress.apply(record("memory", 300 * kMiB, 0, "B", 0, -1));
        progress.apply(record("disk", 5 * kGiB, 0, "B", 0, -1));
        QCOMPARE(progress.counters(), (std::map<std::string, std::uint64_t>{
                                          {"pages", 7}, {"redirects", 3}, {"headings_dropped", 4}}));
        QCOMPARE(progress.memory(), std::optional<Bytes>(300 * kMiB));
        QCOMPARE(progress.diskFree(), std::optional<Bytes>(5 * kGiB));
        QCOMPARE(progress.stages().size(), std::size_t(6)); // they are no stages
    }

    void progressOfSeveralHostsIsOne()
    {
        StageProgress done, halfWay;
        done.apply(record("read", 100, 100, "B", 0, 0));
        halfWay.apply(record("read", 50, 300, "B", 10, 25));
        done.apply(record("disk", 5 * kGiB, 0, "B", 0, -1));
        halfWay.apply(record("disk", 2 * kGiB, 0, "B", 0, -1));
        const StageProgress both = StageProgress::together({done, halfWay});
        QCOMPARE(both.stages()[0].done, std::uint64_t(150));
        QCOMPARE(both.stages()[0].total, std::uint64_t(400));
        QCOMPARE(both.stages()[0].rate, 10.0);
        QVERIFY(!both.stages()[0].finished);
        QCOMPARE(both.secondsLeft(), 25.0);
        QCOMPARE(both.diskFree(), std::optional<Bytes>(2 * kGiB));
        QVERIFY(StageProgress::together({done, done}).stages()[0].finished);
        QVERIFY(!both.stages()[1].started);
    }

    void countersAreToldInWords()
    {
        const TextTable table = counterTable({{"redirects", 1203}, {"pages", 5000}, {"pages_in_braces", 2}});
        QCOMPARE(table.rows.size(), 3);
        QCOMPARE(table.rows[0].mid(0, 2),
                 (QStringList{"Pages read", displayCount(5000)})); // as a text meets them
        QCOMPARE(table.rows[1][0], "Redirects");
        QVERIFY(!table.rows[1][2].isEmpty());
        QCOMPARE(table.rows[2], (QStringList{"Pages in braces", "2", ""})); // of a newer engine
    }

    void theManifestIsToldInWords()
    {
        const auto details = readDataSetDetails(R"({"version":1,"tool_version":"0.1.0","sequence_length":128,
            "max_predictions":20,"vocabulary_size":30522,"vocabulary_sha256":"07ec","seed":12345,
            "counters":{"pages":206,"redirects":100},
            "settings":{"dumps":["a.xml","b.xml"],"cased":false,"next_sentence":"swap","punkt_sha256":""},
            "statistics":{"documents":100,"test_documents":10,"sentences":1000,"tokens":20000,"row_tokens":960,
                "full_rows":5,"random_next":4,"masked":100,"mask_token":80,"kept_token":11,"random_token":9,
                "length_histogram":[1,0,9]},
            "shards":[{"file":"s.hdf5","rows":10,"sha256":"ab","training":true}]})");
        QVERIFY2(details.ok(), details.ok() ? "" : details.error().message.c_str());
        QCOMPARE(details->rowsByLength, (std::vector<std::uint64_t>{1, 0, 9}));
        QCOMPARE(details->nextSentence, "swap");
        const auto valueOf = [](const TextTable& table, const QString& name) {
            for (const QStringList& row : table.rows) {
                if (row[0] == name)
                    return row[1];
            }
            return QString("none");
        };
        QCOMPARE(valueOf(details->statistics, "Tokens per document"), "200");
        QCOMPARE(valueOf(details->statistics, "Padding"), "25.0 %"); // 960 of 10 * 128
        QCOMPARE(valueOf(details->statistics, "Labelled random"), "40.0 %");
        QCOMPARE(valueOf(details->statistics, "… left as they were"), "11.0 %");
        QCOMPARE(valueOf(details->settings, "Files"), "a.xml, b.xml");
        QCOMPARE(valueOf(details->settings, "Case kept"), "no");
        QCOMPARE(valueOf(details->settings, "Punkt parameters, SHA-256"), "none"); // empty: not said
        QCOMPARE(details->shards.rows, (QList<QStringList>{{"s.hdf5", "training", "10", "ab"}}));
        QCOMPARE(valueOf(details->counters, "Redirects"), "100");
        for (const char* text : {"", "{", "[]", R"({"version":1})"})
            QVERIFY(!readDataSetDetails(text).ok());
    }

    void tellsOfTheTokensInTheRows()
    {
        const auto report =
            parseVerifyReport(R"({"ok":true,"vocabulary_size":30522,"violations":[],"samples":[],
            "statistics":{"text_tokens":1000,"unknown_percent":0.25,"pieces_used":2900,
                "frequent_pieces":[{"piece":"the","percent":5.25},{"piece":"##s","percent":2.5}]}})");
        QVERIFY2(report.ok(), report.ok() ? "" : report.error().message.c_str());
        QCOMPARE(report->tokens.rows[0][1], "0.25 %");
        QCOMPARE(report->tokens.rows[1][1], displayCount(2900) + " of " + displayCount(30522));
        QCOMPARE(report->tokens.rows[2].mid(1),
                 (QStringList{"the 5.25 %", "Share of tokens; next: ##s 2.5 %"}));
    }

    void rowsWithoutPairsOrMasksAreRead()
    {
        const auto report = parseVerifyReport(R"({"ok":true,"violations":[],"samples":[
            {"shard":"a.hdf5","row":0,"tokens":[{"text":"a","segment":0},{"text":"[SEP]","segment":0}]},
            {"shard":"a.hdf5","row":1,"random_next":false,"tokens":[{"text":"b","original":"c","segment":0},
                {"text":"d","segment":1}]}]})");
        QVERIFY(report.ok());
        QVERIFY(!report->samples[0].isPair());
        QVERIFY(!report->samples[0].hasMasks());
        QVERIFY(report->samples[1].isPair());
        QVERIFY(report->samples[1].hasMasks());
    }

    void aFolderOfThisMachineIsRead()
    {
        const QTemporaryDir folder;
        const QString set = folder.filePath("reviews");
        QVERIFY(QDir().mkpath(set));
        LocalDataSets sets;
        QVERIFY(!sets.find(set)); // no manifest yet
        QByteArray text = kManifest;
        text.replace(R"("max_predictions":20)", R"("max_predictions":0)");
        text.replace(R"("statistics")",
                     R"("settings":{"objective":"classify"},"task":{"labels":["bad","good"]},"statistics")");
        const std::filesystem::path manifest = (set + "/manifest.json").toStdString();
        QVERIFY(writeFileAtomically(manifest, text.toStdString()).ok());
        const DataSetEntry* found = sets.find(set);
        QVERIFY(found);
        QCOMPARE(found->name, "reviews");
        QCOMPARE(found->host, "localhost");
        QCOMPARE(found->objective, std::string("classify"));
        QCOMPARE(found->labels, 2);
        text.replace(R"("bad","good")", R"("bad","fair","good")");
        QVERIFY(writeFileAtomically(manifest, text.toStdString()).ok());
        QVERIFY(sets.find(set));
        QCOMPARE(sets.find(set)->labels, 3); // another size
        QVERIFY(writeFileAtomically(manifest, "{").ok());
        QVERIFY(!sets.find(set));
    }

    void readsLabelledRows()
    {
        const auto report = parseVerifyReport(R"({"ok":true,"violations":[],"samples":[
            {"shard":"a.hdf5","row":0,"task":"classify","label":"late","tokens":[{"text":"a","segment":0}]},
            {"shard":"a.hdf5","row":1,"task":"tag","label":"","tokens":[
                {"text":"[CLS]","segment":0},{"text":"b","segment":0,"label":"B-LOC"}]},
            {"shard":"a.hdf5","row":2,"task":"answer","label":"","tokens":[
                {"text":"c","segment":0},{"text":"d","segment":1,"target":true}]}]})");
        QVERIFY2(report.ok(), report.ok() ? "" : report.error().message.c_str());
        const auto& rows = report->samples;
        QCOMPARE(rows[0].task, std::string("classify"));
        QCOMPARE(rows[0].label, "late");
        QVERIFY(!rows[0].hasTags() && !rows[0].hasTargets());
        QVERIFY(rows[1].hasTags() && !rows[1].hasTargets());
        QCOMPARE(rows[1].tokens[1].label, "B-LOC");
        QVERIFY(rows[2].hasTargets() && !rows[2].tokens[0].isTarget && rows[2].tokens[1].isTarget);
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
        QVERIFY(report->tokens.rows.isEmpty());
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
