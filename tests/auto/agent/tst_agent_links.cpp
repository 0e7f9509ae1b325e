#include <QElapsedTimer>
#include <QHostAddress>
#include <QTcpServer>
#include <QTcpSocket>
#include <QTemporaryDir>
#include <QTest>

#include "tests/auto/agent/agent_client.h"
#include "tests/support/patience.h"

using namespace trainyard;
using nlohmann::json;

namespace {

const std::string kToken(32, 'a');
const std::string kHere = "127.0.0.1";

std::string kindOf(const json& reply)
{
    return reply.is_object() && reply.contains("error") ? reply["error"].value("kind", "") : "";
}

json peer(int port, const std::string& token = kToken)
{
    return {{"address", kHere}, {"port", port}, {"token", token}};
}

/// True when nobody listens there any more.
bool isClosed(int port)
{
    QTcpSocket socket;
    socket.connectToHost(QHostAddress::LocalHost, static_cast<quint16>(port));
    return !socket.waitForConnected(kPatienceMs) && socket.error() == QAbstractSocket::ConnectionRefusedError;
}

/// What the port answers to these bytes until it closes; nothing when it stays open.
std::optional<QByteArray> answerTo(int port, const QByteArray& bytes)
{
    QTcpSocket socket;
    socket.connectToHost(QHostAddress::LocalHost, static_cast<quint16>(port));
    if (!socket.waitForConnected(kPatienceMs))
        return std::nullopt;
    socket.write(bytes);
    if (!socket.waitForDisconnected(kPatienceMs))
        return std::nullopt;
    return socket.readAll();
}

} // namespace

/// The links between hosts as a preflight tries them. Both ends are on this machine.
class TestAgentLinks : public QObject {
    Q_OBJECT

private slots:
    void init() { m_agent = std::make_unique<AgentClient>(m_folder.path().toStdString()); }
    void cleanup() { QCOMPARE(m_agent->leave(), 0); }

    void twoAgentsReachEachOther()
    {
        const auto [listening, port] = listen();
        AgentClient other(m_folder.path().toStdString());
        const json dialled = other.call({{"op", "dial"}, {"peers", {peer(port), peer(port)}}});
        QCOMPARE(dialled["trials"].size(), std::size_t(2));
        for (const json& trial : dialled["trials"])
            QVERIFY2(trial.value("latency_ms", -1.0) > 0, trial.dump().c_str());
        const json streamed = other.call(
            {{"op", "stream"}, {"address", kHere}, {"port", port}, {"token", kToken}, {"duration_ms", 200}});
        QVERIFY2(streamed.value("bytes_per_second", 0.0) > 1e6, streamed.dump().c_str());
        QCOMPARE(other.leave(), 0);

        QVERIFY(m_agent->call({{"op", "cancel"}, {"target", listening}}).value("cancelled", false));
        AWAIT(isClosed(port));
    }

    void countsWhoCame()
    {
        json end = json::object();
        // On a slow machine the port may be closed before both have come: then once more, for longer.
        for (int lifeMs = 500; end.value("served", 0) + end.value("strangers", 0) < 2; lifeMs *= 2) {
            QVERIFY(lifeMs < kPatienceMs);
            const auto [listening, port] = listen(lifeMs);
            QVERIFY(m_agent->call({{"op", "dial"}, {"peers", {peer(port), peer(port, std::string(32, 'b'))}}})
                        .value("ok", false));
            end = m_agent->waitForReply(listening);
        }
        QCOMPARE(end.value("served", -1), 1);
        QCOMPARE(end.value("strangers", -1), 1);
    }

    void closesByItselfAndWithItsClient()
    {
        const auto [listening, port] = listen(200);
        QVERIFY(m_agent->waitForReply(listening).value("ok", false));
        QVERIFY(isClosed(port));

        const auto [again, second] = listen();
        Q_UNUSED(again);
        QElapsedTimer timer;
        timer.start();
        QCOMPARE(m_agent->leave(), 0);
        QVERIFY(timer.elapsed() < kLifeMs);
        QVERIFY(isClosed(second));
        init();
    }

    void tellsNothingToStrangers_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addRow("another token") << QByteArray(32, 'b') + " echo\n";
        QTest::addRow("no token") << QByteArray("GET / HTTP/1.1\r\n\r\n");
        QTest::addRow("another verb") << QByteArray::fromStdString(kToken) + " read\n";
        QTest::addRow("an endless line") << QByteArray(1'000'000, 'a');
        QTest::addRow("too much to echo")
            << QByteArray::fromStdString(kToken) + " echo\n" + QByteArray(5000, 'x');
        QTest::addRow("silence") << QByteArray();
    }
    void tellsNothingToStrangers()
    {
        QFETCH(QByteArray, bytes);
        const auto [listening, port] = listen();
        Q_UNUSED(listening);
        const auto answer = answerTo(port, bytes);
        QVERIFY(answer);
        QVERIFY2(answer->size() <= 1024, answer->left(100).constData());
    }

    void refusesWhatItMustNotListenOn_data()
    {
        QTest::addColumn<QByteArray>("fields");
        QTest::addRow("every address") << QByteArray(R"({"address":"0.0.0.0","token":"%1"})");
        QTest::addRow("another machine's address") << QByteArray(R"({"address":"192.0.2.77","token":"%1"})");
        QTest::addRow("every IPv6 address") << QByteArray(R"({"address":"::","token":"%1"})");
        QTest::addRow("a name") << QByteArray(R"({"address":"localhost","token":"%1"})");
        QTest::addRow("a weak token") << QByteArray(R"({"address":"127.0.0.1","token":"abc"})");
        QTest::addRow("for ever") << QByteArray(R"({"address":"127.0.0.1","token":"%1","life_ms":3600000})");
    }
    void refusesWhatItMustNotListenOn()
    {
        QFETCH(QByteArray, fields);
        json request = json::parse(fields.replace("%1", QByteArray::fromStdString(kToken)).toStdString());
        request["op"] = "listen";
        QCOMPARE(kindOf(m_agent->call(request)), std::string("bad-input"));
    }

    void keepsToThePortsThatAreOpen()
    {
        QTcpServer taken;
        QVERIFY(taken.listen(QHostAddress::LocalHost));
        const int port = taken.serverPort();
        json request{{"op", "listen"},
                     {"address", kHere},
                     {"token", kToken},
                     {"first_port", port},
                     {"last_port", port}};
        QCOMPARE(kindOf(m_agent->call(request)), std::string("failed"));
        request["last_port"] = std::min(port + 20, 65535);
        const int open = m_agent->waitForWord(m_agent->send(request)).value("port", 0);
        QVERIFY2(open > port && open <= port + 20, qPrintable(QString::number(open)));
        request["last_port"] = port - 1;
        QCOMPARE(kindOf(m_agent->call(request)), std::string("bad-input"));
    }

    void reachesIpv6()
    {
        const auto id = m_agent->send({{"op", "listen"}, {"address", "::1"}, {"token", kToken}});
        const int port = m_agent->waitForWord(id).value("port", 0);
        if (port == 0)
            QSKIP("this machine has no IPv6");
        json other = peer(port);
        other["address"] = "::1";
        const json reply = m_agent->call({{"op", "dial"}, {"peers", {other}}});
        QVERIFY2(reply["trials"][0].value("latency_ms", 0.0) > 0, reply.dump().c_str());
        const json streamed = m_agent->call(
            {{"op", "stream"}, {"address", "::1"}, {"port", port}, {"token", kToken}, {"duration_ms", 20}});
        QVERIFY2(streamed.value("bytes_per_second", 0.0) > 0, streamed.dump().c_str());
    }

    void namesWhyALinkDoesNotWork()
    {
        QTcpServer silent; // accepts, and says nothing
        QVERIFY(silent.listen(QHostAddress::LocalHost));
        QTcpServer closed;
        QVERIFY(closed.listen(QHostAddress::LocalHost));
        const int closedPort = closed.serverPort();
        closed.close();
        const json reply = m_agent->call(
            {{"op", "dial"}, {"peers", {peer(closedPort), peer(silent.serverPort())}}, {"timeout_ms", 500}});
        QCOMPARE(reply["trials"][0].value("error", ""), std::string("refused"));
        QCOMPARE(reply["trials"][1].value("error", ""),
                 std::string("no answer within 500 ms, although it connects"));
    }

    void measuresTheWayOfTheClient()
    {
        const auto id = m_agent->send({{"op", "discard"}, {"bytes", 300'000}});
        for (int i = 0; i < 3; ++i) {
            QVERIFY(!m_agent->hasReply(id));
            m_agent->sendChunk(id, std::string(100'000, 'x'));
        }
        QVERIFY(m_agent->waitForReply(id).value("ok", false));
        QCOMPARE(kindOf(m_agent->call({{"op", "discard"}, {"bytes", 1'000'000'000}})),
                 std::string("bad-input"));
    }

    void refusesNamesThatSshCouldTakeForOptions()
    {
        for (const char* host : {"-oProxyCommand=touch /tmp/x", "a b", "", "node1;reboot"}) {
            const json reply = m_agent->call({{"op", "reach"}, {"hosts", {host}}});
            QCOMPARE(kindOf(reply), std::string("bad-input"));
        }
    }

private:
    static constexpr int kLifeMs = 60'000;

    struct Listening {
        std::uint32_t id;
        int port;
    };
    Listening listen(int lifeMs = kLifeMs)
    {
        const auto id =
            m_agent->send({{"op", "listen"}, {"address", kHere}, {"token", kToken}, {"life_ms", lifeMs}});
        return {id, m_agent->waitForWord(id).value("port", 0)};
    }

    QTemporaryDir m_folder;
    std::unique_ptr<AgentClient> m_agent;
};

QTEST_GUILESS_MAIN(TestAgentLinks)
#include "tst_agent_links.moc"
