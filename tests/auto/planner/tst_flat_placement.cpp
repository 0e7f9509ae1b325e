#include <QTest>

#include "engine/planner/layout/flat_placement.h"

using namespace trainyard;

namespace {

/// "12@64 .." : block and offset front first, buckets apart by bars with their ends.
QString print(const FlatPlacement& placement)
{
    QStringList buckets;
    for (const FlatBucket& bucket : placement.buckets) {
        QStringList blocks;
        for (const std::size_t block : bucket.blocks)
            blocks << QString("%1@%2").arg(block).arg(placement.offsets[block]);
        buckets << QString("%1..%2: %3").arg(bucket.begin).arg(bucket.end).arg(blocks.join(' '));
    }
    return buckets.join(" | ");
}

/// Embeddings, two layers and a head.
std::vector<FlatBlock> blocks()
{
    return {{100, -1}, {33, 0}, {1, 0}, {64, 1}, {7, 2}};
}

} // namespace

/// Expected placements are counted by hand: blocks at multiples of 32, the last one first.
class TestFlatPlacement : public QObject {
    Q_OBJECT

private slots:
    void placesTheLastBlockFirst()
    {
        const FlatPlacement placement = placeFlat(blocks(), {});
        QCOMPARE(print(placement), "0..320: 4@0 3@32 2@96 1@128 0@192");
        QCOMPARE(placement.count, 320);
    }

    void endsABucketWhenItIsLargeEnough()
    {
        QCOMPARE(print(placeFlat(blocks(), {.bucketElements = 64})),
                 "0..96: 4@0 3@32 | 96..192: 2@96 1@128 | 192..320: 0@192");
    }

    void givesOwnersEqualAlignedParts()
    {
        const FlatPlacement placement = placeFlat(blocks(), {.owners = 2, .bucketElements = 64});
        QCOMPARE(print(placement), "0..128: 4@0 3@32 | 128..256: 2@128 1@160 | 256..384: 0@256");
        QCOMPARE(placement.count, 384);
        // Halves of the buckets: [7, 32 of 64 | 32 of 64], [1, 32 of 33 | 1 of 33], [64 | 36 of 100].
        QCOMPARE(elementsByOwner(blocks(), placement, 2),
                 (std::vector<std::int64_t>{7 + 32 + 1 + 32 + 64, 32 + 1 + 36}));
    }

    void placesFrozenBlocksBehindAllOthers()
    {
        std::vector<FlatBlock> some = blocks();
        for (const std::size_t frozen : {0, 1, 3})
            some[frozen].isFrozen = true;
        const FlatPlacement placement = placeFlat(some, {});
        QCOMPARE(print(placement), "0..64: 4@0 2@32 | 64..320: 3@64 1@128 0@192");
        QCOMPARE(placement.trainedCount, 64);
        QCOMPARE(placement.trainedBuckets, std::size_t(1));
        QCOMPARE(elementsByOwner(some, placement, 1), std::vector<std::int64_t>{7 + 1});
        QCOMPARE(placeFlat(blocks(), {}).trainedCount, 320);
    }

    /// Two of a layer's three blocks, which two of four ranks have.
    void keepsExpertsThatRanksShareApart()
    {
        std::vector<FlatBlock> some{{100, -1}, {33, 0}, {128, 0}, {96, 0}, {7, 1}};
        some[2].isOfExperts = some[3].isOfExperts = true;
        const FlatPlacement shared = placeFlat(some, {.owners = 4, .expertOwners = 2});
        QCOMPARE(print(shared), "0..128: 4@0 | 128..384: 3@128 2@224 | 384..640: 1@384 0@448");
        QCOMPARE(shared.buckets[1].owners, 2);
        QCOMPARE(shared.ownedCount(), 128 / 4 + 256 / 2 + 256 / 4);
        QCOMPARE(elementsByOwner(some, shared, 4), (std::vector<std::int64_t>{7 + 33, 64, 36, 0}));
        QCOMPARE(elementsByOwner(some, shared, 2, true), (std::vector<std::int64_t>{96 + 32, 96}));
        QCOMPARE(print(placeFlat(some, {.owners = 4})), "0..512: 4@0 3@32 2@128 1@256 0@320");
    }

    void makesABucketOfEachPart()
    {
        QCOMPARE(print(placeFlat(blocks(), {.owners = 3, .bucketElements = 1, .bucketPerPart = true})),
                 "0..96: 4@0 | 96..192: 3@96 | 192..288: 2@192 1@224 | 288..480: 0@288");
    }

    void holdsNothingWithoutBlocks()
    {
        QCOMPARE(placeFlat({}, {}).count, 0);
        QVERIFY(placeFlat({}, {}).buckets.empty());
    }
};

QTEST_APPLESS_MAIN(TestFlatPlacement)
#include "tst_flat_placement.moc"
