#include <algorithm>
#include <numeric>
#include <random>

#include <fmt/format.h>

#include "datasets/shards/shard_writer.h"
#include "engine/base/file.h"
#include "engine/training/data/row_source.h"

#include <QTemporaryDir>
#include <QTest> // after LibTorch, which uses the name "slots"

using namespace trainyard;

namespace {

namespace fs = std::filesystem;

constexpr int kWidth = 4;
constexpr std::uint64_t kRowsOfShard = 5;
constexpr std::uint64_t kRowsOfBlock = 3; // some lie in two shards

/// Running text whose tokens tell shard and row.
RowBlock rowsOf(std::size_t shard, std::uint64_t count)
{
    RowBlock rows(kWidth, 0);
    rows.resize(count);
    for (std::size_t i = 0; i < rows.inputIds.size(); ++i)
        rows.inputIds[i] = static_cast<std::int32_t>(shard * 1000 + i / kWidth);
    return rows;
}

fs::path fileOf(const fs::path& folder, std::size_t shard)
{
    return folder / fmt::format("training_{:03}.hdf5", shard);
}

void writeRows(const fs::path& file, const RowBlock& rows)
{
    fs::remove(file);
    auto writer = ShardWriter::create(file, {rows.rows, kWidth, 0}).value();
    QVERIFY(writer.append(rows).ok());
    QVERIFY(writer.close().ok());
}

/// Shards of this process that are open.
std::size_t openShardsHere()
{
    std::vector<std::string> open;
    for (const auto& entry : fs::directory_iterator("/proc/self/fd")) {
        std::error_code gone;
        const fs::path target = fs::read_symlink(entry.path(), gone);
        if (target.extension() == ".hdf5")
            open.push_back(target);
    }
    std::ranges::sort(open);
    return std::size_t(std::ranges::unique(open).begin() - open.begin());
}

} // namespace

/// Rows of data sets with more shards than may be open.
class TestRowSource : public QObject {
    Q_OBJECT

private slots:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void keepsFewShardsOpen_data()
    {
        QTest::addColumn<int>("shards");
        QTest::addColumn<int>("most");
        QTest::addRow("one at a time") << 9 << 1;
        QTest::addRow("some") << 9 << 4;
        QTest::addRow("all") << 9 << 9;
        QTest::addRow("more than the usual limit") << 70 << int(ShardReaders::kMaxOpen);
    }
    void keepsFewShardsOpen()
    {
        QFETCH(const int, shards);
        QFETCH(const int, most);
        auto source = open(writeShards(std::size_t(shards)), std::size_t(most)).value();
        QCOMPARE(openShardsHere(), std::size_t(most));
        std::vector<std::uint64_t> order(source.rows());
        std::iota(order.begin(), order.end(), std::uint64_t{0});
        std::ranges::shuffle(order, std::mt19937(7));
        for (const std::uint64_t row : order) {
            const RowView view = source.row(row).value();
            QCOMPARE(std::uint64_t(view.block->inputIds[view.row * kWidth]),
                     row / kRowsOfShard * 1000 + row % kRowsOfShard);
            QVERIFY(openShardsHere() <= std::size_t(most));
        }
    }

    void findsAWrongShardAtTheStartAmongTheFirst()
    {
        const Manifest manifest = writeShards(9);
        writeRows(fileOf(folder(), 2), rowsOf(2, 3));
        const auto source = open(manifest, 4);
        QCOMPARE(source.error().kind, ErrorKind::BadInput);
        QCOMPARE(source.error().message, wrongRows(2));
    }

    void findsAWrongShardWhenItIsFirstRead()
    {
        const Manifest manifest = writeShards(9);
        writeRows(fileOf(folder(), 7), rowsOf(7, 3));
        auto source = open(manifest, 4).value();
        QVERIFY(source.row(0).ok());
        const auto row = source.row(7 * kRowsOfShard + 1);
        QCOMPARE(row.error().kind, ErrorKind::BadInput);
        QCOMPARE(row.error().message, wrongRows(7));
        QVERIFY(source.row(8 * kRowsOfShard + 4).ok()); // the others are as good as before
    }

    void findsAMissingShardAtTheStart()
    {
        const Manifest manifest = writeShards(9);
        QVERIFY(fs::remove(fileOf(folder(), 8)));
        const auto all = open(manifest, 9);
        const auto few = open(manifest, 4);
        QCOMPARE(few.error().kind, ErrorKind::BadInput);
        QVERIFY(few.error().message.find(fileOf(folder(), 8).string()) != std::string::npos);
        QCOMPARE(few.error().message, all.error().message);
    }

private:
    fs::path folder() const { return m_folder->path().toStdString(); }

    Manifest writeShards(std::size_t count) const
    {
        Manifest manifest;
        manifest.sequenceLength = kWidth;
        for (std::size_t shard = 0; shard < count; ++shard) {
            writeRows(fileOf(folder(), shard), rowsOf(shard, kRowsOfShard));
            manifest.shards.push_back({fileOf({}, shard).string(), kRowsOfShard, "", true});
        }
        return manifest;
    }
    Result<RowSource> open(const Manifest& manifest, std::size_t most) const
    {
        return RowSource::open(folder(), manifest, kRowsOfBlock, 2, Split::Training, most);
    }
    std::string wrongRows(std::size_t shard) const
    {
        return fmt::format("{} has 3 rows, but its manifest says 5", fileOf(folder(), shard).string());
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_APPLESS_MAIN(TestRowSource)
#include "tst_row_source.moc"
