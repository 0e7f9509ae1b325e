#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <array>
#include <cmath>
#include <random>

#include "app/series/pixel_columns.h"
#include "app/series/series_file.h"

using namespace trainyard;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
const QStringList kNames{kStepSeries, kWallSeries, "loss"};

double noisy(qsizetype row)
{
    return row % 997 == 5 ? kNaN : row % 1009 == 7 ? kInfinity : std::sin(double(row)) * 1e3 + double(row);
}

SeriesColumn noise(qsizetype rows)
{
    SeriesColumn column;
    for (qsizetype row = 0; row < rows; ++row)
        column.append(noisy(row));
    return column;
}

SeriesColumn ascending(qsizetype rows, double pace = 1)
{
    SeriesColumn column;
    for (qsizetype row = 1; row <= rows; ++row)
        column.append(double(row) * pace);
    return column;
}

ValueSummary bruteForce(const SeriesColumn& column, qsizetype from, qsizetype to)
{
    ValueSummary sum;
    for (qsizetype row = from; row < to; ++row)
        sum.add(column[row]);
    return sum;
}

bool isSame(double a, double b)
{
    return a == b || (std::isnan(a) && std::isnan(b));
}

bool areEqual(const ValueSummary& a, const ValueSummary& b)
{
    return isSame(a.min, b.min) && isSame(a.max, b.max) && isSame(a.last, b.last) && a.finite == b.finite &&
           a.notFinite == b.notFinite;
}

Result<SeriesFile> write(const std::filesystem::path& file, qsizetype rows, std::string_view note = "note")
{
    TRAINYARD_TRY(SeriesWriter writer, SeriesWriter::open(file));
    TRAINYARD_TRY(const int table, writer.addTable("train", kNames));
    for (qsizetype row = writer.rows(table); row < rows; ++row) {
        const std::array values{double(row + 1), double(row) * 0.5, noisy(row)};
        TRAINYARD_TRY_STATUS(writer.append(table, values));
    }
    TRAINYARD_TRY_STATUS(writer.commit(note));
    return SeriesFile::open(file);
}

QByteArray contentOf(const std::filesystem::path& file)
{
    QFile in(QString::fromStdString(file.string()));
    return in.open(QFile::ReadOnly) ? in.readAll() : QByteArray();
}

void setContent(const std::filesystem::path& file, const QByteArray& content)
{
    QFile out(QString::fromStdString(file.string()));
    QVERIFY(out.open(QFile::WriteOnly | QFile::Truncate));
    QCOMPARE(out.write(content), content.size());
}

} // namespace

class TestSeriesFile : public QObject {
    Q_OBJECT

private slots:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void sumsUpAnyStretchExactly()
    {
        const SeriesColumn column = noise(3 * kChunkRows + 777);
        std::mt19937 random(1);
        for (int i = 0; i < 2000; ++i) {
            qsizetype from = std::uniform_int_distribution<qsizetype>(0, column.size())(random);
            qsizetype to = std::uniform_int_distribution<qsizetype>(0, column.size())(random);
            if (from > to)
                std::swap(from, to);
            QVERIFY2(areEqual(column.summary(from, to), bruteForce(column, from, to)),
                     qPrintable(QString("%1 to %2").arg(from).arg(to)));
        }
    }

    void aCopyStaysWhenTheOriginalGrowsOrShrinks()
    {
        SeriesColumn column = ascending(kChunkRows + 10);
        const SeriesColumn copy = column;
        column.append(7);
        column.truncate(kChunkRows - 3);
        column.append(-1);
        QCOMPARE(copy, ascending(kChunkRows + 10));
        QCOMPARE(column.size(), kChunkRows - 2);
        QCOMPARE(column.last(), -1.0);
        QCOMPARE(column.summary(0, column.size()).min, -1.0);
    }

    void findsPositions()
    {
        const SeriesColumn steps = ascending(3 * kChunkRows, 2);
        QCOMPARE(steps.lowerBound(0), 0);
        QCOMPARE(steps.lowerBound(2 * kChunkRows), kChunkRows - 1);
        QCOMPARE(steps.upperBound(2 * kChunkRows), kChunkRows);
        QCOMPARE(steps.lowerBound(1e9), steps.size());
        QCOMPARE(steps.nearest(7.1), 3);
        QCOMPARE(SeriesColumn().nearest(1), -1);
    }

    void everyRowIsInExactlyOnePixel_data()
    {
        QTest::addColumn<int>("rows");
        QTest::addColumn<int>("pixels");
        QTest::addColumn<bool>("logarithmic");
        QTest::addRow("fewer rows than pixels") << 50 << 400 << false;
        QTest::addRow("some rows per pixel") << 20'000 << 300 << false;
        QTest::addRow("hundreds of rows per pixel") << 200'000 << 300 << false;
        QTest::addRow("thousands of rows per pixel") << 300'000 << 40 << false;
        QTest::addRow("logarithmic") << 20'000 << 300 << true;
    }

    void everyRowIsInExactlyOnePixel()
    {
        QFETCH(int, rows);
        QFETCH(int, pixels);
        QFETCH(bool, logarithmic);
        const SeriesColumn x = ascending(rows);
        const SeriesColumn y = noise(rows);
        const PixelEdges edges = pixelEdges(rows / 10 + 0.5, rows / 10 * 9, pixels, logarithmic);
        const std::vector<qsizetype> starts = pixelRows(x, edges);
        QCOMPARE(starts.size(), edges.size());
        QCOMPARE(starts.front(), x.lowerBound(edges.front()));
        QCOMPARE(starts.back(), x.upperBound(edges.back()));
        QVERIFY(std::is_sorted(starts.begin(), starts.end()));
        const std::vector<ValueSummary> columns = pixelColumns(y, starts);
        const double width = (edges.back() - edges.front()) / pixels;
        for (std::size_t i = 0; i < columns.size(); ++i) {
            QVERIFY(areEqual(columns[i], bruteForce(y, starts[i], starts[i + 1])));
            const double edge = starts[i] < rows ? x[starts[i]] : rows + 1;
            QVERIFY(logarithmic || std::fabs(edge - edges[i]) <= std::max(1.0, 0.4 * width) + 1e-9);
        }
    }

    /// A run that was fast and then slow, over time.
    void edgesAreExactWhereRowsAreSparseToo()
    {
        SeriesColumn x;
        for (int row = 0; row < 400'000; ++row)
            x.append(row < 399'000 ? row * 1e-3 : 399 + (row - 399'000) * 0.4);
        const PixelEdges edges = pixelEdges(0, x.last(), 800);
        const std::vector<qsizetype> starts = pixelRows(x, edges);
        const double width = x.last() / 800;
        for (std::size_t i = 0; i < 800; ++i) {
            const double before = starts[i] > 0 ? x[starts[i] - 1] : 0;
            QVERIFY(before - edges[i] <= 0.4 * width + 1e-9 && edges[i] - x[starts[i]] <= 0.4 * width + 1e-9);
        }
    }

    void keepsWhatWasWritten()
    {
        const qsizetype rows = 2 * kChunkRows + 100;
        const auto file = write(path(), rows, "covers 3 chunks");
        QVERIFY2(file.ok(), file.ok() ? "" : file.error().text().c_str());
        QCOMPARE(file->note(), "covers 3 chunks");
        QCOMPARE(file->tables().size(), 1u);
        const SeriesTable* train = file->table("train");
        QVERIFY(train && !file->table("test"));
        QCOMPARE(train->names, kNames);
        QCOMPARE(train->values[0], ascending(rows));
        for (qsizetype row = 0; row < rows; ++row)
            QVERIFY(isSame(train->values[2][row], noisy(row)));
        QVERIFY(areEqual(train->values[2].summary(3, rows - 5), bruteForce(noise(rows), 3, rows - 5)));
        QVERIFY(SeriesFile::verify(path()).ok());
    }

    void isAppendedToWhileItIsRead()
    {
        const auto before = write(path(), kChunkRows + 10);
        QVERIFY(before.ok());
        const SeriesColumn early = before->tables().front().values[2];
        for (const qsizetype rows : {kChunkRows + 30, 2 * kChunkRows, 5 * kChunkRows + 1}) {
            const auto after = write(path(), rows);
            QVERIFY2(after.ok(), after.ok() ? "" : after.error().text().c_str());
            QCOMPARE(after->tables().front().values[0], ascending(rows));
        }
        QCOMPARE(early.size(), kChunkRows + 10);
        QVERIFY(areEqual(early.summary(0, early.size()), bruteForce(noise(early.size()), 0, early.size())));
    }

    void takesWholeColumns()
    {
        const qsizetype rows = 3 * kChunkRows + 5;
        const QList<SeriesColumn> columns{ascending(rows), ascending(rows, 0.5), noise(rows)};
        QVERIFY(write(path(), 100).ok()); // what is there is not written again
        auto writer = SeriesWriter::open(path());
        QVERIFY(writer.ok());
        const auto table = writer->addTable("train", kNames);
        QVERIFY(table.ok());
        QVERIFY(writer->appendRest(*table, columns).ok());
        QVERIFY(writer->commit("all").ok());
        const auto file = SeriesFile::open(path());
        QVERIFY(file.ok());
        QCOMPARE(file->tables().front().values[0], columns[0]);
        QCOMPARE(file->tables().front().rows(), rows);
    }

    void holdsTablesOfAnyLength()
    {
        auto writer = SeriesWriter::open(path());
        QVERIFY(writer.ok());
        for (int i = 0; i < 40; ++i) {
            const auto table = writer->addTable(QString("tag %1").arg(i), kNames);
            QVERIFY(table.ok());
            for (int row = 0; row < 100 * i; ++row)
                QVERIFY(writer->append(*table, std::array{double(row), double(row), double(i)}).ok());
        }
        QVERIFY(writer->commit("").ok());
        const auto file = SeriesFile::open(path());
        QVERIFY(file.ok());
        QCOMPARE(file->tables().size(), 40u);
        QCOMPARE(file->table("tag 39")->rows(), 3900);
        QCOMPARE(file->table("tag 0")->rows(), 0);
    }

    void whatWasNotCommittedIsCut()
    {
        QVERIFY(write(path(), 100).ok());
        const QByteArray committed = contentOf(path());
        {
            auto writer = SeriesWriter::open(path());
            QVERIFY(writer.ok());
            for (int row = 0; row < 2 * kChunkRows; ++row)
                QVERIFY(writer->append(0, std::array{1e6 + row, 0.0, 0.0}).ok());
        }
        QVERIFY(contentOf(path()).size() > committed.size());
        QCOMPARE(SeriesFile::open(path())->tables().front().rows(), 100);
        QVERIFY(SeriesWriter::open(path()).ok());
        QCOMPARE(contentOf(path()), committed);
    }

    void aTornTailCostsOnlyTheLastCommit()
    {
        QVERIFY(write(path(), 100).ok());
        const qsizetype early = contentOf(path()).size();
        QVERIFY(write(path(), kChunkRows + 100).ok());
        const QByteArray whole = contentOf(path());
        for (qsizetype length = early; length < whole.size(); length += 997) {
            setContent(path(), whole.first(length));
            const auto file = SeriesFile::open(path());
            QVERIFY2(file.ok(), file.ok() ? "" : file.error().text().c_str());
            QCOMPARE(file->tables().front().rows(), 100);
        }
    }

    void noDamageGoesUnnoticed()
    {
        QVERIFY(write(path(), 3 * kChunkRows).ok());
        const QByteArray whole = contentOf(path());
        for (qsizetype at = 0; at < whole.size(); at += 1013) {
            QByteArray damaged = whole;
            damaged[at] = char(damaged[at] ^ 0x40);
            setContent(path(), damaged);
            const auto file = SeriesFile::open(path());
            const bool seen = !file.ok() || file->tables().empty() || file->tables().front().rows() == 0;
            QVERIFY2(seen || !SeriesFile::verify(path()).ok(), qPrintable(QString("byte %1").arg(at)));
        }
    }

    void refusesOtherFiles()
    {
        QVERIFY(!SeriesFile::open(path()).ok());
        setContent(path(), "TYJOURN1");
        QVERIFY(!SeriesFile::open(path()).ok());
        QVERIFY(!SeriesWriter::open(path()).ok());
        setContent(path(), {});
        QVERIFY(!SeriesFile::open(path()).ok());
        QVERIFY(SeriesWriter::open(path()).ok());
        QVERIFY(SeriesFile::open(path())->tables().empty());
    }

    void hasOneWriter()
    {
        const auto writer = SeriesWriter::open(path());
        QVERIFY(writer.ok());
        const auto second = SeriesWriter::open(path());
        QVERIFY(!second.ok());
        QVERIFY(second.error().kind == ErrorKind::Refused);
    }

private:
    std::filesystem::path path() const { return m_folder->filePath(kSeriesFileName).toStdString(); }

    std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_GUILESS_MAIN(TestSeriesFile)
#include "tst_series_file.moc"
