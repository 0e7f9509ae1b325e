#include <filesystem>
#include <memory>
#include <set>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/process.h"
#include "remote/agent/runs/run_status.h"
#include "tests/auto/agent/run_checks.h"

#include <QTemporaryDir>

using namespace trainyard;
using namespace trainyard::agent;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

constexpr uid_t kFirstUser = 64'001; // numbers that no account has

/// OpenMPI's folders of runs in /dev/shm that belong to this user.
std::set<std::string> sessionsOf(uid_t user)
{
    std::set<std::string> names;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator("/dev/shm", ignored)) {
        struct stat info {};
        const std::string name = entry.path().filename().string();
        if (name.starts_with("trainyard-") && ::stat(entry.path().c_str(), &info) == 0 && info.st_uid == user)
            names.insert(name);
    }
    return names;
}

/// A user with a home, an agent and a run of two ranks. All users give their run the same id.
class User {
public:
    User(const fs::path& place, int number)
        : m_uid(kFirstUser + static_cast<uid_t>(number)), m_home(place / ("home" + std::to_string(number)))
    {
        fs::create_directory(m_home);
        (void)!::chown(m_home.c_str(), m_uid, m_uid);
        const std::string id = std::to_string(m_uid);
        m_agent = std::make_unique<AgentClient>(
            m_home / ".trainyard", std::vector<std::string>{"--local"}, AgentClient::Greeting::Send,
            std::vector<std::string>{"setpriv", "--reuid=" + id, "--regid=" + id, "--clear-groups", "env",
                                     "HOME=" + m_home.string(), "USER=user" + id},
            place / "trainyard-agent");
    }

    uid_t uid() const { return m_uid; }
    AgentClient& agent() { return *m_agent; }
    RunFolder folder() const { return {m_home / ".trainyard", RunFixture::name()}; }

    json launch(const RunFixture& run, const fs::path& programs)
    {
        m_agent->call(run.createRequest());
        json request = run.launchRequest("train", 1, 2);
        request["programs"] = programs.string();
        return m_agent->call(request);
    }
    RunStatus status() const { return readStatus(folder()).value_or(RunStatus{}); }

private:
    uid_t m_uid;
    fs::path m_home;
    std::unique_ptr<AgentClient> m_agent;
};

} // namespace

/// Two people on one host. Run ids are made so that they differ; here they are equal on purpose.
class TestTwoUsers : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (::geteuid() != 0 || programInPath("setpriv").empty())
            QSKIP("needs root and setpriv to act as two users");
        if (programInPath("mpirun").empty())
            QSKIP("needs mpirun");
    }

    void theirRunsDoNotMeet()
    {
        QTemporaryDir folder("/var/tmp/trainyard-users-XXXXXX");
        const fs::path place = folder.path().toStdString();
        fs::permissions(place, fs::perms(0755));
        // Others may not look into the folders of a build.
        fs::copy_file(AgentClient::kProgram, place / "trainyard-agent");
        fs::copy_file(fs::path(TRAINYARD_FAKE_PROGRAMS) / "trainyard-worker", place / "trainyard-worker");
        const RunFixture run(1'000'000, 2);
        User anna(place, 0);
        User bert(place, 1);
        for (User* user : {&anna, &bert}) {
            const json launched = user->launch(run, place);
            QVERIFY2(launched.value("started", false), launched.dump().c_str());
            QVERIFY(run.waitUntil([user] { return user->status().state == RunState::Running; }));
        }
        const auto ofAnna = sessionsOf(anna.uid());
        const auto ofBert = sessionsOf(bert.uid());
        QCOMPARE(ofAnna.size(), std::size_t(1));
        QCOMPARE(ofBert.size(), std::size_t(1));
        QVERIFY(ofAnna != ofBert);

        QVERIFY(anna.agent().call(kStop).value("clean", false));
        QCOMPARE(anna.status().state, RunState::Stopped);
        QVERIFY(sessionsOf(anna.uid()).empty());
        QCOMPARE(sessionsOf(bert.uid()), ofBert);
        QCOMPARE(bert.status().state, RunState::Running);
        const auto step = bert.status().step;
        QVERIFY(run.waitUntil([&] { return bert.status().step > step; })); // it still computes

        QCOMPARE(fs::status(anna.folder().agentRoot()).permissions() & fs::perms(0077), fs::perms::none);
        QVERIFY(bert.agent().call(kStop).value("clean", false));
        QVERIFY(sessionsOf(bert.uid()).empty());
    }
};

QTEST_GUILESS_MAIN(TestTwoUsers)
#include "tst_two_users.moc"
