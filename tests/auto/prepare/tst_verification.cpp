#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <functional>

#include "datasets/prepare/preparation.h"
#include "datasets/shards/columns.h"
#include "datasets/shards/hdf5_handle.h"
#include "datasets/shards/shard_reader.h"
#include "datasets/shards/shard_writer.h"
#include "datasets/verification/verification.h"
#include "engine/base/file.h"
#include "tests/auto/prepare/mutated_shard.h"
#include "tests/auto/prepare/sample_dump.h"
#include "tests/support/reference_data.h"

using namespace trainyard;

namespace fs = std::filesystem;

namespace {

constexpr int kLength = 64;
constexpr int kPredictions = 10;
constexpr std::int32_t kSeparator = 3;
constexpr std::int32_t kMask = 4;

/// Rewrites a shard as h5py does for create_pretraining_data.py: chunks that cut rows, gzip 4, nothing else.
Status storeAsTheReference(const fs::path& file)
{
    TRAINYARD_TRY(RowBlock rows, readShard(file));
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

std::size_t lengthOf(const RowBlock& rows, std::size_t row)
{
    std::size_t length = 0;
    while (length < kLength && rows.inputMask[row * kLength + length] == 1)
        ++length;
    return length;
}

/// A row with padding and with fewer predictions than fit, so that there is room for wrong values.
std::size_t shortRow(const RowBlock& rows)
{
    std::size_t row = 0;
    while (lengthOf(rows, row) > 50)
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
        {"a prediction more, as lround would have it", Invariant::Predictions,
         [](RowBlock& r) {
             std::size_t row = shortRow(r) * kPredictions, last = 0;
             while (r.maskedPositions[row + last] > 0)
                 ++last;
             r.maskedPositions[row + last] = r.maskedPositions[row + last - 1] + 1;
             r.maskedIds[row + last] = 77;
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
        const std::string text = readFile(copy() / "vocab.txt").value();
        std::string lastPiece = text;
        lastPiece.replace(text.rfind('\n', text.size() - 2) + 1, 1, "Z");
        for (const std::string& other : {lastPiece, text + "\n", "\xEF\xBB\xBF" + text}) {
            QVERIFY(writeFileAtomically(copy() / "vocab.txt", other).ok());
            const auto report = verify({copy(), {}, 0}).value();
            QVERIFY(!report.violations.empty());
            QCOMPARE(report.violations.front().invariant, Invariant::Hashes);
        }
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
        QCOMPARE(onlyViolation(manifest), Invariant::Statistics);
        manifest.statistics.masked -= 1;
        ++manifest.statistics.lengthHistogram[3];
        QCOMPARE(onlyViolation(manifest), Invariant::Statistics);
    }

    void findsRowsThatTheManifestDoesNotCount()
    {
        copyAll();
        Manifest manifest = Manifest::load(copy()).value();
        ++manifest.shards[1].rows;
        QCOMPARE(onlyViolation(manifest), Invariant::ShardSizes);
    }

    void findsShardsThatTheManifestDoesNotName()
    {
        copyAll();
        fs::copy(copy() / "wikicorpus_en_training_0.hdf5", copy() / "older_training_0.hdf5");
        const auto report = verify({copy(), {}, 0}).value();
        QCOMPARE(report.violations.size(), std::size_t(1));
        QCOMPARE(report.violations[0].invariant, Invariant::ShardSizes);
        QCOMPARE(report.violations[0].file, std::string("older_training_0.hdf5"));
    }

    void findsFilesThatTrainingScriptsWouldRead()
    {
        copyAll();
        QVERIFY(writeFileAtomically(copy() / "wikicorpus_en_training_0.hdf5.part", "garbage").ok());
        QVERIFY(writeFileAtomically(copy() / "training_notes.txt", "").ok());
        QVERIFY(writeFileAtomically(copy() / "notes.txt", "").ok());
        fs::create_directory(copy() / "older_training");
        const auto report = verify({copy(), {}, 0}).value();
        QCOMPARE(report.violations.size(), std::size_t(2));
        QCOMPARE(report.violations[0].file, std::string("training_notes.txt"));
        QCOMPARE(report.violations[1].file, std::string("wikicorpus_en_training_0.hdf5.part"));
        for (const Violation& violation : report.violations)
            QCOMPARE(violation.invariant, Invariant::ShardSizes);
    }

    void findsThatThereIsNothingToTrainOn()
    {
        copyAll();
        Manifest manifest = Manifest::load(copy()).value();
        for (const ShardEntry& shard : manifest.shards)
            fs::remove(copy() / shard.file);
        std::erase_if(manifest.shards, [](const ShardEntry& shard) { return shard.training; });
        fs::copy(good() / manifest.shards.front().file, copy());
        QCOMPARE(onlyViolation(manifest), Invariant::ShardSizes);
        fs::remove(copy() / manifest.shards.front().file);
        manifest.shards.clear();
        QCOMPARE(onlyViolation(manifest), Invariant::ShardSizes);
    }

    void findsCountsThatDoNotGoTogether()
    {
        copyAll();
        const Manifest good = Manifest::load(copy()).value();
        const std::function<void(Manifest&)> changes[]{
            [](Manifest& m) { m.settings.testFraction = 0.5; },
            [](Manifest& m) { m.settings.testFraction = 0; },
            [](Manifest& m) { m.settings.dupeFactor = 1'000'000; },
            [](Manifest& m) { m.settings.dupeFactor = 0; },
            [](Manifest& m) { m.statistics.sentences = m.statistics.documents - 1; },
            [](Manifest& m) { m.statistics.testDocuments = m.statistics.documents + 1; },
        };
        for (const auto& change : changes) {
            Manifest changed = good;
            change(changed);
            QCOMPARE(onlyViolation(changed), Invariant::Documents);
        }
        Manifest json = good; // whose ids may stand for many documents each
        json.settings.format = "jsonl";
        json.settings.testFraction = 0.5;
        QCOMPARE(onlyViolation(json), Invariant());
    }

    void findsCopiesOfAShardWithoutAManifest()
    {
        copyWithoutManifest();
        fs::remove(copy() / "wikicorpus_en_training_1.hdf5");
        fs::copy(copy() / "wikicorpus_en_training_0.hdf5", copy() / "wikicorpus_en_training_1.hdf5");
        const auto report = verify({copy(), good() / "vocab.txt", 0}).value();
        QCOMPARE(report.violations.size(), std::size_t(1));
        QCOMPARE(report.violations[0].invariant, Invariant::Hashes);
        QVERIFY(QString::fromStdString(report.violations[0].problem)
                    .contains("copy of wikicorpus_en_training_0"));
    }

    void findsAnotherVocabularyWithoutAManifest()
    {
        copyWithoutManifest();
        const std::string text = readFile(good() / "vocab.txt").value();
        // The lines behind the special tokens and single letters, the other way round.
        std::vector<std::string> lines;
        for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
            lines.push_back(text.substr(at, text.find('\n', at) + 1 - at));
        std::reverse(lines.begin() + 200, lines.end());
        std::string other;
        for (const std::string& line : lines)
            other += line;
        const fs::path file = fs::path(m_folder.path().toStdString()) / "other.txt";
        QVERIFY(writeFileAtomically(file, other).ok());
        const auto report = verify({copy(), file, 0}).value();
        QCOMPARE(report.violations.size(), std::size_t(1));
        QVERIFY2(report.violations[0].invariant == Invariant::Pieces, report.violations[0].text().c_str());
    }

    void findsColumnsThatStockHdf5DoesNotRead_data()
    {
        QTest::addColumn<int>("kind");
        QTest::addColumn<QString>("problem");
        QTest::addRow("no such column") << 0 << "segment_ids is missing";
        QTest::addRow("wrong type") << 1 << "segment_ids does not contain int8";
        QTest::addRow("unknown filter") << 2 << "filter 32768";
    }
    void findsColumnsThatStockHdf5DoesNotRead()
    {
        QFETCH(int, kind);
        QFETCH(QString, problem);
        copyWithoutManifest();
        replaceSegments(copy() / "wikicorpus_en_training_1.hdf5", kind);
        const auto report = verify({copy(), good() / "vocab.txt", 0}).value();
        QCOMPARE(report.violations.size(), std::size_t(1));
        QCOMPARE(report.violations[0].invariant, Invariant::Columns);
        const auto text = QString::fromStdString(report.violations[0].text());
        QVERIFY2(text.contains(problem), qPrintable(text));
    }

    /// An independent reader, with Python's rounding and NVIDIA's idea of where masks end.
    void agreesWithAReaderInPython()
    {
        const QString python = QStringLiteral("/usr/bin/python3");
        QProcess reader;
        reader.start(python, {TRAINYARD_SOURCE_DIR "/tests/auto/prepare/read_as_nvidia.py",
                              QString::fromStdString(good()), "2", "3"});
        QVERIFY(reader.waitForFinished());
        QVERIFY2(reader.exitCode() == 0, reader.readAllStandardError().constData());
        QCOMPARE(reader.readAllStandardOutput().trimmed().toULongLong(),
                 Manifest::load(good())->trainingRows());
    }

    void describesTheTextOfTheRows()
    {
        const auto report = verify({good(), {}, 0}).value();
        QVERIFY(report.text.tokens > 0 && report.text.tokens < report.statistics.rowTokens);
        QCOMPARE(report.text.mostFrequent.size(), std::size_t(20));
        QVERIFY(report.text.mostFrequent[0].percent >= report.text.mostFrequent[1].percent);
        QVERIFY(report.text.piecesUsed > 500 && report.text.piecesUsed <= 1200);
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
        const auto row = [](int length, int rows) {
            if (fs::exists(referenceShards(length)))
                QTest::addRow("%d", length) << QString::fromStdString(referenceShards(length)) << rows;
        };
        row(128, 26959);
        row(512, 8768);
    }
    void acceptsTheShardsOfTheReferenceScripts()
    {
        QFETCH(QString, folder);
        QFETCH(int, rows);
        VerifyOptions options{folder.toStdString(), referenceData("tokenizer/vocab_bert_uncased_30522.txt"),
                              0};
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
    /// The one invariant that the copy breaks with this manifest.
    Invariant onlyViolation(const Manifest& manifest) const
    {
        const Status written = writeFileAtomically(copy() / Manifest::kFileName, manifest.toJson());
        const auto report = verify({copy(), {}, 0}).value();
        return written.ok() && report.violations.size() == 1 ? report.violations[0].invariant : Invariant();
    }

    /// 0: removes the column; 1: makes it int32; 2: stores it with a filter that is gone afterwards.
    static void replaceSegments(const fs::path& file, int kind)
    {
        constexpr H5Z_filter_t filter = 32768; // of the range for private use
        const RowBlock rows = readShard(file).value();
        const Hdf5Handle handle(H5Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
        H5Ldelete(handle.get(), "segment_ids", H5P_DEFAULT);
        if (kind == 0)
            return;
        const H5Z_class2_t unknown{H5Z_CLASS_T_VERS,
                                   filter,
                                   1,
                                   1,
                                   "private",
                                   nullptr,
                                   nullptr,
                                   [](unsigned, std::size_t, const unsigned*, std::size_t bytes, std::size_t*,
                                      void**) { return bytes; }};
        H5Zregister(&unknown);
        {
            const hsize_t extent[]{rows.rows, kLength};
            const hsize_t chunk[]{rows.rows, kLength};
            const Hdf5Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
            H5Pset_chunk(properties.get(), 2, chunk);
            if (kind == 2)
                H5Pset_filter(properties.get(), filter, 0, 0, nullptr);
            const Hdf5Handle space(H5Screate_simple(2, extent, nullptr), H5Sclose);
            const hid_t type = kind == 1 ? H5T_STD_I32LE : H5T_STD_I8LE;
            const Hdf5Handle dataset(H5Dcreate2(handle.get(), "segment_ids", type, space.get(), H5P_DEFAULT,
                                                properties.get(), H5P_DEFAULT),
                                     H5Dclose);
            H5Dwrite(dataset.get(), H5T_STD_I8LE, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows.segmentIds.data());
        }
        H5Fflush(handle.get(), H5F_SCOPE_GLOBAL);
        H5Zunregister(filter);
    }

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
