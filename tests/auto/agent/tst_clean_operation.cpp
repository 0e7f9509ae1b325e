#include <QTemporaryDir>
#include <QTest>

#include "engine/base/hash.h"
#include "remote/agent/host/boot_hook.h"
#include "tests/auto/agent/agent_client.h"
#include "tests/auto/agent/file_crontab.h"

using namespace trainyard;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

const json kCleanAll{{"op", "clean"}, {"all", true}, {"dry_run", false}};
const std::string kAgentHash(64, 'a');

} // namespace

/// `clean` with `all`, asked of an agent that is stored in the folder which it clears.
class TestCleanOperation : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_dir = std::make_unique<QTemporaryDir>();
        m_home = qgetenv("HOME");
        m_path = qgetenv("PATH");
        qputenv("HOME", m_dir->path().toUtf8()); // whatever this machine's user has there
        fs::create_directories(program().parent_path());
        fs::copy_file(AgentClient::kProgram, program());
    }
    void cleanup()
    {
        qputenv("HOME", m_home);
        qputenv("PATH", m_path);
    }

    void removesItselfAndAllThatItMade()
    {
        const FileCrontab crontab(folder());
        qputenv("PATH", QByteArray::fromStdString(folder().string()) + ':' + m_path);
        AgentClient agent = start();
        upload(agent, "a file");
        QVERIFY(agent::BootHook(program(), root(), crontab.program()).install({}).ok());
        QVERIFY(agent.call({{"op", "mark"}, {"mark", std::string(32, 'b')}, {"others", json::array()}})
                    .value("ok", false));
        const json answer = agent.call(kCleanAll);
        QVERIFY2(answer.value("ok", false), answer.dump().c_str());
        QCOMPARE(remains(answer), QStringList());
        QVERIFY(answer.value("freed", 0) > 0);
        QVERIFY(!fs::exists(root()));
        QVERIFY(!fs::exists(crontab.table()));
        QVERIFY(agent.call({{"op", "ping"}}).value("ok", false)); // and is still there
        QCOMPARE(agent.leave(), 0);
        QVERIFY(!fs::exists(root()));
    }

    void onlyListsInADryRun()
    {
        AgentClient agent = start();
        upload(agent, "a file");
        const json answer = agent.call({{"op", "clean"}, {"all", true}});
        QVERIFY2(answer.value("ok", false), answer.dump().c_str());
        QCOMPARE(answer["leftovers"].size(), std::size_t{2});
        QCOMPARE(remains(answer), QStringList());
        QVERIFY(fs::exists(program()));
        QCOMPARE(fs::exists(root() / "cas"), true);
    }

    void isRefusedWhileAFileArrives()
    {
        AgentClient agent = start();
        const std::string hash = sha256Hex("whole");
        const auto id = agent.send({{"op", "put"}, {"sha256", hash}, {"size", 5}, {"offset", 0}});
        agent.sendChunk(id, "who");
        (void)agent.waitForWord(id);
        const json answer = agent.call(kCleanAll);
        QCOMPARE(answer["error"].value("kind", ""), std::string("refused"));
        QVERIFY2(answer["error"].value("message", "").find(hash) != std::string::npos, answer.dump().c_str());
        agent.sendChunk(id, "le");
        QVERIFY(agent.waitForReply(id).value("stored", false));
        QVERIFY(agent.call(kCleanAll).value("ok", false));
        QVERIFY(!fs::exists(root()));
    }

    void isRefusedWhileARunIsBeingStarted()
    {
        AgentClient agent = start();
        QVERIFY(createRun(agent));
        const json answer = agent.call(kCleanAll);
        QCOMPARE(answer["error"].value("kind", ""), std::string("refused"));
        QVERIFY2(answer["error"].value("message", "").find("r1") != std::string::npos, answer.dump().c_str());
        QVERIFY(fs::exists(program()));
        QVERIFY(agent.call({{"op", "remove-run"}, {"run", "r1"}}).value("removed", false));
        QVERIFY(agent.call(kCleanAll).value("ok", false));
        QVERIFY(!fs::exists(root()));
    }

    void namesTheRunsThatItKeeps()
    {
        AgentClient agent = start();
        QVERIFY(createRun(agent));
        fs::create_directories(root() / "runs/r1/attempts/1"); // it was launched
        const json answer = agent.call(kCleanAll);
        QVERIFY2(answer.value("ok", false), answer.dump().c_str());
        QCOMPARE(remains(answer), QStringList("run r1"));
        QVERIFY(fs::exists(root() / "runs/r1/job.json"));
        QVERIFY(!fs::exists(root() / "agents"));
    }

    void keepsTheAgentOfAnotherClient()
    {
        AgentClient agent = start(), other = start();
        QVERIFY(other.call({{"op", "ping"}}).value("ok", false));
        upload(agent, "a file");
        const json answer = agent.call(kCleanAll);
        QVERIFY2(answer.value("ok", false), answer.dump().c_str());
        QCOMPARE(remains(answer), QStringList(QString::fromStdString("agent agents/" + kAgentHash)));
        QVERIFY(!fs::exists(root() / "cas") && fs::exists(program()));
        QCOMPARE(other.leave(), 0);
        QCOMPARE(remains(agent.call(kCleanAll)), QStringList());
        QVERIFY(!fs::exists(root()));
    }

    /// As a try to store an agent leaves them where no program may run.
    void removesEmptyFoldersWhereTheAgentIsNot()
    {
        fs::create_directories(folder() / ".trainyard/agents" / kAgentHash);
        AgentClient agent = start();
        QCOMPARE(remains(agent.call(kCleanAll)), QStringList());
        QVERIFY(!fs::exists(folder() / ".trainyard"));
    }

private:
    fs::path folder() const { return fs::canonical(m_dir->path().toStdString()); }
    fs::path root() const { return folder() / "root"; }
    fs::path program() const { return root() / "agents" / kAgentHash / "trainyard-agent"; }
    AgentClient start() const
    {
        return AgentClient(root(), {"--local"}, AgentClient::Greeting::Send, {}, program());
    }

    static void upload(AgentClient& agent, const std::string& content)
    {
        const auto id = agent.send(
            {{"op", "put"}, {"sha256", sha256Hex(content)}, {"size", content.size()}, {"offset", 0}});
        agent.sendChunk(id, content);
        QVERIFY(agent.waitForReply(id).value("stored", false));
    }

    static bool createRun(AgentClient& agent)
    {
        return agent
            .call({{"op", "create-run"},
                   {"run", "r1"},
                   {"kind", "prepare"},
                   {"job", {{"name", "r1"}, {"command", "prepare"}, {"arguments", json::array({"dump"})}}},
                   {"inventory", json::object()},
                   {"node", 0}})
            .value("created", false);
    }

    /// "run r1"; without the folder that this machine may have in /var/tmp.
    static QStringList remains(const json& answer)
    {
        QStringList lines;
        for (const json& entry :
             answer.value("remains", json::array({{{"kind", "no"}, {"name", "answer"}}}))) {
            const std::string name = entry.value("name", "");
            if (!name.starts_with("/var/tmp/"))
                lines << QString::fromStdString(entry.value("kind", "") + " " + name);
        }
        return lines;
    }

    std::unique_ptr<QTemporaryDir> m_dir;
    QByteArray m_home;
    QByteArray m_path;
};

QTEST_GUILESS_MAIN(TestCleanOperation)
#include "tst_clean_operation.moc"
