// Before Qt, whose macro "slots" would cut a field of that name.
#include "engine/base/lock_file.h"
#include "engine/records/fence.h"
#include "engine/spec/spec_json.h"
#include "remote/agent/runs/run_status.h"
#include "remote/agent/slurm/queue_watch.h"
#include "tests/auto/agent/agent_client.h"

#include <QTemporaryDir>
#include <QTest>

#include <fmt/format.h>

using namespace trainyard;
using namespace trainyard::agent;

namespace fs = std::filesystem;

/// Moments of a batch job that a real Slurm does not hold still for: its commands are scripts here.
class TestSlurmJobs : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_place = std::make_unique<QTemporaryDir>();
        const fs::path commands = place() / "commands";
        QVERIFY(makeFolder(commands).ok());
        qputenv("PATH", QByteArray::fromStdString(commands.string()) + ':' + m_path);
        QVERIFY(makeFolder(folder().path()).ok());
        RunSpec spec;
        spec.dataset.path = "/data/wiki";
        spec.launch.launcher = LauncherKind::Slurm;
        QVERIFY(writeFileAtomically(folder().spec(), toJson(spec)).ok());
        QVERIFY(writeSlurmJob(folder(), {"7", 1}).ok());
    }
    void cleanup() { qputenv("PATH", m_path); }

    void cancelsAJobWhoseRequestFindsNoRoom()
    {
        setJob("RUNNING");
        command("scontrol", fmt::format("cat '{}'", jobFile().string()));
        command("scancel", fmt::format("echo \"$@\" >> '{}'; echo 'JobId=7 JobState=CANCELLED' > '{}'",
                                       (place() / "cancelled").string(), jobFile().string()));
        QVERIFY(writeFileAtomically(folder().control(), "no folder, so nothing can be made in it").ok());
        AgentClient agent(place() / "root");
        const auto answer = agent.call({{"op", "stop"}, {"run", "r"}, {"grace_ms", 3'600'000}});
        QVERIFY2(answer.value("ok", false), answer.dump().c_str());
        QVERIFY(answer.value("clean", false));
        QCOMPARE(readFile(place() / "cancelled").value(), std::string("7\n")); // and no warning before
    }

    /// Slurm said that the job waits, and it began before that was heeded.
    void fencesNoAttemptThatBeginsWhileItAsks()
    {
        setJob("PENDING");
        sign(2);
        const fs::path second = place() / "second.json";
        fs::rename(folder().supervisorFile(), second);
        sign(1);
        command("scontrol", fmt::format("cat '{}'; mv '{}' '{}'", jobFile().string(), second.string(),
                                        folder().supervisorFile().string()));
        const auto attempt = LockFile::tryAcquire(folder().supervisorLock());
        QVERIFY(attempt.ok() && *attempt);
        const auto watch = QueueWatch::start(folder());
        QVERIFY2(watch.ok() && *watch, watch.ok() ? "watched already" : watch.error().text().c_str());
        QCOMPARE(readSupervisor(folder())->attempt, 2u);
        QCOMPARE(newestAttempt(folder().path()), 2u);
    }

private:
    fs::path place() const { return m_place->path().toStdString(); }
    RunFolder folder() const { return {place() / "root", "r"}; }
    fs::path jobFile() const { return place() / "job"; }

    void setJob(const std::string& state) const
    {
        QVERIFY(writeFileAtomically(jobFile(), "JobId=7 JobState=" + state + " Restarts=1\n").ok());
    }
    void sign(std::uint32_t attempt) const
    {
        SupervisorIdentity supervisor;
        supervisor.attempt = attempt;
        QVERIFY(writeSupervisor(folder(), supervisor).ok());
    }
    void command(const char* name, const std::string& script) const
    {
        const fs::path file = place() / "commands" / name;
        QVERIFY(writeFileAtomically(file, "#!/bin/sh\n" + script + '\n').ok());
        fs::permissions(file, fs::perms::owner_all);
    }

    const QByteArray m_path = qgetenv("PATH");
    std::unique_ptr<QTemporaryDir> m_place;
};

QTEST_GUILESS_MAIN(TestSlurmJobs)
#include "tst_slurm_jobs.moc"
