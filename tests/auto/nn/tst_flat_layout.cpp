#include <QTest>

#include <numeric>

#include "engine/nn/parameters/flat_layout.h"

using namespace trainyard;

namespace {

ParameterSpec tensorOf(std::string name, std::vector<std::int64_t> shape, TensorSplit split = {})
{
    ParameterSpec spec;
    spec.name = std::move(name);
    spec.shape = std::move(shape);
    spec.split = split;
    return spec;
}

/// Sizes that neither tensor ranks nor owners divide.
std::vector<ParameterSpec> someParameters()
{
    std::vector<ParameterSpec> specs{
        tensorOf("words", {97, 6}, {0, 1}), tensorOf("norm", {7}),  tensorOf("qkv", {3 * 8, 5}, {0, 3}),
        tensorOf("down", {5, 9}, {1, 1}),   tensorOf("empty", {0}), tensorOf("bias", {3 * 8}, {0, 3}),
        tensorOf("k", {3 * 8}, {0, 3})};
    specs.back().stackedOnPrevious = true;
    return specs;
}

/// How often each element of each logical tensor is named by the boxes.
struct Coverage {
    std::vector<std::vector<int>> counts;

    Coverage()
    {
        for (const ParameterSpec& spec : someParameters())
            counts.emplace_back(std::size_t(elementCount(spec.shape)));
    }
    void add(std::size_t parameter, const TensorBox& box)
    {
        const std::vector<std::int64_t> shape = someParameters()[parameter].shape;
        const std::int64_t width = shape.size() == 2 ? shape[1] : 1;
        const std::int64_t columns = shape.size() == 2 ? box.shape[1] : 1;
        const std::int64_t firstColumn = shape.size() == 2 ? box.begin[1] : 0;
        for (std::int64_t row = 0; row < box.shape[0]; ++row) {
            for (std::int64_t column = 0; column < columns; ++column)
                ++counts[parameter].at(std::size_t((box.begin[0] + row) * width + firstColumn + column));
        }
    }
    /// Replicated tensors are named once per tensor rank, cut ones once.
    bool isExact(int tensorRanks) const
    {
        const auto specs = someParameters();
        for (std::size_t p = 0; p < specs.size(); ++p) {
            const int expected = specs[p].split.cuts() ? 1 : tensorRanks;
            if (std::ranges::any_of(counts[p], [&](int count) { return count != expected; }))
                return false;
        }
        return true;
    }
};

} // namespace

class TestFlatLayout : public QObject {
    Q_OBJECT

private slots:
    void cutsBlockByBlock()
    {
        const SliceGeometry slice(tensorOf("qkv", {12, 5}, {0, 3}), {1, 2}, {});
        QCOMPARE(slice.shape(), (std::vector<std::int64_t>{6, 5}));
        const auto parts = slice.boxes(0, slice.count());
        QCOMPARE(parts.size(), std::size_t(3)); // rows 2-3 of 0-3, 6-7 of 4-7, 10-11 of 8-11
        QCOMPARE(parts[1].box, (TensorBox{{6, 0}, {2, 5}}));
        QCOMPARE(parts[1].firstElement, std::int64_t(10));
    }

    /// Six experts of four rows, two halves each, on three ranks, each of which two tensor-parallel ranks share.
    void cutsExpertsTwice()
    {
        ParameterSpec spec = tensorOf("experts", {24, 5}, {0, 12});
        spec.isOfExperts = true;
        const SliceGeometry slice(spec, {1, 2}, {2, 3});
        QCOMPARE(slice.shape(), (std::vector<std::int64_t>{4, 5}));
        std::vector<std::int64_t> rows;
        for (const auto& [box, first] : slice.boxes(0, slice.count()))
            rows.push_back(box.begin[0]);
        QCOMPARE(rows, (std::vector<std::int64_t>{17, 19, 21, 23})); // of 16-19 and 20-23 each half's second
        spec.split = {1};
        const SliceGeometry columns(spec, {1, 2}, {2, 3});
        QCOMPARE(columns.boxes(0, columns.count()).front().box, (TensorBox{{16, 3}, {8, 2}}));
    }

    void namesPartsOfRows()
    {
        const SliceGeometry slice(tensorOf("down", {4, 9}, {1, 1}), {0, 2}, {}); // columns 0-4
        const auto parts = slice.boxes(3, 14);
        QCOMPARE(parts.size(), std::size_t(3));
        QCOMPARE(parts[0].box, (TensorBox{{0, 3}, {1, 2}}));
        QCOMPARE(parts[1].box, (TensorBox{{1, 0}, {2, 5}}));
        QCOMPARE(parts[2].box, (TensorBox{{3, 0}, {1, 2}}));
        QCOMPARE(parts[2].firstElement, std::int64_t(15));
    }

    void sharesEveryElementOnce_data()
    {
        QTest::addColumn<int>("tensorRanks");
        QTest::addColumn<int>("owners");
        QTest::addColumn<int>("bucketElements");
        for (const int tensorRanks : {1, 2, 4}) {
            for (const int owners : {1, 2, 3, 8}) {
                for (const int bucketElements : {0, 1, 100})
                    QTest::addRow("%d tensor ranks, %d owners, buckets of %d", tensorRanks, owners,
                                  bucketElements)
                        << tensorRanks << owners << bucketElements;
            }
        }
    }
    void sharesEveryElementOnce()
    {
        QFETCH(int, tensorRanks);
        QFETCH(int, owners);
        QFETCH(int, bucketElements);
        Coverage coverage;
        for (int tensorRank = 0; tensorRank < tensorRanks; ++tensorRank) {
            for (int owner = 0; owner < owners; ++owner) {
                const FlatLayout layout(someParameters(), {.tensor = {tensorRank, tensorRanks},
                                                           .owner = {owner, owners},
                                                           .bucketElements = bucketElements});
                for (const OwnedPiece& piece : layout.pieces()) {
                    for (const auto& [box, first] :
                         layout.slices()[piece.parameter].boxes(piece.firstElement, piece.count))
                        coverage.add(piece.parameter, box);
                    QCOMPARE(piece.offset, layout.offsets()[piece.parameter] + piece.firstElement);
                    QVERIFY(piece.shardOffset + piece.count <= layout.ownedCount());
                }
            }
        }
        QVERIFY(coverage.isExact(tensorRanks));
    }

    void bucketsAreContiguousAndShareable_data() { sharesEveryElementOnce_data(); }
    void bucketsAreContiguousAndShareable()
    {
        QFETCH(int, tensorRanks);
        QFETCH(int, owners);
        QFETCH(int, bucketElements);
        const FlatLayout layout(
            someParameters(),
            {.tensor = {0, tensorRanks}, .owner = {0, owners}, .bucketElements = bucketElements});
        std::int64_t at = 0;
        std::size_t parameters = 0;
        for (const Bucket& bucket : layout.buckets()) {
            QCOMPARE(bucket.begin, at);
            QCOMPARE(bucket.size() % (FlatLayout::kAlignment * owners), std::int64_t(0));
            for (const std::size_t p : bucket.parameters)
                QVERIFY(layout.offsets()[p] >= bucket.begin &&
                        layout.offsets()[p] + layout.slices()[p].count() <= bucket.end);
            parameters += bucket.parameters.size();
            at = bucket.end;
        }
        QCOMPARE(at, layout.flatCount());
        QCOMPARE(parameters, someParameters().size());
    }

    void cutsBucketsOnceTheSizeIsReached()
    {
        QCOMPARE(FlatLayout(someParameters(), {}).buckets().size(), std::size_t(1));
        // Every stack that has elements ends a bucket of one element.
        QCOMPARE(FlatLayout(someParameters(), {.bucketElements = 1}).buckets().size(), std::size_t(5));
    }
};

QTEST_APPLESS_MAIN(TestFlatLayout)
#include "tst_flat_layout.moc"
