#include <QTemporaryDir>
#include <QTest>

#include <random>

#include "engine/checkpoint/format/direct_file.h"

using namespace trainyard;

namespace {

std::string madeUpText(std::size_t bytes)
{
    std::mt19937 random(static_cast<unsigned>(bytes));
    std::string text(bytes, '\0');
    for (char& c : text)
        c = static_cast<char>(random());
    return text;
}

Status writeInParts(const std::filesystem::path& path, std::string_view text, std::size_t part)
{
    TRAINYARD_TRY(DirectFile file, DirectFile::create(path, text.size()));
    for (std::size_t first = 0; first < text.size(); first += part)
        TRAINYARD_TRY_STATUS(file.append(text.substr(first, part)));
    return file.finish();
}

} // namespace

class TestDirectFile : public QObject {
    Q_OBJECT

private slots:
    void holdsExactlyWhatWasAppended_data()
    {
        QTest::addColumn<int>("bytes");
        QTest::addColumn<int>("part");
        QTest::newRow("nothing") << 0 << 1;
        QTest::newRow("less than a block") << 100 << 7;
        QTest::newRow("a block") << 4096 << 4096;
        QTest::newRow("just less than a piece") << (8 << 20) - 1 << 1'000'003;
        QTest::newRow("a piece") << (8 << 20) << (8 << 20);
        QTest::newRow("pieces and a rest") << (20 << 20) + 13 << 3'000'001;
        QTest::newRow("all at once") << (17 << 20) + 4097 << (17 << 20) + 4097;
    }
    void holdsExactlyWhatWasAppended()
    {
        QFETCH(int, bytes);
        QFETCH(int, part);
        const QTemporaryDir folder;
        const std::filesystem::path path = folder.filePath("file").toStdString();
        const std::string text = madeUpText(std::size_t(bytes));
        QVERIFY(writeInParts(path, text, std::size_t(part)).ok());
        QVERIFY(readFile(path).value() == text);
    }

    void saysWhyItCannotWrite_data()
    {
        QTest::addColumn<int>("bytes");
        QTest::newRow("less than a piece") << 1000;
        QTest::newRow("several pieces") << (20 << 20);
    }
    void saysWhyItCannotWrite()
    {
        QFETCH(int, bytes);
        const Status status = writeInParts("/dev/full", madeUpText(std::size_t(bytes)), 1 << 20);
        QVERIFY(!status.ok());
        QVERIFY2(status.error().message.find("No space left") != std::string::npos,
                 status.error().message.c_str());
        QVERIFY(!DirectFile::create("/nowhere/file", 1).ok());
    }
};

QTEST_APPLESS_MAIN(TestDirectFile)
#include "tst_direct_file.moc"
