#include <QTest>

#include <bzlib.h>
#include <optional>
#include <random>

#include "corpus_fixture.h"
#include "datasets/input/bzip2_source.h"

using namespace trainyard;

namespace {

/// What libbz2 makes of the file, stream after stream; nothing where it finds fault with it.
std::optional<std::string> byLibrary(const std::string& bytes)
{
    std::string out;
    std::vector<char> buffer(1 << 20);
    bz_stream stream{};
    stream.next_in = const_cast<char*>(bytes.data());
    stream.avail_in = static_cast<unsigned>(bytes.size());
    while (stream.avail_in > 0) {
        if (out.size() > 0 && std::string(stream.next_in, std::min(3u, stream.avail_in)) != "BZh")
            return out; // garbage behind the end, as the program bzip2 does
        if (BZ2_bzDecompressInit(&stream, 0, 0) != BZ_OK)
            return std::nullopt;
        int status = BZ_OK;
        while (status == BZ_OK) {
            stream.next_out = buffer.data();
            stream.avail_out = static_cast<unsigned>(buffer.size());
            status = BZ2_bzDecompress(&stream);
            out.append(buffer.data(), buffer.size() - stream.avail_out);
            if (status == BZ_OK && stream.avail_in == 0 && stream.avail_out > 0)
                status = BZ_UNEXPECTED_EOF;
        }
        BZ2_bzDecompressEnd(&stream);
        if (status != BZ_STREAM_END)
            return std::nullopt;
    }
    return out;
}

class Bits {
public:
    explicit Bits(const std::string& bytes)
    {
        for (const char byte : bytes) {
            for (int bit = 7; bit >= 0; --bit)
                m_bits.push_back((byte >> bit & 1) != 0);
        }
    }
    unsigned number(std::size_t at, std::size_t count) const
    {
        unsigned value = 0;
        for (std::size_t i = 0; i < count; ++i)
            value = value << 1 | (m_bits.at(at + i) ? 1 : 0);
        return value;
    }
    void setNumber(std::size_t at, std::size_t count, unsigned value)
    {
        for (std::size_t i = 0; i < count; ++i)
            m_bits.at(at + i) = (value >> (count - 1 - i) & 1) != 0;
    }
    void insert(std::size_t at, const std::vector<bool>& bits)
    {
        m_bits.insert(m_bits.begin() + static_cast<std::ptrdiff_t>(at), bits.begin(), bits.end());
    }
    std::string bytes() const
    {
        std::string all((m_bits.size() + 7) / 8, '\0');
        for (std::size_t i = 0; i < m_bits.size(); ++i)
            all[i / 8] = static_cast<char>(all[i / 8] | (m_bits[i] ? 0x80 >> i % 8 : 0));
        return all;
    }

private:
    std::vector<bool> m_bits;
};

std::vector<bool> digits(std::uint64_t number)
{
    std::vector<bool> bits;
    for (int bit = 47; bit >= 0; --bit)
        bits.push_back((number >> bit & 1) != 0);
    return bits;
}

/// A stream of one block in which a magic number stands, as the numbers of codes for groups of symbols that
/// the block does not have.
std::string withMagicInside(const std::string& text, std::uint64_t magic, std::size_t zerosBefore)
{
    Bits bits(bzip2(text));
    constexpr std::size_t kMap = 32 + 48 + 32 + 1 + 24;
    std::size_t at = kMap + 16 + 16 * static_cast<std::size_t>(std::popcount(bits.number(kMap, 16)));
    const std::size_t selectors = bits.number(at + 3, 15);
    std::vector<bool> more(zerosBefore, false);
    const std::vector<bool> number = digits(magic);
    more.insert(more.end(), number.begin(), number.end());
    more.push_back(false);
    bits.setNumber(at + 3, 15, static_cast<unsigned>(selectors + std::ranges::count(more, false)));
    at += 18;
    for (std::size_t i = 0; i < selectors; ++at)
        i += bits.number(at, 1) == 0;
    bits.insert(at, more);
    return bits.bytes();
}

std::string randomText(std::size_t size, unsigned letters, unsigned seed)
{
    std::mt19937 random(seed);
    std::string text(size, ' ');
    for (char& c : text)
        c = static_cast<char>(random() % letters);
    return text;
}

constexpr std::uint64_t kBlockMagic = 0x314159265359;
constexpr std::uint64_t kStreamEndMagic = 0x177245385090;

} // namespace

class TestBzip2 : public QObject {
    Q_OBJECT

private slots:
    void init() { m_folder = std::make_unique<CorpusFolder>(); }

    void decompressesWhatTheLibraryCompressed_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<int>("level");
        const auto row = [](const char* name, const std::string& text, int level) {
            QTest::addRow("%s", name) << QByteArray::fromStdString(text) << level;
        };
        row("a byte", "x", 1);
        row("equal bytes", std::string(3'000'000, 'x'), 9);
        for (const std::size_t size : {2, 3, 4, 5, 258, 259, 260, 261})
            row(qPrintable(QString("%1 equal bytes").arg(size)), std::string(size, '\0'), 1);
        std::string periodic;
        for (int i = 0; i < 100'000; ++i)
            periodic += "abc";
        row("periodic", periodic, 1);
        row("nearly periodic", periodic + "x", 9);
        row("all bytes", randomText(2'500'000, 256, 3), 9);
        row("two bytes", randomText(1'000'000, 2, 4), 9);
        row("few bytes", randomText(700'000, 7, 5), 1);
        std::string runs;
        for (unsigned i = 0; i < 5000; ++i)
            runs += std::string(i * 7919 % 700, static_cast<char>(i % 5));
        row("runs", runs, 2);
        std::string skewed; // so that codes are long
        for (int i = 0; i < 18; ++i)
            skewed += randomText(std::size_t{1} << i, static_cast<unsigned>(256 - i * 13), 6);
        row("skewed", skewed, 9);
        for (int level = 1; level <= 9; ++level)
            row(qPrintable(QString("level %1").arg(level)), randomText(1'000'003, 30, 8), level);
    }
    void decompressesWhatTheLibraryCompressed()
    {
        QFETCH(QByteArray, text);
        QFETCH(int, level);
        for (const int threads : {1, 3}) {
            const auto read = decompressed(bzip2(text.toStdString(), level), threads);
            QVERIFY2(read.ok(), read.ok() ? "" : read.error().text().c_str());
            QVERIFY(read.value() == text.toStdString());
        }
    }

    void isNotMisledByMagicNumbersInBlocks()
    {
        const std::string text = randomText(1500, 40, 9);
        for (const std::uint64_t magic : {kBlockMagic, kStreamEndMagic}) {
            for (std::size_t shift = 0; shift < 8; ++shift) {
                const std::string stream = withMagicInside(text, magic, shift);
                QCOMPARE(byLibrary(stream), std::optional(text)); // the stream itself is right
                std::string several;
                for (int i = 0; i < 20; ++i)
                    several += stream;
                const auto read = decompressed(several, 1 + static_cast<int>(shift) % 3);
                QVERIFY2(read.ok(), read.ok() ? "" : read.error().text().c_str());
                QCOMPARE(read->size(), 20 * text.size());
                QVERIFY(read->ends_with(text));
            }
        }
    }

    void endsWhereTheLibraryDoes_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        const std::string one = bzip2("one"), two = bzip2("two");
        QTest::addRow("zeros behind") << QByteArray::fromStdString(one + two + std::string(900, '\0'));
        QTest::addRow("much behind") << QByteArray::fromStdString(one + std::string(10'000'000, '\0'));
        QTest::addRow("text behind") << QByteArray::fromStdString(one + "BZip");
        QTest::addRow("empty streams") << QByteArray::fromStdString(one + bzip2("") + bzip2("") + two);
    }
    void endsWhereTheLibraryDoes()
    {
        QFETCH(QByteArray, bytes);
        const auto expected = byLibrary(bytes.toStdString());
        QVERIFY(expected);
        QCOMPARE(decompressed(bytes.toStdString()).value(), *expected);
    }

    void noticesDamageBetweenStreams()
    {
        std::string bytes = bzip2("one") + bzip2("two");
        bytes[bzip2("one").size()] = 'b';
        QVERIFY(decompressed(bytes).error().text().find("damaged") != std::string::npos);
    }

    /// Every place of a file with several streams and blocks.
    void noticesTruncation()
    {
        const std::string whole =
            bzip2("a small one") + bzip2("") + bzip2(randomText(2000, 50, 10)) + bzip2("last");
        int wholeStreams = 0;
        for (std::size_t size = 5; size < whole.size(); ++size) {
            const auto read = decompressed(whole.substr(0, size));
            if (read.ok()) {
                ++wholeStreams;
                QCOMPARE(byLibrary(whole.substr(0, size)), std::optional(read.value()));
            } else {
                QVERIFY2(read.error().text().find("ends unexpectedly") != std::string::npos,
                         read.error().text().c_str());
            }
        }
        QCOMPARE(wholeStreams, 3);
    }

    void noticesFlippedBits()
    {
        std::string whole = bzip2(randomText(300, 60, 11)) + bzip2("second") + bzip2(std::string(999, 'x'));
        std::mt19937 random(12);
        for (int round = 0; round < 1500; ++round) {
            const std::size_t bit = random() % (whole.size() * 8);
            std::string damaged = whole;
            damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (0x80 >> bit % 8));
            const auto expected = byLibrary(damaged);
            const auto read = decompressed(damaged);
            // A header that is garbage behind the first stream ends the file for libbz2; here it is damage.
            if (expected && read.ok())
                QVERIFY2(read.value() == *expected, qPrintable(QString::number(bit)));
            else
                QVERIFY2(!read.ok(), qPrintable(QString::number(bit)));
        }
    }

    void survivesAnyBytes()
    {
        std::mt19937 random(13);
        const std::string block = bzip2(randomText(5000, 100, 14));
        for (int round = 0; round < 300; ++round) {
            std::string bytes = block;
            for (std::size_t i = 14 + random() % 60; i < bytes.size(); i += 1 + random() % 40)
                bytes[i] = static_cast<char>(random());
            QVERIFY(!decompressed(bytes).ok());
        }
    }

private:
    Result<std::string> decompressed(const std::string& bytes, int threads = 2)
    {
        TRAINYARD_TRY(RawFile file, RawFile::open(m_folder->file(bytes)));
        TRAINYARD_TRY(auto source,
                      Bzip2Source::open(std::move(file), std::make_shared<ThreadBudget>(threads), 0));
        std::string all;
        for (;;) {
            TRAINYARD_TRY(const auto chunk, source->next());
            if (!chunk)
                return all;
            all += chunk->bytes;
        }
    }

    std::unique_ptr<CorpusFolder> m_folder;
};

QTEST_APPLESS_MAIN(TestBzip2)
#include "tst_bzip2.moc"
