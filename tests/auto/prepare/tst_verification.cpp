#include <QTemporaryDir>
#include <QTest>

#include <cstdlib>
#include <functional>

#include "datasets/prepare/preparation.h"
#include "datasets/prepare/verification.h"
#include "datasets/shards/columns.h"
#include "datasets/shards/hdf5_handle.h"
#include "datasets/shards/shard_reader.h"
#include "datasets/shards/shard_writer.h"
#include "engine/base/file.h"
#include "tests/auto/prepare/sample_dump.h"

using namespace trainyard;

namespace fs = std::filesystem;

namespace {

constexpr int kLength = 64;
constexpr int kPredictions = 10;
constexpr std::int32_t kSeparator = 3;
constexpr std::int32_t kMask = 4;

using Mutation = std::function<void(RowBlock&)>;

/// Rewrites a shard with changed rows.
Status mutate(const fs::path& file, const Mutation& mutation)
{
    RowBlock rows;
    {
        TRAINYARD_TRY(ShardReader reader, ShardReader::open(file, kLength, kPredictions));
        TRAINYARD_TRY_STATUS(reader.read(0, static_cast<std::size_t>(reader.rows()), rows));
    }
    mutation(rows);
    fs::remove(file);
    TRAINYARD_TRY(ShardWriter writer, ShardWriter::create(file, {rows.rows, kLength, kPredictions}));
    for (std::size_t first = 0; first < rows.rows; first += ShardWriter::kRowsPerChunk) {
        const std::size_t count = std::min(ShardWriter::kRowsPerChunk, rows.rows - first);
        RowBlock chunk(kLength, kPredictions);
        chunk.resize(count);
        const auto copy = [&](const auto& from, auto& to, std::size_t width) {
            std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(first * width), count * width, to.begin());
        };
        copy(rows.inputIds, chunk.inputIds, kLength);
        copy(rows.inputMask, chunk.inputMask, kLength);
        copy(rows.segmentIds, chunk.segmentIds, kLength);
        copy(rows.maskedPositions, chunk.maskedPositions, kPredictions);
        copy(rows.maskedIds, chunk.maskedIds, kPredictions);
        copy(rows.nextSentenceLabels, chunk.nextSentenceLabels, 1);
        TRAINYARD_TRY_STATUS(writer.append(chunk));
    }
    return writer.close();
}

/// Rewrites a shard as h5py does for create_pretraining_data.py: chunks that cut rows, gzip 4, nothing else.
Status storeAsTheReference(const fs::path& file)
{
    RowBlock rows;
    {
        TRAINYARD_TRY(ShardReader reader, ShardReader::open(file, kLength, kPredictions));
        TRAINYARD_TRY_STATUS(reader.read(0, static_cast<std::size_t>(reader.rows()), rows));
    }
    const Hdf5Handle handle(H5Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
    for (const Column& column : kShardColumns) {
        const bool scalar = column.width == Column::Width::Scalar;
        const hsize_t extent[]{rows.rows, column.valuesPerRow(kLength, kPredictions)};
        const hsize_t chunk[]{std::min<hsize_t>(rows.rows, 365), std::min<hsize_t>(extent[1], 16)};
        const Hdf5Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
        H5Pset_chunk(properties.get(), scalar ? 1 : 2, chunk);
        H5Pset_deflate(properties.get(), 4);
        const Hdf5Handle space(H5Screate_simple(scalar ? 1 : 2, extent, nullptr), H5Sclose);
        const hid_t type = column.bytesPerValue == 4 ? H5T_STD_I32LE : H5T_STD_I8LE;
        const Hdf5Handle dataset(H5Dcreate2(handle.get(), column.name, type, space.get(), H5P_DEFAULT,
                                            properties.get(), H5P_DEFAULT),
                                 H5Dclose);
        if (H5Dwrite(dataset.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, column.data(rows)) < 0)
            return failed(column.name);
    }
    return {};
}

Result<VerificationReport> verify(const VerifyOptions& options)
{
    Progress progress;
    const CancelFlag cancel;
    return verifyDataset(options, progress, cancel);
}

fs::path referenceData()
{
    const char* shared = std::getenv("TRAINYARD_SHARED");
    return shared ? fs::path(shared) / "data" : fs::path(TRAINYARD_SOURCE_DIR "/../shared/data");
}

std::size_t lengthOf(const RowBlock& rows, std::size_t row)
{
    std::size_t length = 0;
    while (length < kLength && rows.inputMask[row * kLength + length] == 1)
        ++length;
    return length;
}

/// A row with padding, so that there is room for wrong values.
std::size_t shortRow(const RowBlock& rows)
{
    std::size_t row = 0;
    while (lengthOf(rows, row) > kLength - 4)
        ++row;
    return row;
}

std::size_t firstSeparator(const RowBlock& rows, std::size_t row)
{
    std::size_t at = 1;
    while (rows.inputIds[row * kLength + at] != kSeparator)
        ++at;
    return at;
}

/// Calls change(position of the shown token, original token) for every mask of every row.
void forEachMask(RowBlock& rows,
                 const std::function<void(std::int32_t& shown, std::int32_t original)>& change)
{
    for (std::size_t row = 0; row < rows.rows; ++row) {
        for (std::size_t i = 0; i < kPredictions && rows.maskedPositions[row * kPredictions + i] > 0; ++i) {
            const auto position = static_cast<std::size_t>(rows.maskedPositions[row * kPredictions + i]);
            change(rows.inputIds[row * kLength + position], rows.maskedIds[row * kPredictions + i]);
        }
    }
}

struct Mutant {
    const char* name;
    Invariant broken;
    Mutation mutation;
};

const std::vector<Mutant>& mutants()
{
    static const std::vector<Mutant> all{
        {"padding marked as text", Invariant::Padding,
         [](RowBlock& r) { r.inputMask[shortRow(r) * kLength + kLength - 1] = 1; }},
        {"token after the end", Invariant::Padding,
         [](RowBlock& r) { r.inputIds[shortRow(r) * kLength + kLength - 1] = 77; }},
        {"segment after the end", Invariant::Padding,
         [](RowBlock& r) { r.segmentIds[shortRow(r) * kLength + kLength - 1] = 1; }},
        {"id outside of the vocabulary", Invariant::Padding, [](RowBlock& r) { r.inputIds[5] = 1200; }},
        {"negative id", Invariant::Padding, [](RowBlock& r) { r.inputIds[5] = -1; }},
        {"no [CLS]", Invariant::SpecialTokens, [](RowBlock& r) { r.inputIds[0] = 77; }},
        {"third [SEP]", Invariant::SpecialTokens,
         [](RowBlock& r) {
             // beside the first one, where no mask stands
             std::size_t row = 0, at = 0;
             for (;; ++row) {
                 at = firstSeparator(r, row) - 1;
                 const auto* begin = &r.maskedPositions[row * kPredictions];
                 if (at > 1 && std::find(begin, begin + kPredictions, static_cast<std::int32_t>(at)) ==
                                   begin + kPredictions)
                     break;
             }
             r.inputIds[row * kLength + at] = kSeparator;
         }},
        {"one segment id early", Invariant::Segments,
         [](RowBlock& r) { r.segmentIds[firstSeparator(r, 0)] = 1; }},
        {"one segment id late", Invariant::Segments,
         [](RowBlock& r) { r.segmentIds[firstSeparator(r, 0) + 1] = 0; }},
        {"masked [SEP]", Invariant::Predictions,
         [](RowBlock& r) {
             r.maskedPositions[0] = static_cast<std::int32_t>(firstSeparator(r, 0));
             r.maskedIds[0] = kSeparator;
             std::fill_n(r.maskedPositions.begin() + 1, kPredictions - 1, 0);
         }},
        {"one prediction too few", Invariant::Predictions,
         [](RowBlock& r) {
             std::size_t last = kPredictions - 1;
             while (r.maskedPositions[last] == 0)
                 --last;
             r.maskedPositions[last] = 0;
             r.maskedIds[last] = 0;
         }},
        {"positions not ascending", Invariant::Predictions,
         [](RowBlock& r) { std::swap(r.maskedPositions[0], r.maskedPositions[1]); }},
        {"masked id outside of the vocabulary", Invariant::Predictions,
         [](RowBlock& r) { r.maskedIds[0] = 5000; }},
        {"label 2", Invariant::RandomNext, [](RowBlock& r) { r.nextSentenceLabels[3] = 2; }},
        {"all labels 0", Invariant::RandomNext,
         [](RowBlock& r) { std::fill(r.nextSentenceLabels.begin(), r.nextSentenceLabels.end(), 0); }},
        {"half of the masks shown", Invariant::MaskShares,
         [](RowBlock& r) {
             forEachMask(r, [n = 0](std::int32_t& shown, std::int32_t original) mutable {
                 if (shown == kMask && ++n % 2 == 0)
                     shown = original;
             });
         }},
        {"random words from the front of the vocabulary", Invariant::Uniformity,
         [](RowBlock& r) {
             forEachMask(r, [](std::int32_t& shown, std::int32_t original) {
                 if (shown != kMask && shown != original && original != 5 + shown / 8)
                     shown = 5 + shown / 8;
             });
         }},
    };
    return all;
}

} // namespace

class TestVerification : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        Progress progress;
        const CancelFlag cancel;
        const auto manifest = prepareDataset(smallOptions(good()), progress, cancel);
        QVERIFY2(manifest.ok(), manifest.ok() ? "" : manifest.error().text().c_str());
    }
    void cleanup() { fs::remove_all(copy()); }

    void acceptsWhatPrepareMade()
    {
        const auto report = verify({good(), {}, 5}).value();
        QVERIFY2(report.ok(), report.ok() ? "" : report.violations[0].text().c_str());
        QCOMPARE(report.trainingRows + report.testRows,
                 Manifest::load(good())->trainingRows() + Manifest::load(good())->testRows());
        QCOMPARE(report.samples.size(), std::size_t(5));
        for (const SampleRow& sample : report.samples) {
            QCOMPARE(sample.tokens.front().text, std::string("[CLS]"));
            QCOMPARE(sample.tokens.front().segment, 0);
            QCOMPARE(sample.tokens.back().text, std::string("[SEP]"));
            QCOMPARE(sample.tokens.back().segment, 1);
            QVERIFY(std::any_of(sample.tokens.begin(), sample.tokens.end(),
                                [](const auto& token) { return !token.original.empty(); }));
        }
    }

    void findsEveryMutant_data()
    {
        QTest::addColumn<int>("mutant");
        for (std::size_t i = 0; i < mutants().size(); ++i)
            QTest::addRow("%s", mutants()[i].name) << static_cast<int>(i);
    }
    void findsEveryMutant()
    {
        QFETCH(int, mutant);
        const Mutant& tried = mutants()[static_cast<std::size_t>(mutant)];
        copyWithoutManifest();
        const bool everyShard =
            tried.broken == Invariant::MaskShares || tried.broken == Invariant::Uniformity;
        for (const char* shard : {"wikicorpus_en_training_1.hdf5", "wikicorpus_en_training_0.hdf5",
                                  "wikicorpus_en_training_2.hdf5"}) {
            QVERIFY(mutate(copy() / shard, tried.mutation).ok());
            if (!everyShard)
                break;
        }
        const auto report = verify({copy(), good() / "vocab.txt", 0}).value();
        QCOMPARE(report.violations.size(), std::size_t(1));
        const Violation& violation = report.violations[0];
        QVERIFY2(violation.invariant == tried.broken, violation.text().c_str());
        if (!everyShard)
            QCOMPARE(violation.file, std::string("wikicorpus_en_training_1.hdf5"));
    }

    void findsFilesThatDoNotMatchTheManifest()
    {
        copyAll();
        fs::remove(copy() / "wikicorpus_en_training_1.hdf5");
        fs::copy(copy() / "wikicorpus_en_training_0.hdf5", copy() / "wikicorpus_en_training_1.hdf5");
        const auto report = verify({copy(), {}, 0}).value();
        QVERIFY(!report.ok());
        QVERIFY(std::any_of(report.violations.begin(), report.violations.end(), [](const Violation& v) {
            return v.invariant == Invariant::Hashes && v.file == "wikicorpus_en_training_1.hdf5";
        }));
    }

    void findsAnotherVocabulary()
    {
        copyAll();
        std::string text = readFile(copy() / "vocab.txt").value();
        text.replace(text.rfind('\n', text.size() - 2) + 1, 1, "Z");
        QVERIFY(writeFileAtomically(copy() / "vocab.txt", text).ok());
        const auto report = verify({copy(), {}, 0}).value();
        QCOMPARE(report.violations.front().invariant, Invariant::Hashes);
    }

    void findsMissingAndTruncatedShards()
    {
        copyAll();
        const fs::path shard = copy() / "wikicorpus_en_training_2.hdf5";
        const std::string bytes = readFile(shard).value();
        QVERIFY(writeFileAtomically(shard, bytes.substr(0, bytes.size() / 2)).ok());
        QCOMPARE(verify({copy(), {}, 0})->violations.front().invariant, Invariant::Columns);
        fs::remove(shard);
        const auto report = verify({copy(), {}, 0}).value();
        QCOMPARE(report.violations.front().invariant, Invariant::Columns);
        QCOMPARE(report.violations.front().file, std::string("wikicorpus_en_training_2.hdf5"));
    }

    void findsStatisticsThatAreNotThoseOfTheRows()
    {
        copyAll();
        Manifest manifest = Manifest::load(copy()).value();
        manifest.statistics.masked += 1;
        QVERIFY(writeFileAtomically(copy() / Manifest::kFileName, manifest.toJson()).ok());
        QCOMPARE(verify({copy(), {}, 0})->violations.front().invariant, Invariant::Statistics);
    }

    void stopsWhenCancelled()
    {
        Progress progress;
        CancelFlag cancel;
        cancel.set();
        const auto report = verifyDataset({good(), {}, 0}, progress, cancel);
        QVERIFY(!report.ok());
        QCOMPARE(report.error().kind, ErrorKind::Cancelled);
    }

    void countsTheRowsThatItHasChecked()
    {
        Progress progress;
        const CancelFlag cancel;
        const auto report = verifyDataset({good(), {}, 0}, progress, cancel).value();
        QCOMPARE(progress.snapshot().size(), std::size_t(1));
        QCOMPARE(progress.snapshot()[0].done, report.rows());
        QCOMPARE(progress.snapshot()[0].total, report.rows());
    }

    void asksForAVocabularyWhereThereIsNoManifest()
    {
        copyWithoutManifest();
        const auto report = verify({copy(), {}, 0});
        QVERIFY(!report.ok());
        QVERIFY(report.error().hint.find("--vocab") != std::string::npos);
        QVERIFY(!verify({copy() / "nowhere", {}, 0}).ok());
    }

    void acceptsTheShardsOfTheReferenceScripts_data()
    {
        QTest::addColumn<QString>("folder");
        QTest::addColumn<int>("rows");
        QTest::addRow("ours in its layout") << QString() << 0;
        // Made by NVIDIA's scripts from a real excerpt of Wikipedia, whose licence keeps them out of the
        // repository.
        const auto row = [](const char* name, const char* folder, int rows) {
            const fs::path path = referenceData() / "reference_hdf5" / folder / "wikicorpus_en";
            if (fs::exists(path))
                QTest::addRow("%s", name) << QString::fromStdString(path) << rows;
        };
        row("128",
            "hdf5_lower_case_1_seq_len_128_max_pred_20_masked_lm_prob_0.15_random_seed_12345_dupe_factor_5",
            26959);
        row("512",
            "hdf5_lower_case_1_seq_len_512_max_pred_80_masked_lm_prob_0.15_random_seed_12345_dupe_factor_5",
            8768);
    }
    void acceptsTheShardsOfTheReferenceScripts()
    {
        QFETCH(QString, folder);
        QFETCH(int, rows);
        VerifyOptions options{folder.toStdString(),
                              referenceData() / "tokenizer" / "vocab_bert_uncased_30522.txt", 0};
        if (folder.isEmpty()) {
            copyWithoutManifest();
            const auto manifest = Manifest::load(good()).value();
            for (const ShardEntry& shard : manifest.shards) {
                QVERIFY2(storeAsTheReference(copy() / shard.file).ok(), shard.file.c_str());
                rows += static_cast<int>(shard.rows);
            }
            options = {copy(), good() / "vocab.txt", 0};
        }
        const auto report = verify(options).value();
        QVERIFY2(report.ok(), report.ok() ? "" : report.violations[0].text().c_str());
        QCOMPARE(report.trainingRows + report.testRows, static_cast<std::uint64_t>(rows));
        QVERIFY(!report.notes.empty()); // no manifest
    }

private:
    fs::path good() const { return fs::path(m_folder.path().toStdString()) / "good"; }
    fs::path copy() const { return fs::path(m_folder.path().toStdString()) / "copy"; }
    void copyAll() const { fs::copy(good(), copy()); }
    void copyWithoutManifest() const
    {
        copyAll();
        fs::remove(copy() / Manifest::kFileName);
    }

    QTemporaryDir m_folder;
};

QTEST_APPLESS_MAIN(TestVerification)
#include "tst_verification.moc"
