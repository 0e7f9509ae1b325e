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
        }
        QVERIFY(!fs::exists(m_path));
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
        QVERIFY(writeFileAtomically(m_path, owner.dump()).ok());
        age(std::max(ageSeconds, 0));
        const auto mine = OwnerFile::tryAcquire(m_path).value();
        QCOMPARE(mine.has_value(), taken);
        QCOMPARE(readFile(m_path).value() == owner.dump(), !taken);
        QCOMPARE(std::distance(fs::directory_iterator(m_path.parent_path()), {}), 1);
    }

    /// What a crash left before the name of its owner was written.
    void anEmptyFileIsSomebodysUntilItIsOld()
    {
        QVERIFY(writeFileAtomically(m_path, "").ok());
        QVERIFY(!OwnerFile::tryAcquire(m_path).value());
        age(61);
        QVERIFY(OwnerFile::tryAcquire(m_path).value());
    }

    void oneOfManyTakesOver()
    {
        for (int round = 0; round < 100; ++round) {
            QVERIFY(writeFileAtomically(m_path, "{\"host\": \"another\"}").ok());
            age(100);
            std::atomic<int> owners{0}, most{0};
            std::vector<std::thread> threads;
            for (int i = 0; i < 4; ++i) {
                threads.emplace_back([&] {
                    const auto mine = OwnerFile::tryAcquire(m_path).value();
                    if (!mine)
                        return;
                    most = std::max(most.load(), ++owners);
                    std::this_thread::sleep_for(std::chrono::milliseconds(2));
                    --owners;
                });
            }
            for (std::thread& thread : threads)
                thread.join();
            QCOMPARE(most.load(), 1);
            fs::remove(m_path);
        }
    }

private:
    void age(int seconds) const
    {
        const timespec time{::time(nullptr) - seconds, 0};
        const timespec both[] = {time, time};
        QCOMPARE(::utimensat(AT_FDCWD, m_path.c_str(), both, 0), 0);
    }

    std::unique_ptr<QTemporaryDir> m_dir;
    fs::path m_path;
};

QTEST_GUILESS_MAIN(TestOwnerFile)
#include "tst_owner_file.moc"
