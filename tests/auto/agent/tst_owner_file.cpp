#include <QTemporaryDir>
#include <QTest>

#include <atomic>
#include <fcntl.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "engine/base/file.h"
#include "remote/agent/host/machine.h"
#include "remote/agent/host/process_table.h"
#include "remote/agent/store/owner_file.h"

using namespace trainyard;
using namespace trainyard::agent;
namespace fs = std::filesystem;

class TestOwnerFile : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_dir = std::make_unique<QTemporaryDir>();
        m_path = fs::path(m_dir->path().toStdString()) / "part.owner";
    }

    void onlyOneHasItAtATime()
    {
        {
            const auto first = OwnerFile::tryAcquire(m_path).value();
            QVERIFY(first);
            QVERIFY(!OwnerFile::tryAcquire(m_path).value());
            QCOMPARE(claims(), 1);
        }
        QCOMPARE(claims(), 0);
        QVERIFY(OwnerFile::tryAcquire(m_path).value());
    }

    void takesOverFromTheDead_data()
    {
        QTest::addColumn<bool>("thisHost");
        QTest::addColumn<bool>("thisBoot");
        QTest::addColumn<bool>("living");
        QTest::addColumn<int>("ageSeconds");
        QTest::addColumn<bool>("taken");
        QTest::addRow("process gone") << true << true << false << 0 << true;
        QTest::addRow("process at work") << true << true << true << 0 << false;
        QTest::addRow("its number used again") << true << true << true << -1 << true;
        QTest::addRow("another boot, long ago") << true << false << false << 300 << true;
        QTest::addRow("another boot, just now: it may be another machine of this name")
            << true << false << false << 0 << false;
        QTest::addRow("another host at work") << false << false << false << 5 << false;
        QTest::addRow("another host, silent") << false << false << false << 61 << true;
    }
    void takesOverFromTheDead()
    {
        QFETCH(bool, thisHost);
        QFETCH(bool, thisBoot);
        QFETCH(bool, living);
        QFETCH(int, ageSeconds);
        QFETCH(bool, taken);
        std::uint64_t start = processId(::getpid())->startTime;
        if (ageSeconds < 0)
            start -= 1;
        const nlohmann::json owner{{"host", thisHost ? hostName() : "another"},
                                   {"boot_id", thisBoot ? bootId() : "e0a5cc39-0000-4000-8000-000000000000"},
                                   {"pid", living ? ::getpid() : 0x3fffffff},
                                   {"start", start},
                                   {"number", 1}};
        const fs::path other = claim(7);
        QVERIFY(writeFileAtomically(other, owner.dump()).ok());
        age(other, std::max(ageSeconds, 0));
        const auto mine = OwnerFile::tryAcquire(m_path).value();
        QCOMPARE(mine.has_value(), taken);
        QCOMPARE(fs::exists(other), !taken);
        QCOMPARE(claims(), 1);
    }

    /// What a crash left before the name of its owner was written.
    void anEmptyFileIsSomebodysUntilItIsOld()
    {
        QVERIFY(writeFileAtomically(claim(1), "").ok());
        QVERIFY(!OwnerFile::tryAcquire(m_path).value());
        age(claim(1), 61);
        QVERIFY(OwnerFile::tryAcquire(m_path).value());
    }

    /// As a candidate leaves it that died before it looked whether others came.
    void aDeadClaimAboveALivingOneIsNoLicence()
    {
        const auto living = OwnerFile::tryAcquire(m_path).value();
        QVERIFY(writeFileAtomically(claim(5), "{\"host\": \"another\"}").ok());
        age(claim(5), 100);
        QVERIFY(!OwnerFile::tryAcquire(m_path).value());
    }

    void namesOfOtherThingsAreNoClaims()
    {
        for (const char* name :
             {"part.owner", "part.owner.", "part.owner.1x", "part.owner.-1", "part.owner2.1"})
            QVERIFY(writeFileAtomically(m_path.parent_path() / name, "").ok());
        QVERIFY(OwnerFile::tryAcquire(m_path).value());
        QCOMPARE(claims(), 5);
    }

    /// Of those who start together one gets it; of those who come while it changes hands none beside it.
    void neverTwoHaveIt()
    {
        for (int round = 0; round < 300; ++round) {
            QVERIFY(writeFileAtomically(claim(1), "{\"host\": \"another\"}").ok());
            age(claim(1), 100);
            std::atomic<int> owners{0}, holders{0}, most{0};
            std::vector<std::thread> threads;
            for (int i = 0; i < 6; ++i) {
                threads.emplace_back([&, i] {
                    std::this_thread::sleep_for(std::chrono::microseconds(i % 3 * 100));
                    const auto mine = OwnerFile::tryAcquire(m_path).value();
                    if (!mine)
                        return;
                    ++holders;
                    for (int now = ++owners, seen = most;
                         seen < now && !most.compare_exchange_weak(seen, now);)
                        ;
                    std::this_thread::sleep_for(std::chrono::microseconds(200));
                    --owners;
                });
            }
            for (std::thread& thread : threads)
                thread.join();
            QCOMPARE(most.load(), 1);
            QVERIFY(holders >= 1);
            QCOMPARE(claims(), 0);
        }
    }

private:
    fs::path claim(int number) const { return fs::path(m_path) += "." + std::to_string(number); }
    long claims() const { return std::distance(fs::directory_iterator(m_path.parent_path()), {}); }

    static void age(const fs::path& file, int seconds)
    {
        const timespec time{::time(nullptr) - seconds, 0};
        const timespec both[] = {time, time};
        QCOMPARE(::utimensat(AT_FDCWD, file.c_str(), both, 0), 0);
    }

    std::unique_ptr<QTemporaryDir> m_dir;
    fs::path m_path;
};

QTEST_GUILESS_MAIN(TestOwnerFile)
#include "tst_owner_file.moc"
