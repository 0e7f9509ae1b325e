#include <QCryptographicHash>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <cstring>
#include <hdf5.h>
#include <numeric>
#include <random>

#include "datasets/shards/columns.h"
#include "datasets/shards/shard_reader.h"
#include "datasets/shards/shard_writer.h"
#include "engine/base/file.h"
#include "engine/base/hash.h"

using namespace trainyard;

namespace {

constexpr int kLength = 16;
constexpr int kPredictions = 3;

RowBlock randomRows(std::size_t count, bool provenance = false)
{
    std::mt19937_64 random(7);
    RowBlock rows(kLength, kPredictions, provenance);
    rows.resize(count);
    const auto fill = [&](auto& values, int below) {
        for (auto& value : values)
            value = static_cast<std::decay_t<decltype(value)>>(random() % static_cast<unsigned>(below));
    };
    fill(rows.inputIds, 30522);
    fill(rows.inputMask, 2);
    fill(rows.segmentIds, 2);
    fill(rows.maskedPositions, kLength);
    fill(rows.maskedIds, 30522);
    fill(rows.nextSentenceLabels, 2);
    for (auto* column : {&rows.documentA, &rows.documentB, &rows.sentenceA, &rows.sentenceB}) {
        for (std::int64_t& value : *column)
            value = static_cast<std::int64_t>(random());
    }
    return rows;
}

RowBlock slice(const RowBlock& rows, std::size_t first, std::size_t count)
{
    RowBlock out(rows.sequenceLength, rows.maxPredictions, rows.provenance);
    out.resize(count);
    for (const Column& column : columnsOf(rows.maxPredictions, rows.provenance)) {
        const std::size_t rowBytes = column.valuesPerRow(rows.sequenceLength, rows.maxPredictions) *
                                     static_cast<std::size_t>(column.bytesPerValue);
        std::memcpy(column.data(out), column.data(rows) + first * rowBytes, count * rowBytes);
    }
    return out;
}

bool same(const RowBlock& a, const RowBlock& b)
{
    return a.rows == b.rows && a.inputIds == b.inputIds && a.inputMask == b.inputMask &&
           a.segmentIds == b.segmentIds && a.maskedPositions == b.maskedPositions &&
           a.maskedIds == b.maskedIds && a.nextSentenceLabels == b.nextSentenceLabels &&
           a.documentA == b.documentA && a.documentB == b.documentB && a.sentenceA == b.sentenceA &&
           a.sentenceB == b.sentenceB;
}

Status write(const std::filesystem::path& file, const RowBlock& rows)
{
    TRAINYARD_TRY(ShardWriter writer, ShardWriter::create(file, {rows.rows, rows.sequenceLength,
                                                                 rows.maxPredictions, rows.provenance}));
    for (std::size_t at = 0; at < rows.rows; at += ShardWriter::kRowsPerChunk)
        TRAINYARD_TRY_STATUS(
            writer.append(slice(rows, at, std::min(ShardWriter::kRowsPerChunk, rows.rows - at))));
    return writer.close();
}

} // namespace

class TestShards : public QObject {
    Q_OBJECT

private slots:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void readsBackEveryRow_data()
    {
        QTest::addColumn<int>("count");
        for (const int count : {1, 255, 256, 257, 1000})
            QTest::addRow("%d rows", count) << count;
    }
    void readsBackEveryRow()
    {
        QFETCH(int, count);
        const RowBlock rows = randomRows(static_cast<std::size_t>(count));
        QVERIFY(write(file(), rows).ok());
        auto reader = ShardReader::open(file(), kLength, kPredictions).value();
        QCOMPARE(reader.rows(), std::uint64_t(count));
        RowBlock read;
        QVERIFY(reader.read(0, rows.rows, read).ok());
        QVERIFY(same(read, rows));
    }

    void readsAnyRangeOfRows()
    {
        const RowBlock rows = randomRows(600);
        QVERIFY(write(file(), rows).ok());
        auto reader = ShardReader::open(file(), kLength, kPredictions).value();
        RowBlock read;
        for (const auto& [first, count] : {std::pair{0, 1}, {599, 1}, {250, 20}, {100, 500}, {600, 0}}) {
            QVERIFY(
                reader.read(static_cast<std::uint64_t>(first), static_cast<std::size_t>(count), read).ok());
            QVERIFY(
                same(read, slice(rows, static_cast<std::size_t>(first), static_cast<std::size_t>(count))));
        }
    }

    void readsWhereRowsComeFromWhenAsked()
    {
        const RowBlock rows = randomRows(300, true);
        QVERIFY(write(file(), rows).ok());
        QVERIFY(readShardShape(file())->provenance);
        RowBlock read;
        auto reader = ShardReader::open(file(), kLength, kPredictions, true).value();
        QVERIFY(reader.read(0, 300, read).ok());
        QVERIFY(same(read, rows));
        auto plain = ShardReader::open(file(), kLength, kPredictions).value();
        QVERIFY(plain.read(0, 300, read).ok());
        QVERIFY(read.documentA.empty() && read.inputIds == rows.inputIds);
        QVERIFY(write(other(), randomRows(3)).ok());
        QVERIFY(!ShardReader::open(other(), kLength, kPredictions, true).ok());
    }

    void readsRunningTextAsRowsWithoutPaddingAndPredictions()
    {
        RowBlock rows(kLength, 0);
        rows.resize(300);
        std::iota(rows.inputIds.begin(), rows.inputIds.end(), 0);
        QVERIFY(write(file(), rows).ok());
        QCOMPARE(readShardShape(file())->sequenceLength, kLength);
        QCOMPARE(readShardShape(file())->maxPredictions, 0);
        std::fill(rows.inputMask.begin(), rows.inputMask.end(), std::int8_t{1});
        RowBlock read;
        auto reader = ShardReader::open(file(), kLength, 0).value();
        QVERIFY(reader.read(0, 300, read).ok());
        QVERIFY(same(read, rows));
        QVERIFY(!ShardReader::open(file(), kLength, kPredictions).ok());
    }

    /// HDF5's own Python reader, with none of our code in between.
    void isReadByH5py_data()
    {
        QTest::addColumn<int>("count");
        for (const int count : {1, 256, 1000})
            QTest::addRow("%d rows", count) << count;
    }
    void isReadByH5py()
    {
        const QString python = QStringLiteral("/usr/bin/python3");
        QFETCH(int, count);
        const RowBlock rows = randomRows(static_cast<std::size_t>(count), true);
        QVERIFY(write(file(), rows).ok());
        QProcess reader;
        reader.start(python, {TRAINYARD_SOURCE_DIR "/tests/auto/shards/read_with_h5py.py",
                              QString::fromStdString(file())});
        QVERIFY(reader.waitForFinished());
        QVERIFY2(reader.exitCode() == 0, reader.readAllStandardError().constData());
        QStringList expected;
        for (const Column& column : columnsOf(kPredictions, true)) {
            const std::size_t width = column.valuesPerRow(kLength, kPredictions);
            const QString shape = column.width == Column::Width::Scalar
                                      ? QStringLiteral("(%1,)").arg(count)
                                      : QStringLiteral("(%1, %2)").arg(count).arg(width);
            const QByteArrayView bytes(column.data(rows),
                                       static_cast<qsizetype>(rows.rows * width) * column.bytesPerValue);
            const QByteArray hash = QCryptographicHash::hash(bytes, QCryptographicHash::Sha256).toHex();
            expected << QStringLiteral("%1 %2 %3 %4").arg(column.name, typeName(column).data(), shape, hash);
        }
        expected.sort();
        QCOMPARE(QString::fromUtf8(reader.readAllStandardOutput()).split('\n', Qt::SkipEmptyParts), expected);
    }

    void givesTheSameBytesForTheSameRows()
    {
        const RowBlock rows = randomRows(700);
        QVERIFY(write(file(), rows).ok());
        const std::string first = sha256OfFile(file()).value();
        QTest::qSleep(1100); // HDF5 would store seconds
        QVERIFY(std::filesystem::remove(file()));
        QVERIFY(write(file(), rows).ok());
        QCOMPARE(sha256OfFile(file()).value(), first);
    }

    void namesTheWrongColumn_data()
    {
        QTest::addColumn<QByteArray>("column");
        QTest::addColumn<int>("width");
        QTest::addColumn<bool>("wide");
        QTest::addColumn<QString>("problem");
        QTest::addRow("missing") << QByteArray("segment_ids") << 0 << false << "is missing";
        QTest::addRow("type") << QByteArray("input_mask") << kLength << true << "int8";
        QTest::addRow("width") << QByteArray("masked_lm_ids") << kPredictions + 1 << true
                               << "expected [5, 3]";
    }
    void namesTheWrongColumn()
    {
        QFETCH(QByteArray, column);
        QFETCH(int, width);
        QFETCH(bool, wide);
        QFETCH(QString, problem);
        QVERIFY(write(file(), randomRows(5)).ok());
        replaceColumn(column, width, wide ? H5T_STD_I32LE : H5T_STD_I8LE);
        const auto reader = ShardReader::open(file(), kLength, kPredictions);
        QVERIFY(!reader.ok());
        QCOMPARE(reader.error().kind, ErrorKind::BadInput);
        const auto text = QString::fromStdString(reader.error().text());
        QVERIFY2(text.contains(column) && text.contains(problem) && text.contains("shard.hdf5"),
                 qPrintable(text));
    }

    void refusesATruncatedFileAtAnyLength()
    {
        QVERIFY(write(file(), randomRows(300)).ok());
        const std::string bytes = readFile(file()).value();
        for (std::size_t keep = 0; keep < bytes.size(); keep += 97) {
            QVERIFY(writeFileAtomically(file(), std::string_view(bytes).substr(0, keep)).ok());
            QVERIFY2(!ShardReader::open(file(), kLength, kPredictions).ok(),
                     qPrintable(QString::number(keep)));
        }
    }

    void noticesDamageInEveryChunk()
    {
        const RowBlock rows = randomRows(300);
        QVERIFY(write(file(), rows).ok());
        const std::string bytes = readFile(file()).value();
        const std::string zlibHeader = "\x78\x5e"; // starts every chunk; zlib's own checksum ends it
        int chunks = 0;
        for (auto at = bytes.find(zlibHeader); at != std::string::npos; at = bytes.find(zlibHeader, at + 1)) {
            std::string damaged = bytes;
            damaged[at + 12] = static_cast<char>(damaged[at + 12] ^ 0x10);
            QVERIFY(writeFileAtomically(file(), damaged).ok());
            auto reader = ShardReader::open(file(), kLength, kPredictions); // looks at first chunks
            RowBlock read;
            QVERIFY2(!reader.ok() || !reader->read(0, rows.rows, read).ok(), qPrintable(QString::number(at)));
            ++chunks;
        }
        QVERIFY(chunks >= 12); // six columns, two chunks each
    }

    void reportsMissingFiles()
    {
        const auto reader = ShardReader::open(file(), kLength, kPredictions);
        QVERIFY(!reader.ok());
        QCOMPARE(reader.error().kind, ErrorKind::BadInput);
    }

    void findsTheWidths()
    {
        QVERIFY(write(file(), randomRows(2)).ok());
        const auto widths = readShardShape(file()).value();
        QCOMPARE(widths.sequenceLength, kLength);
        QCOMPARE(widths.maxPredictions, kPredictions);
    }

    void refusesRowsThatAreTooWide()
    {
        QVERIFY(write(file(), randomRows(5)).ok());
        replaceColumn("input_ids", kWidestColumn + 1, H5T_STD_I32LE);
        const auto widths = readShardShape(file());
        QVERIFY(!widths.ok());
        QVERIFY(QString::fromStdString(widths.error().message).contains("65537 values per row"));
    }

private:
    std::filesystem::path file() const
    {
        return std::filesystem::path(m_folder->path().toStdString()) / "shard.hdf5";
    }
    std::filesystem::path other() const { return file().replace_filename("other.hdf5"); }

    /// Width 0 only removes the column.
    void replaceColumn(const QByteArray& name, int width, hid_t type)
    {
        const hid_t handle = H5Fopen(file().c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
        H5Ldelete(handle, name.constData(), H5P_DEFAULT);
        if (width > 0) {
            const hsize_t shape[2] = {5, static_cast<hsize_t>(width)};
            const hid_t space = H5Screate_simple(2, shape, nullptr);
            H5Dclose(
                H5Dcreate2(handle, name.constData(), type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
            H5Sclose(space);
        }
        H5Fclose(handle);
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_APPLESS_MAIN(TestShards)
#include "tst_shards.moc"
