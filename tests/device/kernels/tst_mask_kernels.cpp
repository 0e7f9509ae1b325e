#include <algorithm>
#include <limits>

#include "engine/device/cuda/mask_launch.h"
#include "tests/device/kernels/kernel_test.h"

using namespace trainyard;

namespace {

constexpr DropoutStream kSite{{42, 7}, 5, 3, 0};
constexpr std::uint32_t kDropBelow = 1u << 30;
constexpr std::uint8_t kUntouched = 2;

std::vector<std::uint8_t> expectedMask(std::uint64_t sample, std::int64_t firstElement, std::int64_t count)
{
    DropoutStream stream = kSite;
    stream.sample = sample;
    std::vector<std::uint8_t> mask(std::size_t(count), kUntouched);
    fillDropoutMask(mask.data(), firstElement, count, kDropBelow, stream);
    return mask;
}

/// The dense mask of a rectangle, row by row.
std::vector<std::uint8_t> expectedMask(const MaskRectangle& r)
{
    std::vector<std::uint8_t> mask;
    for (std::int64_t head = 0; head < r.heads; ++head) {
        for (std::int64_t row = 0; row < r.rows; ++row) {
            const auto part =
                expectedMask(r.sample, r.firstElement + head * r.headStride + row * r.rowStride, r.columns);
            mask.insert(mask.end(), part.begin(), part.end());
        }
    }
    return mask;
}

} // namespace

/// Dropout masks of kernels are those of the processor, bit for bit.
class TestMaskKernels : public QObject {
    Q_OBJECT

private slots:
    void fillsPartsThatBeginAnywhere()
    {
        std::vector<std::uint8_t> expected;
        std::vector<MaskTarget> targets;
        for (std::uint64_t sample = 0; sample < MaskBatch::kCapacity; ++sample) {
            const auto first = std::int64_t(sample * 37 % 130), count = std::int64_t(sample * 13 % 300);
            targets.push_back({nullptr, first, count, sample << 30});
            const auto part = expectedMask(sample << 30, first, count);
            expected.insert(expected.end(), part.begin(), part.end());
        }
        DeviceArray<std::uint8_t> mask(expected.size(), kUntouched);
        MaskBatch batch;
        std::uint8_t* next = mask.data();
        for (MaskTarget target : targets) {
            target.mask = next;
            next += target.count;
            batch.targets[batch.count++] = target;
        }
        LAUNCHES(launchFillMasks(batch, kDropBelow, kSite, nullptr));
        QCOMPARE(mask.values(), expected);
    }

    void needsNoLaunchForNothing()
    {
        LAUNCHES(launchFillMasks({}, kDropBelow, kSite, nullptr));
        LAUNCHES(launchFillRectangles({}, kDropBelow, kSite, nullptr));
        RectangleBatch empty{{{nullptr, 1, 0, 2, 8, 3, 8, 0}}, 1};
        LAUNCHES(launchFillRectangles(empty, kDropBelow, kSite, nullptr));
    }

    void fillsMoreElementsThanThreads()
    {
        constexpr std::int64_t kCount = 4096 * 256 * 4 + 12345; // a grid of 4096 blocks, and more
        DeviceArray<std::uint8_t> mask(kCount, kUntouched);
        MaskBatch batch{{{mask.data(), 3, kCount, 9}}, 1};
        LAUNCHES(launchFillMasks(batch, kDropBelow, kSite, nullptr));
        QVERIFY(mask.values() == expectedMask(9, 3, kCount));
    }

    // By three blocks of the grid, on memory that is hardly there.
    void fillsMoreThanTwoToThe31Elements()
    {
        constexpr std::int64_t kCount = (std::int64_t{1} << 31) + 1000;
        constexpr std::int64_t kFirst = 64;
        SparseArray<std::uint8_t> mask(kCount);
        MaskBatch batch{{{mask.data(), kFirst, kCount, 11}}, 1};
        constexpr std::int64_t kThreads = 4096 * 256;
        const std::int64_t lastGroup = (kCount - 1) / kDropoutGroup;
        const auto lastBlock = std::uint64_t(lastGroup * kDropoutLanes % kThreads / 256);
        const on_host::SomeBlocks blocks({0, 4095, lastBlock});
        LAUNCHES(launchFillMasks(batch, kDropBelow, kSite, nullptr));
        for (const std::int64_t group :
             {std::int64_t{0}, lastGroup - lastGroup % (kThreads / kDropoutLanes), lastGroup}) {
            const std::int64_t first = group * kDropoutGroup;
            const std::int64_t count = std::min(kDropoutGroup, kCount - first);
            const auto expected = expectedMask(11, kFirst + first, count);
            QVERIFY2(std::equal(expected.begin(), expected.end(), mask.data() + first),
                     std::to_string(group).c_str());
        }
    }

    void fillsRectanglesOfScores_data()
    {
        QTest::addColumn<qint64>("length"); // of the longest sequence: the stride of rows
        QTest::addColumn<qint64>("rows");
        QTest::addColumn<qint64>("columns");
        QTest::addColumn<qint64>("firstColumn");
        QTest::addRow("whole") << qint64(128) << qint64(128) << qint64(128) << qint64(0);
        QTest::addRow("shorter sequence") << qint64(128) << qint64(37) << qint64(37) << qint64(0);
        QTest::addRow("odd length") << qint64(77) << qint64(77) << qint64(77) << qint64(0);
        QTest::addRow("tile") << qint64(200) << qint64(16) << qint64(50) << qint64(111);
        QTest::addRow("one column") << qint64(65) << qint64(65) << qint64(1) << qint64(64);
        QTest::addRow("one element") << qint64(1) << qint64(1) << qint64(1) << qint64(0);
    }
    void fillsRectanglesOfScores()
    {
        QFETCH(qint64, length);
        QFETCH(qint64, rows);
        QFETCH(qint64, columns);
        QFETCH(qint64, firstColumn);
        constexpr std::int64_t kHeads = 3, kFirstHead = 2;
        const std::int64_t first = kFirstHead * length * length + firstColumn;
        const std::size_t perSample = std::size_t(kHeads * rows * columns);
        DeviceArray<std::uint8_t> mask(5 * perSample, kUntouched);
        RectangleBatch batch;
        std::vector<std::uint8_t> expected;
        for (std::uint64_t sample = 0; sample < 5; ++sample) {
            const MaskRectangle rectangle{mask.data() + sample * perSample,
                                          sample << 33,
                                          first,
                                          kHeads,
                                          length * length,
                                          rows,
                                          length,
                                          columns};
            batch.rectangles[batch.count++] = rectangle;
            const auto part = expectedMask(rectangle);
            expected.insert(expected.end(), part.begin(), part.end());
        }
        LAUNCHES(launchFillRectangles(batch, kDropBelow, kSite, nullptr));
        QCOMPARE(mask.values(), expected);
    }
};

QTEST_APPLESS_MAIN(TestMaskKernels)
#include "tst_mask_kernels.moc"
