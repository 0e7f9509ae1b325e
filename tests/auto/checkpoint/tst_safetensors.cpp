#include <QTemporaryDir>
#include <QTest>

#include <array>
#include <filesystem>
#include <fstream>

#include "engine/base/file.h"
#include "engine/checkpoint/format/safetensors.h"

using namespace trainyard;
namespace fs = std::filesystem;

namespace {

constexpr std::array<float, 6> kMatrix{1, 2, 3, 4, 5, 6};
constexpr std::array<std::int64_t, 2> kIds{-7, 1L << 40};

std::vector<TensorBytes> someTensors()
{
    return {{"matrix", ElementType::F32, {2, 3}, std::as_bytes(std::span(kMatrix))},
            {"empty", ElementType::BF16, {0, 5}, {}},
            {"ids", ElementType::I64, {2}, std::as_bytes(std::span(kIds))}};
}

// A file with that header and 8 bytes of data.
std::string fileWith(const std::string& header)
{
    const std::uint64_t length = header.size();
    return std::string(reinterpret_cast<const char*>(&length), sizeof length) + header + "12345678";
}

} // namespace

class TestSafetensors : public QObject {
    Q_OBJECT

private slots:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void readsWhatItWrote()
    {
        QVERIFY(writeSafetensors(path(), someTensors(), {{"format", "pt"}}).ok());
        const SafetensorsFile file = SafetensorsFile::open(path()).value();
        QCOMPARE(file.tensors().size(), std::size_t(3));
        QCOMPARE(file.metadata().at("format"), std::string("pt"));
        for (const TensorBytes& written : someTensors()) {
            const TensorBytes* read = file.find(written.name);
            QVERIFY(read && read->type == written.type && read->shape == written.shape);
            QVERIFY(std::ranges::equal(read->bytes, written.bytes));
        }
        QVERIFY(!file.find("other"));
    }

    void tellsWhereItPutTheData()
    {
        const auto written = writeSafetensors(path(), someTensors()).value();
        const std::string bytes = readFile(path()).value();
        QCOMPARE(written[0].offset % 64, std::uint64_t(0));
        QCOMPARE(std::memcmp(bytes.data() + written[2].offset, kIds.data(), sizeof kIds), 0);
    }

    void refusesEveryTruncation()
    {
        QVERIFY(writeSafetensors(path(), someTensors()).ok());
        const std::string whole = readFile(path()).value();
        for (std::size_t length = 0; length < whole.size(); length += length < 64 ? 1 : 5) {
            write(whole.substr(0, length));
            const auto file = SafetensorsFile::open(path());
            QVERIFY2(!file.ok(), qPrintable(QString::number(length)));
            QCOMPARE(file.error().kind, ErrorKind::BadInput);
            QVERIFY(file.error().message.find(path().string()) != std::string::npos);
        }
    }

    void survivesEveryFlippedBit()
    {
        QVERIFY(writeSafetensors(path(), someTensors()).ok());
        const std::string whole = readFile(path()).value();
        for (std::size_t bit = 0; bit < 8 * whole.size(); bit += 3) {
            std::string damaged = whole;
            damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
            write(damaged);
            const auto file = SafetensorsFile::open(path()); // refused or read, but never outside its bytes
            if (!file.ok())
                continue;
            for (const TensorBytes& tensor : file->tensors()) {
                for (const std::byte byte : tensor.bytes)
                    m_sink = m_sink ^ byte;
            }
        }
    }

    void namesTheTensorThatIsWrong_data()
    {
        QTest::addColumn<QString>("header");
        QTest::addRow("type") << R"({"t":{"dtype":"Q7","shape":[2],"data_offsets":[0,8]}})";
        QTest::addRow("outside") << R"({"t":{"dtype":"F32","shape":[4],"data_offsets":[0,16]}})";
        QTest::addRow("reversed") << R"({"t":{"dtype":"F32","shape":[1],"data_offsets":[8,4]}})";
        QTest::addRow("size") << R"({"t":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})";
        QTest::addRow("negative") << R"({"t":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}})";
        QTest::addRow("overflow")
            << R"({"t":{"dtype":"F32","shape":[4611686018427387906],"data_offsets":[0,8]}})";
        QTest::addRow("no shape") << R"({"t":{"dtype":"F32","data_offsets":[0,8]}})";
        QTest::addRow("not an object") << R"({"t":3})";
    }
    void namesTheTensorThatIsWrong()
    {
        QFETCH(QString, header);
        QVERIFY(writeFileAtomically(path(), fileWith(header.toStdString())).ok());
        const auto file = SafetensorsFile::open(path());
        QVERIFY(!file.ok());
        QVERIFY2(file.error().message.find("tensor t:") != std::string::npos, file.error().message.c_str());
    }

private:
    fs::path path() const { return fs::path(m_folder->path().toStdString()) / "file.safetensors"; }

    // Without fsync: thousands of these are written.
    void write(const std::string& bytes) const { std::ofstream(path(), std::ios::binary) << bytes; }

    std::unique_ptr<QTemporaryDir> m_folder;
    volatile std::byte m_sink{};
};

QTEST_APPLESS_MAIN(TestSafetensors)
#include "tst_safetensors.moc"
