#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>
#include <numeric>
#include <random>

#include "datasets/exporters/mds_export.h"
#include "datasets/exporters/mds_writer.h"
#include "datasets/exporters/megatron_export.h"
#include "datasets/shards/shard_writer.h"
#include "engine/base/hash.h"
#include "tests/support/patience.h"

using namespace trainyard;

namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace {

constexpr int kLength = 12;
constexpr int kPredictions = 4;

Status goOn(std::uint64_t)
{
    return {};
}

/// Sentences of documents, as the readers print them too.
using Texts = std::vector<std::vector<std::vector<std::int32_t>>>;

class StoredDocuments final : public DocumentSource {
public:
    explicit StoredDocuments(const Texts& texts)
    {
        for (const auto& text : texts) {
            Stored& stored = m_documents.emplace_back();
            for (const auto& sentence : text) {
                stored.tokens.insert(stored.tokens.end(), sentence.begin(), sentence.end());
                stored.ends.push_back(static_cast<std::uint32_t>(stored.tokens.size()));
            }
        }
    }
    Document document(std::uint32_t ordinal) const override
    {
        return {m_documents[ordinal].tokens, m_documents[ordinal].ends};
    }
    std::uint32_t length(std::uint32_t ordinal) const override
    {
        return static_cast<std::uint32_t>(m_documents[ordinal].tokens.size());
    }

private:
    struct Stored {
        std::vector<std::int32_t> tokens;
        std::vector<std::uint32_t> ends;
    };
    std::vector<Stored> m_documents;
};

Texts randomTexts(std::size_t documents, int vocabulary)
{
    std::mt19937 random(11);
    const auto below = [&](int end) { return static_cast<int>(random() % static_cast<unsigned>(end)); };
    Texts texts(documents);
    for (auto& text : texts) {
        text.resize(static_cast<std::size_t>(1 + below(40)));
        for (auto& sentence : text) {
            sentence.resize(static_cast<std::size_t>(1 + below(60)));
            for (auto& id : sentence)
                id = below(vocabulary);
        }
        text.front().front() = vocabulary - 1;
    }
    return texts;
}

std::vector<std::uint32_t> allOf(const Texts& texts)
{
    std::vector<std::uint32_t> ordinals(texts.size());
    std::iota(ordinals.begin(), ordinals.end(), 0u);
    return ordinals;
}

RowBlock randomRows(std::size_t count, unsigned seed)
{
    std::mt19937 random(seed);
    RowBlock rows(kLength, kPredictions);
    rows.resize(count);
    const auto fill = [&](auto& values, unsigned below) {
        for (auto& value : values)
            value = static_cast<std::decay_t<decltype(value)>>(random() % below);
    };
    fill(rows.inputIds, 70000);
    fill(rows.inputMask, 2);
    fill(rows.segmentIds, 2);
    fill(rows.maskedIds, 70000);
    fill(rows.nextSentenceLabels, 2);
    for (std::size_t row = 0; row < count; ++row) { // ascending, then zeros
        for (std::size_t i = 0; i < row % (kPredictions + 1); ++i)
            rows.maskedPositions[row * kPredictions + i] = static_cast<std::int32_t>(1 + 2 * i);
    }
    return rows;
}

template <typename Values>
Json part(const Values& values, std::size_t row, std::size_t width)
{
    Json out = Json::array();
    for (std::size_t i = 0; i < width; ++i)
        out.push_back(static_cast<int>(values[row * width + i]));
    return out;
}

/// The seven columns as the reader prints them.
Json expectedSample(const RowBlock& rows, std::size_t row)
{
    Json weights = part(rows.maskedPositions, row, kPredictions);
    for (Json& weight : weights)
        weight = weight == 0 ? 0 : 1;
    return {{"input_ids", part(rows.inputIds, row, kLength)},
            {"input_mask", part(rows.inputMask, row, kLength)},
            {"segment_ids", part(rows.segmentIds, row, kLength)},
            {"masked_lm_positions", part(rows.maskedPositions, row, kPredictions)},
            {"masked_lm_ids", part(rows.maskedIds, row, kPredictions)},
            {"masked_lm_weights", weights},
            {"next_sentence_labels", part(rows.nextSentenceLabels, row, 1)}};
}

} // namespace

/// What is written is read by the Python readers beside this file, which share no code with the writers.
class TestExporters : public QObject {
    Q_OBJECT

private slots:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void writesSentencesForMegatron_data()
    {
        QTest::addColumn<int>("vocabulary");
        QTest::addColumn<QString>("type");
        QTest::addRow("narrow") << 30522 << "uint16";
        QTest::addRow("widest narrow") << 65499 << "uint16";
        QTest::addRow("wide") << 65500 << "int32";
        QTest::addRow("very wide") << 250000 << "int32";
    }
    void writesSentencesForMegatron()
    {
        QFETCH(int, vocabulary);
        QFETCH(QString, type);
        const Texts texts = randomTexts(50, vocabulary);
        const auto files = exportMegatron(megatron(MegatronExport::Unit::Sentence, vocabulary),
                                          StoredDocuments(texts), allOf(texts), path(), goOn);
        QVERIFY2(files.ok(), files.ok() ? "" : files.error().text().c_str());
        const Json read = readBy("read_indexed_dataset.py", "c.v1_training_text_sentence");
        QCOMPARE(QString::fromStdString(read.at("type")), type);
        QVERIFY(read.at("documents") == Json(texts));
        checkEntries(*files, {"c.v1_training_text_sentence.bin", "c.v1_training_text_sentence.idx"});
    }

    void writesWholeDocumentsForGpt()
    {
        const Texts texts{{{7, 8}, {9}}, {{10}}};
        const auto files = exportMegatron(megatron(MegatronExport::Unit::Document, 100),
                                          StoredDocuments(texts), {0, 1}, path(), goOn);
        const Json read = readBy("read_indexed_dataset.py", "c.v1_training_text_document");
        QVERIFY(read.at("documents") == Json(Texts{{{7, 8, 9, 3}}, {{10, 3}}}));
    }

    void keepsTheOrderOfTheOrdinals()
    {
        const Texts texts{{{5}}, {{6}, {7}}, {{8}}};
        QVERIFY(exportMegatron(megatron(MegatronExport::Unit::Sentence, 100), StoredDocuments(texts), {2, 0},
                               path(), goOn)
                    .ok());
        const Json read = readBy("read_indexed_dataset.py", "c.v1_training_text_sentence");
        QVERIFY(read.at("documents") == Json(Texts{{{8}}, {{5}}}));
    }

    /// More than one piece of the temporary files, whose numbers must not be cut.
    void joinsALongIndex()
    {
        Texts texts(20000);
        for (std::size_t i = 0; i < texts.size(); ++i)
            texts[i] = {{static_cast<std::int32_t>(i)}, {1, 2, 3}};
        QVERIFY(exportMegatron(megatron(MegatronExport::Unit::Sentence, 30000), StoredDocuments(texts),
                               allOf(texts), path(), goOn)
                    .ok());
        QVERIFY(readBy("read_indexed_dataset.py", "c.v1_training_text_sentence").at("documents") ==
                Json(texts));
    }

    void writesRowsForMosaic()
    {
        const std::vector<std::size_t> counts{300, 299, 20};
        std::vector<ShardEntry> shards;
        Json train = Json::array(), test = Json::array();
        for (std::size_t i = 0; i < counts.size(); ++i) {
            const RowBlock rows = randomRows(counts[i], static_cast<unsigned>(i));
            shards.push_back({"s" + std::to_string(i) + ".hdf5", counts[i], {}, i < 2});
            writeShard(shards.back().file, rows);
            for (std::size_t row = 0; row < counts[i]; ++row)
                (i < 2 ? train : test).push_back(expectedSample(rows, row));
        }
        const auto files = exportMds(path(), shards, {kLength, kPredictions}, path() / "mds", goOn);
        QVERIFY2(files.ok(), files.ok() ? "" : files.error().text().c_str());
        QVERIFY(readBy("read_mds.py", "mds/train").at("samples") == train);
        QVERIFY(readBy("read_mds.py", "mds/test").at("samples") == test);
    }

    void leavesOutAKindWithoutRows()
    {
        writeShard("s.hdf5", randomRows(5, 1));
        const auto files =
            exportMds(path(), {{"s.hdf5", 5, {}, true}}, {kLength, kPredictions}, path() / "mds", goOn);
        QVERIFY(files.ok());
        QVERIFY(!fs::exists(path() / "mds" / "test"));
    }

    void writesRunningTextAsIdsAlone()
    {
        RowBlock rows(kLength, 0);
        rows.resize(3);
        std::iota(rows.inputIds.begin(), rows.inputIds.end(), 5);
        auto writer = ShardWriter::create(path() / "s.hdf5", {3, kLength, 0}).value();
        QVERIFY(writer.append(rows).ok() && writer.close().ok());
        QVERIFY(exportMds(path(), {{"s.hdf5", 3, {}, true}}, {kLength, 0}, path() / "mds", goOn).ok());
        const Json samples = readBy("read_mds.py", "mds/train").at("samples");
        QCOMPARE(samples.size(), std::size_t(3));
        for (std::size_t row = 0; row < 3; ++row)
            QVERIFY(samples[row] == Json({{"input_ids", part(rows.inputIds, row, kLength)}}));
    }

    void startsAShardBeforeTheLimit_data()
    {
        QTest::addColumn<int>("limit");
        for (const int limit : {1, 100, 400, 1000, 1023, 1024, 1025, 2000})
            QTest::addRow("%d bytes", limit) << limit;
    }
    void startsAShardBeforeTheLimit()
    {
        QFETCH(int, limit);
        constexpr int kSamples = 100;
        QVERIFY(fs::create_directory(path() / "mds"));
        MdsWriter writer(path() / "mds", {{"a", 8}, {"b", 4}}, kSamples, static_cast<std::uint64_t>(limit));
        Json expected = Json::array();
        for (std::int32_t i = 0; i < kSamples; ++i) {
            const std::array<std::int32_t, 3> values{i, -i, 7 * i};
            const char* bytes = reinterpret_cast<const char*>(values.data());
            const std::array<std::string_view, 2> columns{std::string_view(bytes, 8),
                                                          std::string_view(bytes + 8, 4)};
            QVERIFY(writer.append(columns).ok());
            expected.push_back({{"a", {i, -i}}, {"b", {7 * i}}});
        }
        const auto files = writer.finish();
        QVERIFY(files.ok());
        if (limit <= 100) { // not even one sample fits with the head: one each
            QCOMPARE(files->size(), std::size_t(kSamples + 1));
            return;
        }
        const Json read = readBy("read_mds.py", "mds"); // which checks the limit too
        QVERIFY(read.at("samples") == expected);
        const auto fewest = read.at("shards").size();
        const std::uint64_t most = (*files)[0].bytes;
        QVERIFY(fewest > 1 && most + 20 + 4 > static_cast<std::uint64_t>(limit)); // one more would not fit
    }

    void stopsWhenAsked()
    {
        const PieceDone stop = [](std::uint64_t) -> Status { return cancelled("enough"); };
        writeShard("s.hdf5", randomRows(5, 1));
        const auto mds =
            exportMds(path(), {{"s.hdf5", 5, {}, true}}, {kLength, kPredictions}, path() / "mds", stop);
        QCOMPARE(mds.error().kind, ErrorKind::Cancelled);
        const Texts texts{{{5}}};
        const auto files = exportMegatron(megatron(MegatronExport::Unit::Sentence, 100),
                                          StoredDocuments(texts), {0}, path(), stop);
        QCOMPARE(files.error().kind, ErrorKind::Cancelled);
    }

    void namesAShardThatIsDamaged()
    {
        writeShard("s.hdf5", randomRows(5, 1));
        fs::resize_file(path() / "s.hdf5", fs::file_size(path() / "s.hdf5") / 2);
        const auto files =
            exportMds(path(), {{"s.hdf5", 5, {}, true}}, {kLength, kPredictions}, path() / "mds", goOn);
        QCOMPARE(files.error().kind, ErrorKind::BadInput);
        QVERIFY(files.error().message.find("s.hdf5") != std::string::npos);
    }

private:
    fs::path path() const { return m_folder->path().toStdString(); }

    static MegatronExport megatron(MegatronExport::Unit unit, int vocabulary)
    {
        return {unit, "c.v1_training", static_cast<std::size_t>(vocabulary), 3};
    }

    void writeShard(const std::string& name, const RowBlock& rows) const
    {
        auto writer = ShardWriter::create(path() / name, {rows.rows, kLength, kPredictions}).value();
        for (std::size_t first = 0; first < rows.rows; first += ShardWriter::kRowsPerChunk) {
            const std::size_t count = std::min(ShardWriter::kRowsPerChunk, rows.rows - first);
            RowBlock chunk(kLength, kPredictions);
            chunk.resize(count);
            const auto copy = [&](const auto& from, auto& to, std::size_t width) {
                std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(first * width), count * width,
                            to.begin());
            };
            copy(rows.inputIds, chunk.inputIds, kLength);
            copy(rows.inputMask, chunk.inputMask, kLength);
            copy(rows.segmentIds, chunk.segmentIds, kLength);
            copy(rows.maskedPositions, chunk.maskedPositions, kPredictions);
            copy(rows.maskedIds, chunk.maskedIds, kPredictions);
            copy(rows.nextSentenceLabels, chunk.nextSentenceLabels, 1);
            QVERIFY(writer.append(chunk).ok());
        }
        QVERIFY(writer.close().ok());
    }

    /// What the reader prints about `name` in the test's folder; null with a warning when it objects.
    Json readBy(const char* reader, const char* name) const
    {
        QProcess process;
        process.start("python3", {QString(TRAINYARD_SOURCE_DIR "/tests/auto/exporters/") + reader,
                                  m_folder->filePath(name)});
        process.waitForFinished(kPatienceMs);
        if (process.exitCode() != 0) {
            qWarning() << process.readAllStandardError();
            return {};
        }
        return Json::parse(process.readAllStandardOutput().toStdString());
    }

    /// The manifest's entries are those files; nothing else is in the folder.
    void checkEntries(const std::vector<ExportEntry>& entries, const std::vector<std::string>& names) const
    {
        QCOMPARE(entries.size(), names.size());
        for (std::size_t i = 0; i < names.size(); ++i) {
            QCOMPARE(entries[i].file, names[i]);
            QCOMPARE(entries[i].bytes, std::uint64_t(fs::file_size(path() / names[i])));
            QCOMPARE(entries[i].sha256, sha256OfFile(path() / names[i]).value());
        }
        QCOMPARE(std::distance(fs::directory_iterator(path()), fs::directory_iterator()),
                 static_cast<std::ptrdiff_t>(names.size()));
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_GUILESS_MAIN(TestExporters)
#include "tst_exporters.moc"
