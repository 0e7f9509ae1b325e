#include <QTest>

#include <unistd.h>

#include "remote/ssh/host_config.h"
#include "remote/ssh/host_name.h"
#include "remote/ssh/proxy_command.h"

using namespace trainyard;
using namespace trainyard::ssh;

class TestHostName : public QObject {
    Q_OBJECT

private slots:
    void acceptsWhatUsersType_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("user");
        QTest::addColumn<QString>("host");
        QTest::addColumn<int>("port");
        QTest::addRow("alias") << "gpu-03"
                               << ""
                               << "gpu-03" << 0;
        QTest::addRow("user") << "alice@gpu_03.example.org"
                              << "alice"
                              << "gpu_03.example.org" << 0;
        QTest::addRow("IPv4") << "10.0.0.3"
                              << ""
                              << "10.0.0.3" << 0;
        QTest::addRow("IPv6") << "fe80::1"
                              << ""
                              << "fe80::1" << 0;
        QTest::addRow("port") << "gpu-03:2222"
                              << ""
                              << "gpu-03" << 2222;
        QTest::addRow("user, port") << "alice@10.0.0.3:1"
                                    << "alice"
                                    << "10.0.0.3" << 1;
        QTest::addRow("brackets") << "[gpu-03]:65535"
                                  << ""
                                  << "gpu-03" << 65535;
        QTest::addRow("brackets, no port") << "[::1]"
                                           << ""
                                           << "::1" << 0;
        QTest::addRow("IPv6, port") << "bob@[fe80::1]:2222"
                                    << "bob"
                                    << "fe80::1" << 2222;
        QTest::addRow("URL") << "ssh://bob@gpu-03:2222"
                             << "bob"
                             << "gpu-03" << 2222;
    }
    void acceptsWhatUsersType()
    {
        QFETCH(QString, text);
        const auto name = parseHostName(text.toStdString());
        QVERIFY2(name.ok(), name.ok() ? "" : name.error().message.c_str());
        QTEST(QString::fromStdString(name->user), "user");
        QTEST(QString::fromStdString(name->host), "host");
        QTEST(name->port, "port");
    }

    /// Shell, option, pattern, path and terminal tricks, in every position of a name: over 200 in all.
    void refusesEveryNastyName()
    {
        const std::vector<std::string> tricks{
            ";",
            "|",
            "&",
            "$(id)",
            "`id`",
            "${HOME}",
            ">",
            "<",
            "\n",
            "\r",
            "\t",
            " ",
            "'",
            "\"",
            "\\",
            "*",
            "?",
            "!",
            "[",
            "]",
            "{",
            "}",
            "(",
            ")",
            "~",
            "#",
            "%",
            "%h",
            "=",
            "+",
            ",",
            "/",
            "../",
            "\x1b[2J",
            "\x7f",
            "\x01",
            std::string(1, '\0'),
            "ä",
            "\xff",
            "\u202e",
            "<b>",
            "日本",
        };
        int tried = 0;
        for (const auto& trick : tricks) {
            for (const auto& name : {trick, trick + "host", "host" + trick, "ho" + trick + "st",
                                     "us" + trick + "er@host", "user@" + trick + "host"}) {
                const auto parsed = parseHostName(name);
                QVERIFY2(!parsed.ok(), name.c_str());
                QCOMPARE(parsed.error().kind, ErrorKind::BadInput);
                ++tried;
            }
        }
        for (const std::string name :
             {"",        "@",     "@host",    "user@",      "-oProxyCommand=id", "user@-host", "-user@host",
              "a@b@c",   "host:", "host:0",   "host:65536", "host:22x",          "host:-1",    "[host]x",
              "[host]:", "[]:22", "[a]b]:22", "[-host]:22", "[host]22",          ":22"})
            QVERIFY2(!parseHostName(name).ok(), name.c_str());
        QVERIFY(!parseHostName(std::string(254, 'a')).ok());
        QVERIFY(tried > 200);
    }

    void readsWhatSshWouldDo()
    {
        const auto host = parseSshConfigDump(
            {"", "cluster"}, "user alice\nhostname 10.0.0.9\nport 2222\nidentityfile ~/.ssh/id_x\n"
                             "identitiesonly yes\nproxyjump bob@gate:2200,inner\n"
                             "userknownhostsfile /a/known /b/known\nstricthostkeychecking false\n");
        QVERIFY(host.ok());
        QCOMPARE(host->user, std::string("alice"));
        QCOMPARE(host->knownHostsName(), std::string("[10.0.0.9]:2222"));
        QVERIFY(host->identitiesOnly);
        QCOMPARE(host->jumpHosts, (std::vector<std::string>{"bob@gate:2200", "inner"}));
        QCOMPARE(host->userKnownHosts.size(), std::size_t{2});
        QCOMPARE(host->notices.size(), std::size_t{1}); // StrictHostKeyChecking no is not followed
    }

    void readsHowToConnectAndToLogIn()
    {
        const auto host = parseSshConfigDump(
            {"", "h"},
            "hostname fe80::1\nport 22\nuser a\nproxycommand nc -X 5 %h %p\nconnecttimeout 7\n"
            "serveraliveinterval 2\nserveralivecountmax 2\naddressfamily inet6\nhashknownhosts yes\n"
            "stricthostkeychecking true\nbatchmode yes\npubkeyauthentication false\n"
            "kbdinteractiveauthentication no\npasswordauthentication no\n"
            "numberofpasswordprompts 1\ncertificatefile ~/.ssh/id-cert.pub\n");
        QVERIFY(host.ok());
        QCOMPARE(host->proxyCommand, std::string("nc -X 5 %h %p"));
        QCOMPARE(host->connectTimeout, std::optional(std::chrono::seconds(7)));
        QCOMPARE(host->aliveInterval, std::chrono::seconds(2));
        QCOMPARE(host->aliveCountMax, 2);
        QCOMPARE(host->family, AddressFamily::Inet6);
        QVERIFY(host->hashKnownHosts && !host->askAboutUnknownKeys && !host->mayAsk);
        QVERIFY(!host->publicKeys && !host->keyboardInteractive && !host->passwords);
        QCOMPARE(host->passwordPrompts, 1);
        QVERIFY(host->notices.empty());
        QCOMPARE(host->certificateFiles.size(), std::size_t{1});
        QCOMPARE(host->account(), std::string("a@fe80::1"));
    }

    void expandsTokensAndVariablesOfFileNames()
    {
        qputenv("TRAINYARD_TEST_KEYS", "/keys");
        const auto file = [](const std::string& written, const std::string& alias = {}) {
            const auto host =
                parseSshConfigDump({"", "gpu"}, "hostname 10.0.0.9\nport 2222\nuser a\n" +
                                                    (alias.empty() ? "" : "hostkeyalias " + alias + "\n") +
                                                    "identityfile " + written + "\n");
            return host.ok() ? host->identityFiles.front().string() : host.error().text();
        };
        QCOMPARE(file("${TRAINYARD_TEST_KEYS}/%r@%h:%p"), std::string("/keys/a@10.0.0.9:2222"));
        QCOMPARE(file("/k/%k"), std::string("/k/gpu"));
        QCOMPARE(file("/k/%k", "cluster"), std::string("/k/cluster"));
        QCOMPARE(file("/k/%i"), "/k/" + std::to_string(::getuid()));
        QCOMPARE(file("/k/100%%/${unclosed"), std::string("/k/100%/${unclosed"));
        QVERIFY(file("${TRAINYARD_TEST_NONE}/id").find("TRAINYARD_TEST_NONE is not set") !=
                std::string::npos);
    }

    /// What a plain `ssh -G` prints, which says "none" for what is not configured.
    void knowsTheDefaults()
    {
        const auto host = parseSshConfigDump(
            {"", "h"}, "hostname h\nport 22\nuser a\nconnecttimeout none\nserveraliveinterval 0\n"
                       "pubkeyauthentication true\nbatchmode no\nstricthostkeychecking ask\n");
        QVERIFY(host.ok());
        QVERIFY(!host->connectTimeout && host->aliveInterval.count() == 0);
        QVERIFY(host->publicKeys && host->keyboardInteractive && host->passwords && host->mayAsk);
        QVERIFY(host->askAboutUnknownKeys && host->proxyCommand.empty() && host->notices.empty());
    }

    void fillsInAProxyCommandAndRefusesWhatAShellWouldTake()
    {
        HostConfig host;
        host.alias = "gpu";
        host.address = "fe80::1";
        host.port = 2222;
        host.user = "al.ice";
        host.proxyCommand = "connect -%% %n [%h]:%p %r";
        QCOMPARE(*expandProxyCommand(host), std::string("connect -% gpu [fe80::1]:2222 al.ice"));
        for (const char* user : {"$(id)", "a;b", "a b", "-l", "a`b", "a'b", "a\nb"}) {
            host.user = user;
            QCOMPARE(expandProxyCommand(host).error().kind, ErrorKind::Refused);
        }
        for (const char* command : {"nc %x", "nc %"}) {
            host.proxyCommand = command;
            QCOMPARE(expandProxyCommand(host).error().kind, ErrorKind::BadInput);
        }
    }

    void refusesAnAddressOfTheConfigurationThatIsNone()
    {
        QCOMPARE(parseSshConfigDump({"", "h"}, "hostname h;id\n").error().kind, ErrorKind::BadInput);
        QCOMPARE(parseSshConfigDump({"", "h"}, "hostname h\nport 99999\n").error().kind, ErrorKind::BadInput);
        QCOMPARE(parseSshConfigDump({"", "h"}, "proxycommand nc\nproxyusefdpass yes\n").error().kind,
                 ErrorKind::Refused);
    }
};

QTEST_APPLESS_MAIN(TestHostName)
#include "tst_host_name.moc"
