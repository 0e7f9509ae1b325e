#include <fstream>

#include <QTemporaryDir>
#include <QTest>

#include "engine/base/file.h"
#include "remote/stream/stream_mirror.h"

using namespace trainyard;

namespace {

StepRecord step(std::int64_t number)
{
    StepRecord record;
    record.step = number;
    return record;
}

/// The bytes of a journal with records 1..count.
std::string journalBytes(const std::filesystem::path& folder, int count, const std::string& stream = "origin")
{
    auto writer = JournalWriter::open(folder, stream, 1);
    for (int i = 1; i <= count; ++i)
        (void)writer->append(step(i));
    return *readFile(folder / stream);
}

void put(const std::filesystem::path& file, const std::string& bytes)
{
    std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
}

std::vector<Record> replayAll(StreamMirror& mirror)
{
    std::vector<Record> all;
    while (!mirror.replayed()) {
        auto records = mirror.replayMore();
        if (!records.ok())
            break;
        all.insert(all.end(), records->begin(), records->end());
    }
    return all;
}

} // namespace

class TestStreamMirror : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_dir = std::make_unique<QTemporaryDir>();
        m_folder = m_dir->path().toStdString();
        m_file = m_folder / "mirror";
        m_bytes = journalBytes(m_folder, 20);
    }

    void copiesByteForByteWhateverThePieces()
    {
        for (const std::size_t piece : {1, 7, 100, 100'000}) {
            std::filesystem::remove(m_file);
            auto mirror = StreamMirror::open(m_file);
            QVERIFY(replayAll(*mirror).empty());
            std::size_t records = 0;
            for (std::size_t at = 0; at < m_bytes.size(); at += piece)
                records += mirror->append(std::string_view(m_bytes).substr(at, piece))->size();
            QCOMPARE(records, std::size_t{20});
            QCOMPARE(*readFile(m_file), m_bytes);
            QCOMPARE(mirror->validBytes(), m_bytes.size());
        }
    }

    /// Every cut and every flipped byte: what is left is a clean prefix, and the rest completes it.
    void repairsWhatACrashOrADiskSpoiled()
    {
        for (std::size_t at = 0; at < m_bytes.size(); at += 11) {
            for (const bool cut : {true, false}) {
                std::string spoiled = m_bytes;
                if (cut)
                    spoiled.resize(at);
                else
                    spoiled[at] = static_cast<char>(spoiled[at] ^ 0x40);
                put(m_file, spoiled);
                auto mirror = StreamMirror::open(m_file);
                const std::size_t before = replayAll(*mirror).size();
                QVERIFY(mirror->validBytes() <= at);
                QCOMPARE(std::filesystem::file_size(m_file), mirror->validBytes());
                const auto rest = mirror->append(std::string_view(m_bytes).substr(mirror->validBytes()));
                QVERIFY2(rest.ok(), qPrintable(QString("byte %1").arg(at)));
                QCOMPARE(before + rest->size(), std::size_t{20});
                QCOMPARE(*readFile(m_file), m_bytes);
            }
        }
    }

    void neverHoldsAHalfRecord()
    {
        auto mirror = StreamMirror::open(m_file);
        replayAll(*mirror);
        const std::string_view half = std::string_view(m_bytes).substr(0, m_bytes.size() - 5);
        QCOMPARE(mirror->append(half)->size(), std::size_t{19});
        const std::uint64_t valid = mirror->validBytes();
        QCOMPARE(std::filesystem::file_size(m_file), valid);
        mirror->dropPartialFrame(); // the link broke; the host sends from validBytes() again
        QCOMPARE(mirror->append(std::string_view(m_bytes).substr(valid))->size(), std::size_t{1});
        QCOMPARE(*readFile(m_file), m_bytes);
    }

    void remembersItsLastBytesForTheComparison()
    {
        put(m_file, m_bytes);
        auto mirror = StreamMirror::open(m_file);
        replayAll(*mirror);
        const std::size_t size = std::min(m_bytes.size(), StreamMirror::kComparedBytes);
        QCOMPARE(std::string(mirror->lastBytes()), m_bytes.substr(m_bytes.size() - size));
    }

    void isWrittenByOneOnly()
    {
        auto first = StreamMirror::open(m_file), second = StreamMirror::open(m_file);
        replayAll(*first);
        replayAll(*second);
        QCOMPARE(second->append(m_bytes)->size(), std::size_t{20});
        QCOMPARE(std::filesystem::file_size(m_file), std::uintmax_t{0});
        QCOMPARE(first->append(m_bytes)->size(), std::size_t{20});
        QCOMPARE(*readFile(m_file), m_bytes);
    }

    void keepsWhatItSetsAside()
    {
        put(m_file, m_bytes);
        auto mirror = StreamMirror::open(m_file);
        replayAll(*mirror);
        QVERIFY(mirror->setAside().ok());
        QCOMPARE(mirror->validBytes(), std::uint64_t{0});
        QCOMPARE(*readFile(m_folder / "mirror.orig"), m_bytes);
        const std::string other = journalBytes(m_folder, 3, "other");
        QCOMPARE(mirror->append(other)->size(), std::size_t{3});
        QCOMPARE(*readFile(m_file), other);
    }

    void setsAsideAJournalOfAnotherVersion()
    {
        std::string old = m_bytes;
        old[7] = '1';
        put(m_file, old);
        auto mirror = StreamMirror::open(m_file);
        QVERIFY(replayAll(*mirror).empty());
        QVERIFY(mirror->replayed());
        QCOMPARE(*readFile(m_folder / "mirror.orig"), old);
        QCOMPARE(mirror->append(m_bytes)->size(), std::size_t{20});
        QCOMPARE(*readFile(m_file), m_bytes);
    }

    void leavesTheOldOneAloneWhenItCannotBeSetAside()
    {
        put(m_file, m_bytes);
        std::filesystem::create_directories(m_folder / "mirror.orig" / "in the way");
        auto mirror = StreamMirror::open(m_file);
        replayAll(*mirror);
        QVERIFY(!mirror->setAside().ok());
        QCOMPARE(mirror->append(journalBytes(m_folder, 3, "other"))->size(), std::size_t{3});
        QCOMPARE(*readFile(m_file), m_bytes);
    }

    /// /dev/full takes no byte: the records come all the same, and the error is told.
    void showsRecordsAlsoWhenTheDeskIsFull()
    {
        std::filesystem::create_symlink("/dev/full", m_file);
        auto mirror = StreamMirror::open(m_file);
        QVERIFY(mirror.ok());
        replayAll(*mirror);
        QVERIFY(mirror->replayed());
        QCOMPARE(mirror->append(m_bytes)->size(), std::size_t{20});
        QVERIFY(!mirror->lastWriteError().ok());
    }

private:
    std::unique_ptr<QTemporaryDir> m_dir;
    std::filesystem::path m_folder, m_file;
    std::string m_bytes;
};

QTEST_APPLESS_MAIN(TestStreamMirror)
#include "tst_stream_mirror.moc"
