#include <algorithm>
#include <ctime>
#include <random>

#include <QTest>

#include "engine/base/tensor_box.h"
#include "engine/checkpoint/format/tensor_json.h"

using namespace trainyard;

namespace {

using Shape = std::vector<std::int64_t>;

TensorSlice boxSlice(Shape begin, Shape shape)
{
    return {std::move(begin), std::move(shape), "shard", 0, 0, ""};
}

std::string errorOf(const Shape& shape, std::vector<TensorSlice> slices)
{
    const Status status = checkCoverage({{"w", ElementType::F32, shape, std::move(slices)}});
    return status.ok() ? "" : status.error().message;
}

/// How often each element is covered, counted one by one.
std::vector<int> timesCovered(const Shape& shape, const std::vector<TensorSlice>& slices)
{
    std::vector<int> times(std::size_t(elementCount(shape)));
    for (const TensorSlice& slice : slices) {
        for (std::int64_t n = 0; n < elementCount(slice.shape); ++n) {
            std::int64_t rest = n;
            std::int64_t element = 0;
            std::int64_t stride = 1;
            for (std::size_t d = shape.size(); d-- > 0;) {
                element += (slice.begin[d] + rest % slice.shape[d]) * stride;
                rest /= slice.shape[d];
                stride *= shape[d];
            }
            ++times[std::size_t(element)];
        }
    }
    return times;
}

std::string bruteError(const Shape& shape, const std::vector<TensorSlice>& slices)
{
    const std::vector<int> times = timesCovered(shape, slices);
    if (std::ranges::any_of(times, [](int count) { return count > 1; }))
        return "tensor w: slices overlap";
    const auto covered = std::ranges::count(times, 1);
    return covered == std::ranges::ssize(times) ? ""
                                                : "tensor w: slices cover " + std::to_string(covered) +
                                                      " of " + std::to_string(times.size()) + " elements";
}

class CutRandom {
public:
    explicit CutRandom(unsigned seed) : m_engine(seed) {}
    std::int64_t upTo(std::int64_t last)
    {
        return std::uniform_int_distribution<std::int64_t>(0, last)(m_engine);
    }
    template <typename Items>
    void shuffle(Items& items)
    {
        std::shuffle(items.begin(), items.end(), m_engine);
    }

private:
    std::mt19937 m_engine;
};

/// Cuts a box at random places into up to `parts`.
std::vector<TensorSlice> cutAtRandom(const Shape& shape, int parts, CutRandom& random)
{
    std::vector<TensorSlice> slices{boxSlice(Shape(shape.size(), 0), shape)};
    for (int part = 1; part < parts; ++part) {
        TensorSlice& first = slices[std::size_t(random.upTo(std::ssize(slices) - 1))];
        const auto d = std::size_t(random.upTo(std::ssize(shape) - 1));
        const std::int64_t kept = random.upTo(first.shape[d]);
        TensorSlice second = first;
        first.shape[d] = kept;
        second.begin[d] += kept;
        second.shape[d] -= kept;
        slices.push_back(std::move(second));
    }
    random.shuffle(slices);
    return slices;
}

/// Makes a slice one element larger, smaller, or puts it elsewhere, within the tensor.
void disturb(std::vector<TensorSlice>& slices, const Shape& shape, CutRandom& random)
{
    TensorSlice& slice = slices[std::size_t(random.upTo(std::ssize(slices) - 1))];
    const auto d = std::size_t(random.upTo(std::ssize(shape) - 1));
    slice.begin[d] = random.upTo(shape[d]);
    slice.shape[d] = std::min(slice.shape[d] + random.upTo(2) - 1, shape[d] - slice.begin[d]);
    slice.shape[d] = std::max<std::int64_t>(0, slice.shape[d]);
}

/// Elements [first, last) of a row-major matrix of `columns`, as boxes of the tensor in which it is columns
/// `at` and following: up to part of a row, whole rows, part of a row.
void addRange(std::vector<TensorSlice>& slices, std::int64_t first, std::int64_t last, std::int64_t columns,
              std::int64_t at)
{
    while (first < last) {
        const std::int64_t row = first / columns;
        const std::int64_t column = first % columns;
        const bool whole = column == 0 && last - first >= columns;
        const std::int64_t rows = whole ? (last - first) / columns : 1;
        const std::int64_t width = whole ? columns : std::min(columns - column, last - first);
        slices.push_back(boxSlice({row, at + column}, {rows, width}));
        first += rows * width;
    }
}

/// [rows, columns] by columns among `cuts` ranks, each part in flat buffers of 6.5 M elements, of which each
/// of `owners` has an equal part.
std::vector<TensorSlice> sharedSlices(std::int64_t rows, std::int64_t columns, int cuts, std::int64_t owners)
{
    constexpr std::int64_t kBucket = 25 * 1024 * 1024 / 4;
    std::vector<TensorSlice> slices;
    const std::int64_t width = columns / cuts;
    const std::int64_t elements = rows * width;
    const std::int64_t part = std::max<std::int64_t>(1, std::min(kBucket, elements) / owners);
    for (int cut = 0; cut < cuts; ++cut) {
        for (std::int64_t first = 0; first < elements; first += part)
            addRange(slices, first, std::min(first + part, elements), width, cut * width);
    }
    return slices;
}

std::vector<LogicalTensor> bertLarge(int ranks, int tensorParallel)
{
    const std::int64_t owners = ranks / tensorParallel;
    std::vector<LogicalTensor> tensors;
    const auto add = [&](std::int64_t rows, std::int64_t columns) {
        tensors.push_back({"t" + std::to_string(tensors.size()),
                           ElementType::F32,
                           {rows, columns},
                           sharedSlices(rows, columns, tensorParallel, owners)});
    };
    add(30528, 1024);
    for (int layer = 0; layer < 24; ++layer) {
        add(3072, 1024);
        add(1024, 1024);
        add(4096, 1024);
        add(1024, 4096);
    }
    return tensors;
}

} // namespace

/// Whether the slices of a checkpoint's tensors are all of them, each once.
class TestCoverage : public QObject {
    Q_OBJECT

private slots:
    void namesTheTensorWithAGapOrAnOverlap()
    {
        QCOMPARE(errorOf({4, 6}, {boxSlice({0, 0}, {4, 3}), boxSlice({0, 3}, {4, 3})}), std::string());
        QCOMPARE(errorOf({4, 6}, {boxSlice({0, 0}, {4, 3}), boxSlice({0, 2}, {4, 3})}),
                 std::string("tensor w: slices overlap"));
        QCOMPARE(errorOf({4, 6}, {boxSlice({0, 0}, {4, 3}), boxSlice({0, 3}, {3, 3})}),
                 std::string("tensor w: slices cover 21 of 24 elements"));
        QCOMPARE(errorOf({4, 6}, {}), std::string("tensor w: slices cover 0 of 24 elements"));
        // As many elements as the tensor has, but one twice.
        QCOMPARE(errorOf({4}, {boxSlice({0}, {2}), boxSlice({1}, {2})}),
                 std::string("tensor w: slices overlap"));
    }

    void knowsScalarsAndEmptySlices()
    {
        QCOMPARE(errorOf({}, {boxSlice({}, {})}), std::string());
        QCOMPARE(errorOf({}, {boxSlice({}, {}), boxSlice({}, {})}), std::string("tensor w: slices overlap"));
        QCOMPARE(errorOf({4}, {boxSlice({0}, {4}), boxSlice({2}, {0})}), std::string());
        QCOMPARE(errorOf({0, 3}, {}), std::string());
    }

    void agreesWithCountingEveryElement()
    {
        const unsigned seed = std::random_device()();
        qInfo("seed %u", seed);
        CutRandom random(seed);
        int broken = 0;
        for (int round = 0; round < 4000; ++round) {
            Shape shape(std::size_t(1 + random.upTo(3)));
            for (std::int64_t& extent : shape)
                extent = 1 + random.upTo(5);
            std::vector<TensorSlice> slices = cutAtRandom(shape, int(1 + random.upTo(12)), random);
            QCOMPARE(errorOf(shape, slices), std::string());
            disturb(slices, shape, random);
            const std::string expected = bruteError(shape, slices);
            QCOMPARE(errorOf(shape, slices), expected);
            broken += expected.empty() ? 0 : 1;
        }
        QVERIFY(broken > 1000);
    }

    void takesSecondsForThousandsOfRanks_data()
    {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<int>("tensorParallel");
        QTest::newRow("1024") << 1024 << 1;
        QTest::newRow("4096") << 4096 << 1;
        QTest::newRow("4096, columns cut") << 4096 << 8;
    }

    // Comparing every pair takes minutes.
    void takesSecondsForThousandsOfRanks()
    {
        QFETCH(const int, ranks);
        QFETCH(const int, tensorParallel);
        std::vector<LogicalTensor> tensors = bertLarge(ranks, tensorParallel);
        std::size_t slices = 0;
        for (const LogicalTensor& tensor : tensors)
            slices += tensor.slices.size();
        const std::clock_t begin = std::clock();
        QVERIFY(checkCoverage(tensors).ok());
        const double seconds = double(std::clock() - begin) / CLOCKS_PER_SEC;
        qInfo("%zu slices in %.3f s", slices, seconds);
        QVERIFY2(seconds < 10, qPrintable(QString::number(seconds)));

        LogicalTensor& last = tensors.back();
        last.slices.push_back(boxSlice({1023, 4095}, {1, 1}));
        QCOMPARE(checkCoverage(tensors).error().message, "tensor " + last.name + ": slices overlap");
    }
};

QTEST_APPLESS_MAIN(TestCoverage)
#include "tst_coverage.moc"
