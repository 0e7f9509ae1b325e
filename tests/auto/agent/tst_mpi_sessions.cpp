#include <filesystem>
#include <fstream>

#include <QTest>
#include <unistd.h>

#include "remote/agent/runs/mpi_sessions.h"

using namespace trainyard;
using namespace trainyard::agent;

namespace fs = std::filesystem;

namespace {

constexpr uid_t kStranger = 12345;

} // namespace

/// OpenMPI's folders lie where every user of a machine may write.
class TestMpiSessions : public QObject {
    Q_OBJECT

private slots:
    void cleanup()
    {
        for (const fs::path& path : m_made)
            fs::remove_all(path);
        m_made.clear();
    }

    void namesCannotBeGuessed()
    {
        const MpiSessions sessions(m_run);
        const fs::path first = sessions.choose(7);
        QVERIFY(first != sessions.choose(7));
        QVERIFY(first.string().starts_with("/dev/shm/trainyard-"));
        QVERIFY2(first.string().size() <= 60, first.c_str()); // a host's name and a socket's follow
        QVERIFY(!fs::exists(first));
    }

    void anOccupiedNameIsPassedBy()
    {
        const MpiSessions sessions(m_run);
        const auto always = [](std::uint32_t value) { return [value] { return value; }; };
        const fs::path taken = sessions.choose(1, always(5));
        QVERIFY(fs::create_directory(taken));
        m_made.push_back(taken);
        const fs::path dangling = sessions.choose(1, always(6));
        fs::create_symlink("/nonexistent", dangling);
        m_made.push_back(dangling);
        std::uint32_t next = 5;
        const fs::path chosen = sessions.choose(1, [&] { return next++; });
        QCOMPARE(chosen, sessions.choose(1, always(7)));
    }

    void isMadeForItsOwnerAlone()
    {
        const fs::path folder = make(1);
        QCOMPARE(fs::status(folder).permissions(), fs::perms::owner_all);
        QVERIFY(MpiSessions::make(folder).ok()); // by the second node on one machine
    }

    void anotherUsersFolderIsNeitherTakenNorRemoved()
    {
        if (::geteuid() != 0)
            QSKIP("needs root to make a folder of another user's");
        const fs::path folder = make(1);
        QCOMPARE(::chown(folder.c_str(), kStranger, kStranger), 0);
        const Status made = MpiSessions::make(folder);
        QVERIFY(!made.ok());
        QVERIFY2(made.error().text().find("belongs to another user") != std::string::npos,
                 made.error().text().c_str());
        MpiSessions(m_run).removeAll();
        QVERIFY(fs::exists(folder));
    }

    void aLinkIsNotFollowed()
    {
        const fs::path target = make(9);
        const fs::path link = MpiSessions(m_run).choose(1);
        fs::create_directory_symlink(target, link);
        m_made.push_back(link);
        QVERIFY(!MpiSessions::make(link).ok());
        MpiSessions(m_run).removeUpTo(1);
        QVERIFY(fs::exists(target));
    }

    void removesWhatThisAttemptAndEarlierOnesLeft()
    {
        const fs::path first = make(1), alsoFirst = make(1), second = make(2), third = make(10);
        std::ofstream(first / "socket") << "left by a killed process";
        const MpiSessions other(m_run + "x");
        const fs::path others = other.choose(1);
        QVERIFY(MpiSessions::make(others).ok());
        m_made.push_back(others);
        MpiSessions(m_run).removeUpTo(2);
        QVERIFY(!fs::exists(first) && !fs::exists(alsoFirst) && !fs::exists(second));
        QVERIFY(fs::exists(third) && fs::exists(others));
        MpiSessions(m_run).removeAll();
        QVERIFY(!fs::exists(third) && fs::exists(others));
    }

private:
    fs::path make(std::uint32_t attempt)
    {
        const fs::path folder = MpiSessions(m_run).choose(attempt);
        [&] { QVERIFY(MpiSessions::make(folder).ok()); }();
        m_made.push_back(folder);
        return folder;
    }

    const std::string m_run = "tst-mpi-sessions-" + std::to_string(::getpid());
    std::vector<fs::path> m_made;
};

QTEST_GUILESS_MAIN(TestMpiSessions)
#include "tst_mpi_sessions.moc"
