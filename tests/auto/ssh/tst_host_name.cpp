#include <QTest>

#include "remote/ssh/host_config.h"
#include "remote/ssh/host_name.h"

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
        QTest::addRow("alias") << "gpu-03"
                               << ""
                               << "gpu-03";
        QTest::addRow("user") << "alice@gpu_03.example.org"
                              << "alice"
                              << "gpu_03.example.org";
        QTest::addRow("IPv4") << "10.0.0.3"
                              << ""
                              << "10.0.0.3";
        QTest::addRow("IPv6") << "fe80::1"
                              << ""
                              << "fe80::1";
    }
    void acceptsWhatUsersType()
    {
        QFETCH(QString, text);
        const auto name = parseHostName(text.toStdString());
        QVERIFY2(name.ok(), name.ok() ? "" : name.error().message.c_str());
        QTEST(QString::fromStdString(name->user), "user");
        QTEST(QString::fromStdString(name->host), "host");
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
             {"", "@", "@host", "user@", "-oProxyCommand=id", "user@-host", "-user@host", "a@b@c"})
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

    void refusesAProxyCommandAndAnAddressOfTheConfigurationThatIsNone()
    {
        QCOMPARE(parseSshConfigDump({"", "h"}, "hostname h\nproxycommand nc %h %p\n").error().kind,
                 ErrorKind::Refused);
        QCOMPARE(parseSshConfigDump({"", "h"}, "hostname h;id\n").error().kind, ErrorKind::BadInput);
        QCOMPARE(parseSshConfigDump({"", "h"}, "hostname h\nport 99999\n").error().kind, ErrorKind::BadInput);
    }
};

QTEST_APPLESS_MAIN(TestHostName)
#include "tst_host_name.moc"
