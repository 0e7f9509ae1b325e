#include <QTest>

#include "remote/ssh/agent_proxy.h"

using namespace trainyard;
using namespace trainyard::ssh;

namespace {

std::string number(std::size_t value)
{
    return {static_cast<char>(value >> 24), static_cast<char>(value >> 16), static_cast<char>(value >> 8),
            static_cast<char>(value)};
}

std::string text(const std::string& value)
{
    return number(value.size()) + value;
}

/// An agent's answer to "list your identities".
std::string identities(const std::vector<std::string>& keys)
{
    std::string answer = '\x0c' + number(keys.size());
    for (const auto& key : keys)
        answer += text(key) + text("comment of " + key);
    return answer;
}

} // namespace

class TestAgentProxy : public QObject {
    Q_OBJECT

private slots:
    void putsWantedKeysFirstAndLimitsTheirNumber()
    {
        const AgentProxy::Wish wish{{"k4"}, false, 3};
        QCOMPARE(filterIdentities(identities({"k1", "k2", "k3", "k4"}), wish),
                 identities({"k4", "k1", "k2"}));
    }
    void offersOnlyWantedKeysWhenAskedTo()
    {
        const AgentProxy::Wish wish{{"k2", "k9"}, true, 3};
        QCOMPARE(filterIdentities(identities({"k1", "k2", "k3"}), wish), identities({"k2"}));
    }
    void passesOtherAnswersOn()
    {
        QCOMPARE(filterIdentities("\x0e signature", {}), std::string("\x0e signature"));
        QCOMPARE(filterIdentities("", {}), std::string());
    }
    void takesNoLengthOnTrust()
    {
        const std::string good = identities({"k1", "k2"});
        for (std::size_t size = 1; size < good.size(); ++size)
            QCOMPARE(filterIdentities(good.substr(0, size), {}), identities({}));
        QCOMPARE(filterIdentities('\x0c' + number(0xffffffff), {}), identities({}));
        QCOMPARE(filterIdentities('\x0c' + number(1) + number(0xfffffff0) + "x", {}), identities({}));
    }
    void saysThatNobodyListens()
    {
        const Interrupt interrupt;
        const auto proxy = AgentProxy::start("/nonexistent/agent", {}, interrupt);
        QVERIFY(!proxy.ok());
        QCOMPARE(proxy.error().kind, ErrorKind::Unreachable);
    }
};

QTEST_APPLESS_MAIN(TestAgentProxy)
#include "tst_agent_proxy.moc"
