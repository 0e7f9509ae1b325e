#include <QTest>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include <libdeflate.h>

#include "datasets/shards/run_deflate.h"

using namespace trainyard;

namespace {

using ByteList = std::vector<std::byte>;

ByteList compressed(const ByteList& bytes, std::size_t pieceBytes)
{
    RunDeflate encoder;
    ByteList out{std::byte{1}}; // something to replace
    encoder.compress(bytes, pieceBytes, out);
    return out;
}

/// By libdeflate, which also compares the checksum. Empty when it refuses.
ByteList inflated(const ByteList& stream, std::size_t size)
{
    ByteList out(size + 1); // room for too much
    std::size_t actual = 0;
    libdeflate_decompressor* const decoder = libdeflate_alloc_decompressor();
    const auto result =
        libdeflate_zlib_decompress(decoder, stream.data(), stream.size(), out.data(), out.size(), &actual);
    libdeflate_free_decompressor(decoder);
    out.resize(result == LIBDEFLATE_SUCCESS ? actual : 0);
    return out;
}

/// Runs of `run` bytes on average, of `values` values.
ByteList runs(std::size_t size, unsigned run, unsigned values)
{
    std::mt19937 random(static_cast<unsigned>(size));
    ByteList bytes(size);
    unsigned value = 0;
    for (std::byte& byte : bytes) {
        if (random() % run == 0)
            value = random() % values;
        byte = static_cast<std::byte>(value);
    }
    return bytes;
}

/// Counts of bytes as Fibonacci's numbers: Huffman's codes for them get as long as can be.
ByteList fibonacci(std::size_t values)
{
    ByteList bytes;
    for (std::size_t value = 0, count = 1, next = 1; value < values; ++value) {
        for (std::size_t i = 0; i < count; ++i) {
            bytes.push_back(static_cast<std::byte>(value));
            bytes.push_back(std::byte{200}); // no runs
        }
        count = std::exchange(next, count + next);
    }
    std::shuffle(bytes.begin(), bytes.end(), std::mt19937(1));
    return bytes;
}

double kraftSum(const std::vector<std::uint8_t>& lengths)
{
    double sum = 0;
    for (const std::uint8_t length : lengths)
        sum += length > 0 ? std::ldexp(1, -length) : 0;
    return sum;
}

} // namespace

class TestRunDeflate : public QObject {
    Q_OBJECT

private slots:
    void isReadByInflate_data()
    {
        QTest::addColumn<unsigned>("run");
        QTest::addColumn<unsigned>("values");
        QTest::addRow("noise") << 1u << 256u;
        QTest::addRow("few values") << 1u << 3u;
        QTest::addRow("short runs") << 3u << 256u;
        QTest::addRow("long runs") << 700u << 2u;
        QTest::addRow("one value") << 1u << 1u;
    }
    void isReadByInflate()
    {
        QFETCH(unsigned, run);
        QFETCH(unsigned, values);
        for (const std::size_t size :
             {0, 1, 2, 3, 4, 5, 257, 258, 259, 260, 261, 517, 4096, 65535, 65536, 65537, 131072, 300'001}) {
            const ByteList bytes = runs(size, run, values);
            for (const std::size_t piece : {size, size / 4 + 1, std::size_t{1} << 15})
                QVERIFY2(inflated(compressed(bytes, piece), size) == bytes,
                         qPrintable(QString::number(size)));
        }
    }

    void codesLongRunsOfEveryLength()
    {
        ByteList bytes;
        for (std::size_t length = 1; length < 700; ++length)
            bytes.insert(bytes.end(), length, static_cast<std::byte>(length));
        QVERIFY(inflated(compressed(bytes, bytes.size()), bytes.size()) == bytes);
    }

    void keepsCodesWithinFifteenBits()
    {
        const ByteList bytes = fibonacci(22);
        QVERIFY(inflated(compressed(bytes, bytes.size()), bytes.size()) == bytes);
    }

    void givesOptimalCodesThatAreComplete()
    {
        // Lengths of Huffman's example with weights 1, 1, 2, 3, 5: 4 4 3 2 1.
        const std::vector<std::uint32_t> weights{1, 1, 2, 3, 5, 0};
        QCOMPARE(codeLengths(weights, 15), (std::vector<std::uint8_t>{4, 4, 3, 2, 1, 0}));
        // With three bits at most another code is needed; it must be complete too.
        const auto limited = codeLengths(weights, 3);
        QCOMPARE(kraftSum(limited), 1.0);
        QVERIFY(*std::max_element(limited.begin(), limited.end()) == 3);
        std::mt19937 random(3);
        for (int round = 0; round < 300; ++round) {
            std::vector<std::uint32_t> counts(286);
            for (std::uint32_t& count : counts)
                count = random() % 3 == 0 ? 0 : 1u << random() % 31;
            const auto lengths = codeLengths(counts, 15);
            QCOMPARE(kraftSum(lengths), 1.0);
            QVERIFY(*std::max_element(lengths.begin(), lengths.end()) <= 15);
        }
    }

    void givesASingleSymbolOneBit()
    {
        const std::vector<std::uint32_t> counts{0, 7, 0};
        QCOMPARE(codeLengths(counts, 15), (std::vector<std::uint8_t>{0, 1, 0}));
    }

    void isAlmostNothingForOneValue() { QVERIFY(compressed(ByteList(131072), 131072).size() < 250); }
};

QTEST_APPLESS_MAIN(TestRunDeflate)
#include "tst_run_deflate.moc"
