#include <QElapsedTimer>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <fstream>
#include <sys/wait.h>

#include "engine/base/processor.h"
#include "engine/base/units.h"
#include "engine/records/journal.h"
#include "tests/auto/agent/agent_client.h"
#include "tests/support/patience.h"

using namespace trainyard;
using nlohmann::json;

namespace {

std::string errorKindOf(const json& reply)
{
    return reply.is_object() && reply.contains("error") ? reply["error"].value("kind", "") : "";
}

/// A child of ours that nobody has waited for yet.
bool hasEnded(pid_t pid)
{
    siginfo_t info{};
    return ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == pid;
}

/// Resident memory of a process, in bytes.
std::uint64_t residentBytes(pid_t pid)
{
    std::ifstream file("/proc/" + std::to_string(pid) + "/statm");
    std::uint64_t size = 0;
    std::uint64_t resident = 0;
    file >> size >> resident;
    return resident * 4096;
}

} // namespace

class TestAgentProtocol : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        std::filesystem::create_directories(run() / "journal");
    }

    void greetsAndTellsWhoItIs()
    {
        AgentClient agent(root());
        const json hello = agent.call({{"op", "hello"}});
        QCOMPARE(hello.value("protocol", 0), kProtocolVersion);
        QCOMPARE(hello.value("root", ""), std::filesystem::canonical(root()).string());
        QCOMPARE(hello.value("agent_sha256", "").size(), std::size_t(64));
        QVERIFY(agent.call({{"op", "ping"}})["time"].value("wall_ns", std::int64_t{0}) > 0);
        QCOMPARE(agent.leave(), 0);
    }

    void endsWhenAClientThatPromisedItsWordIsSilent()
    {
        AgentClient agent(root());
        QVERIFY(agent.call({{"op", "hello"}, {"silence_ms", 1000}}).value("ok", false));
        std::filesystem::create_directories(run() / "journal");
        QElapsedTimer timer;
        timer.start();
        agent.send({{"op", "tail"}, {"run", "r"}, {"stream", "steps"}}); // does not keep it awake
        AWAIT(hasEnded(agent.pid()));
        QVERIFY2(timer.elapsed() >= 900, qPrintable(QString::number(timer.elapsed())));
        QCOMPARE(agent.leave(), exitStatus(ErrorKind::Unreachable));
    }

    void staysWithAClientThatKeepsItsWordOrPromisedNone_data()
    {
        QTest::addColumn<bool>("promised");
        QTest::newRow("pings") << true;
        QTest::newRow("an older desk") << false;
    }
    void staysWithAClientThatKeepsItsWordOrPromisedNone()
    {
        QFETCH(bool, promised);
        constexpr int kPromisedMs = 3000;
        bool keptItsWord = false;
        while (!keptItsWord) { // on a machine that held this process up, once more
            AgentClient agent(root());
            agent.call(promised ? json{{"op", "hello"}, {"silence_ms", kPromisedMs}} : json{{"op", "hello"}});
            qint64 longestSilenceMs = 0;
            for (int i = 0; i < 10; ++i) {
                QElapsedTimer silence;
                silence.start();
                QTest::qWait(500);
                if (promised)
                    agent.call({{"op", "ping"}});
                longestSilenceMs = std::max(longestSilenceMs, silence.elapsed());
            }
            keptItsWord = !promised || longestSilenceMs < kPromisedMs;
            const bool stayed = agent.call({{"op", "ping"}}).value("ok", false);
            QVERIFY(stayed || !keptItsWord);
            QVERIFY(agent.leave() == 0 || !keptItsWord);
        }
    }

    void takesNoPromiseThatIsNone()
    {
        AgentClient agent(root());
        for (const json& silence : {json(-1), json(1e9), json("60"), json(nullptr)})
            QCOMPARE(errorKindOf(agent.call({{"op", "hello"}, {"silence_ms", silence}})), "bad-input");
    }

    void refusesAClientThatDoesNotGreet()
    {
        AgentClient agent(root(), {}, AgentClient::Greeting::Leave);
        agent.sendRaw("GET / HTTP/1.1\n");
        QCOMPARE(agent.leave(), 2);
    }

    void endsWhenItsInputCannotBeRead()
    {
        QProcess agent;
        agent.start("sh", {"-c", "exec \"$0\" serve --root \"$1\" < /", TRAINYARD_BIN_DIR "/trainyard-agent",
                           m_folder->path()});
        QVERIFY(agent.waitForFinished(kPatienceMs));
        QCOMPARE(agent.exitCode(), 2);
    }

    void servesBehindAForcedCommand()
    {
        AgentClient agent(root(), {}, AgentClient::Greeting::Leave);
        const std::string nonce(kNonceDigits, 'a');
        agent.sendRaw(startLine(std::string(64, '0'), nonce, true) + "\n" + nonce + "\n");
        QCOMPARE(agent.leave(), 0);
    }

    void letsWhoMayOnlyLookChangeNothing_data()
    {
        QTest::addColumn<QString>("request");
        QTest::addColumn<bool>("refused");
        for (const char* op : {"put", "assemble", "create-run", "launch", "attend", "place", "stop",
                               "checkpoint", "remove-run", "have", "an operation of tomorrow"})
            QTest::addRow("%s", op) << QString(R"({"op":"%1","run":"r"})").arg(op) << true;
        for (const char* op : {"hello", "ping", "probe", "runs", "bundles", "streams"})
            QTest::addRow("%s", op) << QString(R"({"op":"%1","run":"r"})").arg(op) << false;
    }
    void letsWhoMayOnlyLookChangeNothing()
    {
        QFETCH(QString, request);
        AgentClient agent(root(), {"--local", "--read-only"});
        const json reply = agent.call(json::parse(request.toStdString()));
        QTEST(errorKindOf(reply) == "refused", "refused");
        QVERIFY(std::filesystem::exists(run() / "journal"));
    }

    void answersAndFollowsWhoMayOnlyLook()
    {
        auto journal = JournalWriter::open(run() / "journal", "steps", 1).value();
        QVERIFY(journal.append(StepRecord{}).ok());
        AgentClient agent(root(), {"--local", "--read-only"});
        QVERIFY(agent.call({{"op", "hello"}}).value("read_only", false));
        const auto tail = agent.send({{"op", "tail"}, {"run", "r"}, {"stream", "steps"}});
        QCOMPARE(agent.takeChunks(tail, 100), readFile(run() / "journal" / "steps").value());
        QVERIFY(agent.call({{"op", "cancel"}, {"target", tail}}).value("cancelled", false));
    }

    void refusesJsonThatWouldOverflowIt()
    {
        AgentClient agent(root());
        QCOMPARE(errorKindOf(agent.call({{"op", "hello"}})), "");
        agent.sendRaw(encodeMessage(std::string(kMaxPayload, '[')));
        const std::string deep = std::string(500'000, '[') + std::string(500'000, ']');
        QCOMPARE(
            errorKindOf(agent.call({{"op", "create-run"}, {"run", "n"}, {"kind", "train"}, {"spec", deep}})),
            "bad-input");
        QVERIFY(agent.call({{"op", "ping"}}).value("ok", false));
    }

    void holdsFewAnswersForAClientThatDoesNotRead_data()
    {
        QTest::addColumn<QString>("operation");
        QTest::addRow("a file of a run") << "read";
        QTest::addRow("a file of a data set") << "read-data";
    }
    void holdsFewAnswersForAClientThatDoesNotRead()
    {
        QFETCH(QString, operation);
        std::ofstream(run() / "manifest.json") << "{}";
        std::ofstream(run() / "big", std::ios::binary) << std::string(kMaxRead, 'x');
        AgentClient agent(root());
        agent.call({{"op", "ping"}});
        const std::uint64_t before = residentBytes(agent.pid());
        std::vector<std::uint32_t> reads;
        for (int i = 0; i < 200; ++i)
            reads.push_back(agent.send({{"op", operation.toStdString()},
                                        {"run", "r"},
                                        {"folder", run().string()},
                                        {"file", "big"},
                                        {"limit", kMaxRead}}));
        QTest::qWait(1000); // 100 MiB of answers are asked for and not read
        const std::uint64_t after = residentBytes(agent.pid());
        QVERIFY2(after < before + 50 * kMiB, qPrintable(QString("%1 -> %2 bytes").arg(before).arg(after)));
        for (const std::uint32_t read : reads)
            QVERIFY(agent.waitForReply(read).value("ok", false)); // and all are answered in the end
    }

    void keepsItsFolderToItself()
    {
        AgentClient agent(root());
        agent.call({{"op", "ping"}});
        QCOMPARE(std::filesystem::status(root()).permissions(), std::filesystem::perms::owner_all);
    }

    void probesThisMachine()
    {
        AgentClient agent(root());
        const json facts = agent.call({{"op", "probe"}});
        QVERIFY(facts["memory"].value("total", std::uint64_t{0}) >
                facts["memory"].value("available", std::uint64_t{0}));
        QVERIFY(facts["cpu"].value("cores", 0) > 0);
        const ProcessorMath math = processorMathHere();
        QCOMPARE(facts["cpu"]["narrow_products"].value("bfloat16", ""), std::string(nameOf(math.bfloat16)));
        QCOMPARE(facts["cpu"]["narrow_products"].value("float16", ""), std::string(nameOf(math.float16)));
        QVERIFY(facts["disk"].value("free", std::uint64_t{0}) > 0);
        QVERIFY(!facts.value("os", "").empty());
    }

    void answersEveryWrongMessageAndGoesOn_data()
    {
        QTest::addColumn<QByteArray>("payload");
        QTest::addRow("no JSON") << QByteArray("{\"id\":");
        QTest::addRow("no object") << QByteArray("[1,2]");
        QTest::addRow("no id") << QByteArray("{\"op\":\"ping\"}");
        QTest::addRow("negative id") << QByteArray("{\"id\":-1,\"op\":\"ping\"}");
        QTest::addRow("huge id") << QByteArray("{\"id\":4294967296,\"op\":\"ping\"}");
        QTest::addRow("id 1e999") << QByteArray("{\"id\":1e999,\"op\":\"ping\"}");
        QTest::addRow("empty") << QByteArray("");
        QTest::addRow("not UTF-8") << QByteArray("{\"id\":1,\"op\":\"\xff\xfe\"");
        QTest::addRow("deeply nested") << QByteArray(500'000, '[');
    }
    void answersEveryWrongMessageAndGoesOn()
    {
        QFETCH(QByteArray, payload);
        AgentClient agent(root());
        agent.sendRaw(encodeMessage(payload.toStdString()));
        QCOMPARE(errorKindOf(agent.waitForReply(0)), std::string("bad-input"));
        QCOMPARE(agent.call({{"op", "ping"}}).value("ok", false), true);
    }

    void namesTheFieldThatIsWrong_data()
    {
        QTest::addColumn<QByteArray>("request");
        QTest::addColumn<QByteArray>("named");
        QTest::addRow("unknown operation") << QByteArray(R"({"op":"dance"})") << QByteArray("dance");
        QTest::addRow("run missing") << QByteArray(R"({"op":"streams"})") << QByteArray("\"run\"");
        QTest::addRow("run of another type")
            << QByteArray(R"({"op":"streams","run":[1]})") << QByteArray("\"run\"");
        QTest::addRow("run leads out")
            << QByteArray(R"({"op":"streams","run":"../x"})") << QByteArray("../x");
        QTest::addRow("run hidden") << QByteArray(R"({"op":"streams","run":".ssh"})") << QByteArray(".ssh");
        QTest::addRow("stream leads out")
            << QByteArray(R"({"op":"tail","run":"r","stream":"../spec.json"})") << QByteArray("../spec");
        QTest::addRow("negative offset")
            << QByteArray(R"({"op":"tail","run":"r","stream":"steps","offset":-1})")
            << QByteArray("\"offset\"");
        QTest::addRow("fractional offset")
            << QByteArray(R"({"op":"tail","run":"r","stream":"steps","offset":0.5})")
            << QByteArray("\"offset\"");
        QTest::addRow("limit too large")
            << QByteArray(R"({"op":"read","run":"r","file":"x","limit":99999999})")
            << QByteArray("\"limit\"");
        QTest::addRow("hash too short")
            << QByteArray(R"({"op":"put","sha256":"abc","size":1})") << QByteArray("\"sha256\"");
        QTest::addRow("offset behind the end")
            << QByteArray(R"({"op":"put","sha256":")") + QByteArray(64, 'a') +
                   QByteArray(R"(","size":1,"offset":2})")
            << QByteArray("\"offset\"");
        QTest::addRow("no kind") << QByteArray(R"({"op":"create-run","run":"n","kind":"x"})")
                                 << QByteArray("\"kind\"");
        QTest::addRow("spec missing")
            << QByteArray(R"({"op":"create-run","run":"n","kind":"train"})") << QByteArray("\"spec\"");
    }
    void namesTheFieldThatIsWrong()
    {
        QFETCH(QByteArray, request);
        QFETCH(QByteArray, named);
        AgentClient agent(root());
        const json reply = agent.call(json::parse(request.toStdString()));
        QCOMPARE(errorKindOf(reply), std::string("bad-input"));
        const std::string message = reply["error"].value("message", "");
        QVERIFY2(message.find(named.toStdString()) != std::string::npos, message.c_str());
    }

    void endsWhenTheStreamIsOutOfStep_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        std::string damaged = encodeMessage(R"({"id":1,"op":"ping"})");
        damaged.back() = '!';
        QTest::addRow("wrong checksum") << QByteArray::fromStdString(damaged);
        QTest::addRow("huge length") << QByteArray("\xff\xff\xff\x7f\x01\0\0\0\0", 9);
        QTest::addRow("unknown type") << QByteArray("\0\0\0\0\x09\0\0\0\0", 9);
    }
    void endsWhenTheStreamIsOutOfStep()
    {
        QFETCH(QByteArray, bytes);
        AgentClient agent(root());
        agent.sendRaw(bytes.toStdString());
        QCOMPARE(errorKindOf(agent.waitForReply(0)), std::string("bad-input"));
        QCOMPARE(agent.leave(), 2);
    }

    void readsOnlyWithinTheRun()
    {
        QVERIFY(writeFileAtomically(run() / "spec.json", "0123456789").ok());
        QVERIFY(writeFileAtomically(root() / "secret", "secret").ok());
        std::filesystem::create_symlink(root() / "secret", run() / "link");
        std::filesystem::create_symlink(root(), run() / "folder");
        AgentClient agent(root());
        const auto read = [&](const std::string& file) {
            return agent.call({{"op", "read"}, {"run", "r"}, {"file", file}});
        };
        for (const char* file :
             {"../../secret", "/etc/passwd", "link", "folder/secret", "journal", "./spec.json", "", "a//b"})
            QVERIFY2(errorKindOf(read(file)) == "bad-input", file);
        const auto id =
            agent.send({{"op", "read"}, {"run", "r"}, {"file", "spec.json"}, {"offset", -4}, {"limit", 3}});
        const json reply = agent.waitForReply(id);
        QCOMPARE(reply.value("offset", 0), 6);
        QCOMPARE(reply.value("size", 0), 10);
        QCOMPARE(agent.takeChunks(id), std::string("678"));
    }

    void readsOfADataSetTheManifestOnly()
    {
        const auto folder = root() / "somewhere";
        QVERIFY(writeFileAtomically(root() / "secret", "secret").ok());
        QVERIFY(makeFolder(folder).ok());
        AgentClient agent(root());
        const auto look = [&](const std::string& where) {
            return agent.call({{"op", "data-set"}, {"folder", where}});
        };
        for (const std::string& where : {folder.string(), std::string("somewhere"), std::string(),
                                         (root() / "secret").string(), std::string("/dev/null")})
            QVERIFY2(errorKindOf(look(where)) == "bad-input", where.c_str());
        QVERIFY(writeFileAtomically(folder / "manifest.json", "0123456789").ok());
        const auto id = agent.send({{"op", "data-set"}, {"folder", folder.string()}, {"offset", 4}});
        const json reply = agent.waitForReply(id);
        QCOMPARE(reply.value("size", 0), 10);
        QCOMPARE(agent.takeChunks(id), std::string("456789"));
    }

    void describesWeightsWithoutTheirValues()
    {
        const auto model = std::filesystem::path(TRAINYARD_SOURCE_DIR) / "tests/golden/hugging_face/bert";
        AgentClient agent(root());
        const auto id = agent.send({{"op", "weights"}, {"path", model.string()}, {"limit", 524288}});
        const int size = agent.waitForReply(id).value("size", 0);
        const std::string text = agent.takeChunks(id);
        QCOMPARE(text.size(), std::size_t(size));
        const json described = json::parse(text);
        QCOMPARE(described["origin"].get<std::string>(), "the Hugging Face model " + model.string());
        QVERIFY(described["tensors"].size() > 30);
        const auto part =
            agent.send({{"op", "weights"}, {"path", model.string()}, {"offset", 5}, {"limit", 10}});
        QCOMPARE(agent.waitForReply(part).value("size", 0), size);
        QCOMPARE(agent.takeChunks(part), text.substr(5, 10));
        for (const std::string& where : {root().string(), std::string("a/b"), std::string()})
            QVERIFY2(errorKindOf(agent.call({{"op", "weights"}, {"path", where}})) == "bad-input",
                     where.c_str());
        const json nothing = agent.call({{"op", "weights"}, {"path", "no-run"}});
        QVERIFY2(nothing.value("ok", false) && nothing.value("size", -1) == 0, nothing.dump().c_str());
    }

    void listsNoLinks()
    {
        QVERIFY(writeFileAtomically(run() / "spec.json", "{}").ok());
        std::filesystem::create_symlink(root(), run() / "link");
        AgentClient agent(root());
        const json entries = agent.call({{"op", "list"}, {"run", "r"}})["entries"];
        QCOMPARE(
            entries.dump(),
            std::string(
                R"([{"folder":true,"name":"journal","size":0},{"folder":false,"name":"spec.json","size":2}])"));
    }

    void letsFoldersBeBrowsed()
    {
        const auto folder = root() / "data";
        QVERIFY(makeFolder(folder / "dumps").ok());
        QVERIFY(writeFileAtomically(folder / "vocab.txt", "[PAD]").ok());
        QVERIFY(writeFileAtomically(folder / ".hidden", "").ok());
        std::filesystem::create_symlink(folder / "dumps", folder / "linked");
        AgentClient agent(root());
        const auto look = [&](const std::string& where) {
            return agent.call({{"op", "folder"}, {"folder", where}});
        };
        QCOMPARE(look(folder.string())["entries"].dump(),
                 std::string(
                     R"([{"folder":true,"name":"dumps","size":0},{"folder":true,"name":"linked","size":0},)"
                     R"({"folder":false,"name":"vocab.txt","size":5}])"));
        for (const std::string& where : {std::string("data"), std::string(), (folder / "vocab.txt").string(),
                                         (folder / "nowhere").string()})
            QVERIFY2(errorKindOf(look(where)) == "bad-input", where.c_str());
    }

    void pingIsAnsweredWhileAStreamIsFull()
    {
        auto journal = JournalWriter::open(run() / "journal", "steps", 1).value();
        StepRecord record;
        record.ranks.resize(100);
        for (int i = 0; i < 3000; ++i) // about 36 MiB
            QVERIFY(journal.append(record).ok());
        AgentClient agent(root());
        QVERIFY(agent.call({{"op", "ping"}}).value("ok", false));
        const std::uint64_t resident = residentBytes(agent.pid());
        const auto tail = agent.send({{"op", "tail"}, {"run", "r"}, {"stream", "steps"}, {"offset", 0}});
        QTest::qSleep(500); // nobody reads: the pipe and the outbox fill
        QVERIFY2(residentBytes(agent.pid()) < resident + 4 * kMiB, "a slow client must not cost memory");
        QCOMPARE(agent.call({{"op", "ping"}}).value("ok", false), true);
        const std::size_t before = agent.takeChunks(tail).size();
        QVERIFY2(before < 2 * kMiB, "the answer must overtake the stream");
        const auto whole = std::filesystem::file_size(run() / "journal" / "steps");
        QCOMPARE(agent.takeChunks(tail, whole - before).size(), whole - before);
    }

    void cancelEndsATail()
    {
        AgentClient agent(root());
        const auto tail = agent.send({{"op", "tail"}, {"run", "r"}, {"stream", "steps"}});
        QCOMPARE(agent.call({{"op", "cancel"}, {"target", tail}}).value("cancelled", false), true);
        QCOMPARE(errorKindOf(agent.waitForReply(tail)), std::string("cancelled"));
        QCOMPARE(agent.call({{"op", "cancel"}, {"target", tail}}).value("cancelled", true), false);
    }

    void tailSendsOnlyWholeRecords()
    {
        auto journal = JournalWriter::open(run() / "journal", "steps", 1).value();
        QVERIFY(journal.append(StepRecord{}).ok());
        const auto file = run() / "journal" / "steps";
        const std::string whole = readFile(file).value();
        std::ofstream(file, std::ios::app) << whole.substr(8, 20); // a torn record
        AgentClient agent(root());
        const auto tail = agent.send({{"op", "tail"}, {"run", "r"}, {"stream", "steps"}});
        QVERIFY(agent.takeChunks(tail, whole.size()) == whole);
        QVERIFY(agent.takeChunks(tail, 1, std::chrono::milliseconds(300)).empty());
    }

    void tailSaysWhenTheStreamIsNotWhatTheClientHas_data()
    {
        QTest::addColumn<int>("offset");
        QTest::addRow("behind its end") << 100'000;
        QTest::addRow("inside a record") << 9;
    }
    void tailSaysWhenTheStreamIsNotWhatTheClientHas()
    {
        QFETCH(int, offset);
        auto journal = JournalWriter::open(run() / "journal", "steps", 1).value();
        QVERIFY(journal.append(StepRecord{}).ok());
        AgentClient agent(root());
        const auto tail = agent.send({{"op", "tail"}, {"run", "r"}, {"stream", "steps"}, {"offset", offset}});
        QCOMPARE(errorKindOf(agent.waitForReply(tail)), std::string("failed"));
    }

    void refusesMoreRequestsThanItCanKeepOpen()
    {
        AgentClient agent(root());
        for (int i = 0; i < 256; ++i)
            agent.send({{"op", "tail"}, {"run", "r"}, {"stream", "s" + std::to_string(i)}});
        QCOMPARE(errorKindOf(agent.call({{"op", "ping"}})), std::string("refused"));
    }

private:
    std::filesystem::path root() const { return m_folder->path().toStdString(); }
    std::filesystem::path run() const { return root() / "runs" / "r"; }
    std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_GUILESS_MAIN(TestAgentProtocol)
#include "tst_agent_protocol.moc"
