#include <algorithm>
#include <memory>

#include <QTemporaryDir>
#include <QTest>

#include "app/base/this_machine.h"
#include "app/designer/model/known_data_sets.h"
#include "engine/base/file.h"
#include "engine/spec/phases/data_mix_rules.h"

using namespace trainyard;

namespace {

const char* const kManifestHere =
    R"({"version":1,"sequence_length":64,"max_predictions":10,"vocabulary_size":30522,
    "vocabulary_sha256":"07eced37","statistics":{"documents":105,"tokens":527681},
    "shards":[{"file":"a","rows":100,"sha256":"","training":true},{"file":"b","rows":7,"sha256":"","training":false}]})";

DataSetEntry listed(const QString& folder, int length, std::uint64_t rows, std::uint64_t testRows)
{
    DataSetEntry entry;
    entry.name = folder;
    entry.host = "gpu-03";
    entry.folder = folder;
    entry.sequenceLength = length;
    entry.maxPredictions = length * 5 / 32;
    entry.vocabularySize = 30522;
    entry.vocabularySha256 = "07eced37";
    entry.rows = rows;
    entry.testRows = testRows;
    return entry;
}

RunSpec specWith(const std::string& host, const DatasetSpec& dataset)
{
    RunSpec spec;
    spec.cluster.nodes = {{.host = host, .slotCount = 1}};
    spec.dataset = dataset;
    spec.batch = {.global = 8, .micro = 8, .accumulation = 1};
    spec.launch.steps = 100;
    return spec;
}

} // namespace

/// What Design knows of the data sets that a specification names.
class TestKnownDataSets : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_list = std::make_unique<DataSetListModel>();
        m_list->put(listed("/data/books", 128, 1100, 100));
        m_list->put(listed("/data/wiki", 128, 3300, 300));
        m_known = std::make_unique<KnownDataSets>(*m_list);
    }

    void knowsTheShapeOfAListedDataSet()
    {
        const RunSpec spec = specWith("gpu-03", {.path = "/data/wiki"});
        const auto rows = m_known->rows(spec);
        QVERIFY(rows);
        QCOMPARE(rows->trainingRows, std::uint64_t(3000));
        QCOMPARE(rows->testRows, std::optional<std::uint64_t>(300));
        QCOMPARE(rows->maxPredictions, 20);
        QCOMPARE(m_known->sequences(spec).length, 128);
        QVERIFY(m_known->facts(spec).startsWith("Sequences of 128 tokens. "));
    }

    void takesTheModelsLengthWhereTheDataSetIsUnknown()
    {
        const RunSpec spec = specWith("gpu-03", {.path = "/data/none"});
        QVERIFY(m_known->shapes(spec).empty());
        QVERIFY(!m_known->rows(spec));
        QVERIFY(!m_known->testRows(spec));
        QCOMPARE(m_known->sequences(spec).length, spec.model.maxPositions);
        QVERIFY(m_known->facts(spec).endsWith("the data set is not known here."));
    }

    void anEntryWithoutItsManifestIsUnknown()
    {
        m_list->put(listed("/data/unread", 0, 0, 0));
        QVERIFY(!m_known->find("/data/unread", specWith("gpu-03", {.path = "/data/unread"})));
    }

    void looksIntoFoldersOfThisMachineOnlyForRanksOnIt()
    {
        QTemporaryDir folder;
        QVERIFY(writeFileAtomically(folder.filePath("manifest.json").toStdString(), kManifestHere).ok());
        const std::string path = folder.path().toStdString();
        const DataSetEntry* here = m_known->find(path, specWith(thisMachine().toStdString(), {.path = path}));
        QVERIFY(here);
        QCOMPARE(here->shape().trainingRows, std::uint64_t(100));
        QVERIFY(!m_known->find(path, specWith("gpu-03", {.path = path})));
        QVERIFY(m_known->findHere(folder.path()));
    }

    void aMixIsKnownIfAllOfItIs()
    {
        RunSpec spec = specWith("gpu-03", {.path = {}, .mix = {{"/data/wiki", 3}, {"/data/books", 1}}});
        QCOMPARE(m_known->shapes(spec).size(), std::size_t(2));
        QCOMPARE(m_known->rows(spec)->trainingRows, std::uint64_t(4000)); // both are read once
        spec.dataset.mix.push_back({"/data/none", 1});
        QVERIFY(m_known->shapes(spec).empty());
    }

    void dataSetsOfOtherRowsCannotBeMixed_data()
    {
        QTest::addColumn<int>("maxPredictions");
        QTest::addColumn<QString>("vocabulary");
        QTest::addRow("masks") << 40 << "07eced37";
        QTest::addRow("vocabulary") << 20 << "a2f3";
    }
    void dataSetsOfOtherRowsCannotBeMixed()
    {
        QFETCH(int, maxPredictions);
        QFETCH(QString, vocabulary);
        DataSetEntry other = listed("/data/other", 128, 1000, 0);
        other.maxPredictions = maxPredictions;
        other.vocabularySha256 = vocabulary.toStdString();
        m_list->put(other);
        const RunSpec spec = specWith("gpu-03", {.path = {}, .mix = {{"/data/wiki", 1}, {"/data/other", 1}}});
        const Diagnostics problems = mixProblems(spec, m_known->shapes(spec));
        QVERIFY(std::ranges::any_of(
            problems, [](const Diagnostic& problem) { return problem.path == "dataset.mix[1]"; }));
    }

    void evaluatesOnTheDataSetNamedForIt()
    {
        RunSpec spec = specWith("gpu-03", {.path = "/data/wiki"});
        spec.evaluation.dataset = "/data/books";
        QCOMPARE(m_known->testRows(spec), std::optional<std::uint64_t>(100));
        spec.evaluation.dataset = "/data/none";
        QVERIFY(!m_known->testRows(spec));
    }

    void findsDataSetsForTheLengthsOfARecipe()
    {
        m_list->put(listed("/data/long", 512, 1000, 0));
        QCOMPARE(m_known->foldersFor({128, 512}),
                 (std::vector<std::string>{"/data/wiki", "/data/long"})); // the newest first
        QVERIFY(m_known->foldersFor({128, 256}).empty());
        DataSetEntry decoder = listed("/data/gpt", 256, 1000, 0);
        decoder.objective = "gpt";
        m_list->put(decoder);
        QVERIFY(m_known->foldersFor({256}).empty());
    }

private:
    std::unique_ptr<DataSetListModel> m_list;
    std::unique_ptr<KnownDataSets> m_known;
};

QTEST_GUILESS_MAIN(TestKnownDataSets)
#include "tst_known_data_sets.moc"
