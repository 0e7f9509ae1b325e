#include <csignal>
#include <sys/resource.h>
#include <sys/wait.h>

#include <QTemporaryDir>
#include <QTest>

#include "engine/base/file.h"
#include "engine/base/process.h"
#include "tests/support/patience.h"

using namespace trainyard;

/// `trainyard-agent renew` between a shell, which stands for mpirun, and a command that keeps the words it is
/// sent. This process stands for the supervisor.
class TestLease : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        const std::string script = "\"" + std::string(TRAINYARD_AGENT) +
                                   "\" renew --lease-ms 800 -- sh -c 'cat > " + path("words") + "; touch " +
                                   path("ended") + "' & echo $! > " + path("pid") + "; wait";
        const auto shell = startProcess({{"sh", "-c", script}, environmentWithout({}), {}, -1, true, -1});
        QVERIFY(shell.ok());
        m_mpirun = *shell;
        AWAIT(sizeOf("words") > 0 && sizeOf("pid") > 0);
        m_renewal = std::stoi(readFile(path("pid")).value());
    }
    void cleanup()
    {
        ::kill(-m_mpirun, SIGKILL);
        ::waitpid(m_mpirun, nullptr, 0);
        m_folder.reset();
    }

    void goesOnWhileTheProcessTableCannotBeRead()
    {
        rlimit before{};
        QCOMPARE(::prlimit(m_renewal, RLIMIT_NOFILE, nullptr, &before), 0);
        const rlimit none{0, before.rlim_max};
        QCOMPARE(::prlimit(m_renewal, RLIMIT_NOFILE, &none, nullptr), 0);
        const auto then = sizeOf("words");
        AWAIT(sizeOf("words") > then + 10);
        QCOMPARE(::prlimit(m_renewal, RLIMIT_NOFILE, &before, nullptr), 0);
        QVERIFY(!std::filesystem::exists(path("ended")));
    }

    void endsTheWordsWhenMpirunIsGone()
    {
        QVERIFY(::kill(m_mpirun, SIGKILL) == 0);
        AWAIT(std::filesystem::exists(path("ended")));
    }

private:
    std::string path(const std::string& name) const { return m_folder->path().toStdString() + "/" + name; }
    std::uintmax_t sizeOf(const std::string& name) const
    {
        std::error_code error;
        const auto size = std::filesystem::file_size(path(name), error);
        return error ? 0 : size;
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    pid_t m_mpirun = 0;
    pid_t m_renewal = 0;
};

QTEST_GUILESS_MAIN(TestLease)
#include "tst_lease.moc"
