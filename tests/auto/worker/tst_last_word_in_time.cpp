#include <QTemporaryDir>
#include <QTest>

#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "engine/base/file.h"
#include "engine/comm/work.h"
#include "engine/worker/final_event_writer.h"
#include "engine/worker/rank_log.h"

using namespace trainyard;

namespace fs = std::filesystem;

/// A last word that cannot be written: the log is a pipe that is full, as a disk that no longer responds.
class TestLastWordInTime : public QObject {
    Q_OBJECT

private slots:
    void theProcessEndsAllTheSame()
    {
        const QTemporaryDir folder;
        const fs::path log = fs::path(folder.path().toStdString()) / "log";
        QCOMPARE(::mkfifo(log.c_str(), 0600), 0);
        const FileDescriptor reader(::open(log.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
        QVERIFY(reader.valid());
        const pid_t child = ::fork();
        if (child == 0) {
            const RankLog rankLog = RankLog::redirect(log, "begins").value();
            const FinalEventWriter finalEventWriter(Rank(0), rankLog);
            fill(log);
            std::thread([] { throw CommunicationError("remote process exited"); }).join();
        }
        int status = 0;
        QCOMPARE(::waitpid(child, &status, 0), child);
        QVERIFY(WIFEXITED(status));
        QCOMPARE(WEXITSTATUS(status), exitStatus(ErrorKind::Unreachable));
    }

private:
    static void fill(const fs::path& pipe)
    {
        const FileDescriptor writer(::open(pipe.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC));
        const std::string text(4096, ' ');
        while (::write(writer.get(), text.data(), text.size()) > 0)
            continue;
        while (::write(writer.get(), text.data(), 1) > 0)
            continue;
    }
};

QTEST_GUILESS_MAIN(TestLastWordInTime)
#include "tst_last_word_in_time.moc"
