#include <QAbstractItemModelTester>
#include <QDir>
#include <QFile>
#include <QJsonObject>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "app/hosts/model/host_checks.h"
#include "app/hosts/model/host_list_model.h"
#include "app/hosts/model/host_store.h"
#include "app/hosts/model/preflight_model.h"
#include "app/hosts/model/ssh_config_hosts.h"
#include "engine/base/units.h"

using namespace trainyard;

namespace {

HostEntry named(const QString& name)
{
    HostEntry host;
    host.name = name;
    return host;
}

HostReport report(Verdict worst)
{
    HostReport report;
    report.facts.hostName = "node";
    report.facts.cores = 16;
    report.facts.raw = {{"memory", QJsonObject{{"available", 8.0 * kGiB}}}};
    report.rows = {{"memory", "16 GiB", Verdict::Ok, {}}, {"MPI", "no mpirun", worst, "install it"}};
    return report;
}

void write(const QString& file, const QByteArray& text)
{
    QFile out(file);
    QVERIFY(out.open(QIODevice::WriteOnly));
    out.write(text);
}

} // namespace

class TestHosts : public QObject {
    Q_OBJECT

private slots:
    void thisMachineIsAlwaysThere()
    {
        HostListModel hosts;
        QAbstractItemModelTester tester(&hosts);
        QCOMPARE(hosts.names(), QStringList{"localhost"});
        QVERIFY(!hosts.remove("localhost").ok());
    }

    void tellsTheDesksEngineFromOthers()
    {
        Bundle engine;
        engine.id = "aa";
        engine.version = "1.2.3";
        QCOMPARE(engineText({}, engine), "not uploaded yet");
        QCOMPARE(engineText({"bb"}, engine), "different build");
        QCOMPARE(engineText({"bb", "aa"}, engine), "1.2.3");
        QCOMPARE(engineText({"aa"}, refused("this desk has none")), "different build");
    }

    void refusesNamesThatSshCouldTakeForOptions_data()
    {
        QTest::addColumn<QString>("name");
        for (const char* name : {"", "-oProxyCommand=x", "a b", "gpu;reboot", "localhost"})
            QTest::addRow("%s", name) << QString(name);
    }
    void refusesNamesThatSshCouldTakeForOptions()
    {
        QFETCH(QString, name);
        HostListModel hosts;
        const Status added = hosts.add(named(name));
        QVERIFY(!added.ok());
        QCOMPARE(exitStatus(added.error().kind), 2);
        QCOMPARE(hosts.rowCount(), 1);
    }

    void aRemovedHostComesBackWhereItWas()
    {
        HostListModel hosts;
        QAbstractItemModelTester tester(&hosts);
        for (const char* name : {"a", "b", "c"})
            QVERIFY(hosts.add(named(name)).ok());
        const auto removed = hosts.remove("b");
        QVERIFY(removed.ok());
        QVERIFY(hosts.add(*removed, 2).ok());
        QCOMPARE(hosts.names(), (QStringList{"localhost", "a", "b", "c"}));
    }

    void aReportDecidesTheState()
    {
        HostListModel hosts;
        QAbstractItemModelTester tester(&hosts);
        QSignalSpy changed(&hosts, &QAbstractItemModel::dataChanged);
        hosts.setReport("localhost", report(Verdict::Warn));
        QCOMPARE(hosts.at(0).state, HostState::Warnings);
        hosts.setReport("localhost", report(Verdict::Fail));
        QCOMPARE(hosts.at(0).state, HostState::Blocked);
        hosts.setReport("localhost", HostReport{}); // no facts: nobody answered
        QCOMPARE(hosts.at(0).state, HostState::NotReached);
        QCOMPARE(changed.count(), 3);
    }

    void showsWhatIsFreeNow()
    {
        HostListModel hosts;
        hosts.setReport("localhost", report(Verdict::Ok));
        QCOMPARE(hosts.index(0, HostListModel::FreeMemory).data().toString(), "8.00 GiB");
    }

    void aLateReportOfARemovedHostIsDropped()
    {
        HostListModel hosts;
        hosts.setReport("gone", report(Verdict::Ok));
        QCOMPARE(hosts.rowCount(), 1);
    }

    void whatIsInTheWayComesFirst()
    {
        PreflightModel model;
        QAbstractItemModelTester tester(&model);
        model.setReport(report(Verdict::Fail));
        QCOMPARE(model.index(0, PreflightModel::Fix).data().toString(), "install it");
        QVERIFY(model.index(0, PreflightModel::VerdictColumn).data().toString().startsWith(QChar(0x2715)));
    }

    void linksToOtherHostsAreRowsToo()
    {
        HostReport host = report(Verdict::Ok);
        host.links = {{"a", "b", LinkRow::Way::Tcp, "0.1 ms", Verdict::Ok, {}},
                      {"a", "c", LinkRow::Way::Ssh, "asks for a password", Verdict::Fail, "give it a key"}};
        PreflightModel model;
        QAbstractItemModelTester tester(&model);
        model.setReport(host);
        QCOMPARE(model.rowCount(), 4);
        QCOMPARE(model.index(0, PreflightModel::Check).data().toString(), QString::fromUtf8("→ c, ssh"));
        QCOMPARE(model.index(0, PreflightModel::Fix).data().toString(), "give it a key");
        QCOMPARE(host.worst(), Verdict::Fail);
    }

    void theListSurvivesTheDisk()
    {
        QTemporaryDir folder;
        const auto file = std::filesystem::path(folder.path().toStdString()) / "deep" / "hosts.json";
        QCOMPARE(*loadHosts(file), QStringList()); // not there yet
        QVERIFY(saveHosts(file, {"gpu-03", "me@10.0.0.3:2222"}).ok());
        QCOMPARE(*loadHosts(file), (QStringList{"gpu-03", "me@10.0.0.3:2222"}));
    }

    void aDamagedListIsAnErrorThatNamesTheFile()
    {
        QTemporaryDir folder;
        const QString file = folder.filePath("hosts.json");
        for (const QByteArray text :
             {"{", "[]", R"({"version":1,"hosts":[3]})", R"({"version":9,"hosts":[]})"}) {
            write(file, text);
            const auto hosts = loadHosts(file.toStdString());
            QVERIFY(!hosts.ok());
            QVERIFY(hosts.error().message.find(file.toStdString()) != std::string::npos);
        }
    }

    void completesFromTheSshConfiguration()
    {
        QTemporaryDir folder;
        QVERIFY(QDir(folder.path()).mkdir("conf.d"));
        write(folder.filePath("conf.d/cluster"), "Host node-1 node-2\n  User ada\n");
        write(folder.filePath("config"),
              "# Host commented\nInclude conf.d/*\nHost=gpu-03\nHOST \"gpu 04\" *.lab !x gpu-03\n"
              "Host *\n  ForwardAgent no\nInclude config\n");
        const QStringList hosts = sshConfigHosts(folder.filePath("config"));
        QCOMPARE(hosts.mid(0, 3), (QStringList{"node-1", "node-2", "gpu-03"}));
        QVERIFY(!hosts.contains("*"));
        QVERIFY(!hosts.contains("commented"));
    }
};

QTEST_GUILESS_MAIN(TestHosts)
#include "tst_hosts.moc"
