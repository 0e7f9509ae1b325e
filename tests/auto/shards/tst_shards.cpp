#include <QTemporaryDir>
#include <QTest>

#include <hdf5.h>
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

RowBlock randomRows(std::size_t count)
{
    std::mt19937 random(7);
    RowBlock rows(kLength, kPredictions);
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
    return rows;
}

RowBlock slice(const RowBlock& rows, std::size_t first, std::size_t count)
{
    RowBlock out(rows.sequenceLength, rows.maxPredictions);
    out.resize(count);
    const auto copy = [&](const auto& from, auto& to, std::size_t width) {
        std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(first * width), count * width, to.begin());
    };
    copy(rows.inputIds, out.inputIds, kLength);
    copy(rows.inputMask, out.inputMask, kLength);
    copy(rows.segmentIds, out.segmentIds, kLength);
    copy(rows.maskedPositions, out.maskedPositions, kPredictions);
    copy(rows.maskedIds, out.maskedIds, kPredictions);
    copy(rows.nextSentenceLabels, out.nextSentenceLabels, 1);
    return out;
}

bool same(const RowBlock& a, const RowBlock& b)
{
    return a.rows == b.rows && a.inputIds == b.inputIds && a.inputMask == b.inputMask &&
           a.segmentIds == b.segmentIds && a.maskedPositions == b.maskedPositions &&
           a.maskedIds == b.maskedIds && a.nextSentenceLabels == b.nextSentenceLabels;
}

Status write(const std::filesystem::path& file, const RowBlock& rows)
{
    TRAINYARD_TRY(ShardWriter writer, ShardWriter::create(file, {rows.rows, kLength, kPredictions}));
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
            auto reader = ShardReader::open(file(), kLength, kPredictions).value();
            RowBlock read;
            QVERIFY2(!reader.read(0, rows.rows, read).ok(), qPrintable(QString::number(at)));
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
        const auto widths = readShardWidths(file()).value();
        QCOMPARE(widths.sequenceLength, kLength);
        QCOMPARE(widths.maxPredictions, kPredictions);
    }

    void refusesRowsThatAreTooWide()
    {
        QVERIFY(write(file(), randomRows(5)).ok());
        replaceColumn("input_ids", kWidestColumn + 1, H5T_STD_I32LE);
        const auto widths = readShardWidths(file());
        QVERIFY(!widths.ok());
        QVERIFY(QString::fromStdString(widths.error().message).contains("65537 values per row"));
    }

private:
    std::filesystem::path file() const
    {
        return std::filesystem::path(m_folder->path().toStdString()) / "shard.hdf5";
    }

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
