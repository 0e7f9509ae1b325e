#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "remote/deploy/deployer.h"
#include "remote/target/target_pool.h"
#include "tests/support/bundle/small_bundle.h"
#include "tests/support/lab/netns_lab.h"
#include "tests/support/patience.h"

using namespace trainyard;
using namespace trainyard::support;

namespace {

const QJsonObject kClean{{"op", "clean"}, {"all", true}, {"dry_run", false}};

} // namespace

/// Over SSH to a host with a real sshd: whatever Trainyard has brought there goes again.
class TestCleanHost : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (const QString why = lab::NetnsLab::whyNot(); !why.isEmpty())
            QSKIP(qPrintable(why));
        m_lab = std::make_unique<lab::NetnsLab>(lab::NetnsLab::Options{1, "160m", {}});
        const QString trouble = m_lab->start();
        QVERIFY2(trouble.isEmpty(), qPrintable(trouble));
        m_lab->trustHosts();
    }
    void cleanupTestCase() { m_lab.reset(); }

    void leavesTheHostAsItWas_data()
    {
        QTest::addColumn<QString>("before"); // what the shell does first
        QTest::addColumn<QString>("root");
        QTest::addRow("the home folder") << "true"
                                         << "/root/.trainyard";
        QTest::addRow("no program may run in the home folder") << "noexec"
                                                               << "/var/tmp/trainyard-0";
    }
    void leavesTheHostAsItWas()
    {
        QFETCH(QString, before);
        QFETCH(QString, root);
        lab::LabHost& host = m_lab->host(0);
        const bool isNoexec = before == "noexec";
        if (isNoexec)
            QCOMPARE(host.mountDisk("/root/.trainyard", "size=64m,noexec"), QString());
        const QByteArray files = everyFile();
        deployAndRun(root);
        if (!QTest::currentTestFailed())
            cleans(root);
        const QByteArray after = everyFile();
        if (isNoexec)
            QCOMPARE(host.unmountDisk("/root/.trainyard"), QString());
        QVERIFY(files.contains("/root/.ssh"));
        QCOMPARE(after, files);
    }

private:
    Target& target() { return m_pool->target(m_lab->host(0).address()); }

    QJsonObject call(const QJsonObject& request)
    {
        QJsonObject answer;
        bool isThere = false;
        target().call(request, this, [&](const Result<QJsonObject>& reply) {
            isThere = true;
            answer =
                reply.ok() ? *reply : QJsonObject{{"error", QString::fromStdString(reply.error().text())}};
        });
        if (!QTest::qWaitFor([&] { return isThere; }, kPatienceMs))
            return {{"error", "no answer"}};
        return answer;
    }

    /// Names, kinds and owners of all files that a user may write, and the crontab.
    QByteArray everyFile()
    {
        return m_lab->host(0)
            .run({"sh", "-c",
                  "find /root /root/.trainyard /tmp /dev/shm /var/tmp -xdev -printf '%p %y %u\\n' | sort; "
                  "crontab -l 2>&1"})
            .output;
    }

    void deployAndRun(const QString& root)
    {
        m_pool = std::make_unique<TargetPool>(m_lab->targetOptions());
        QTemporaryDir folder;
        writeBundle(folder.path().toStdString(),
                    {{"bin/hello", "#!/bin/sh\necho hello\n", true}, {"lib/big", noise(3'000'000, 1)}});
        const auto bundle = Bundle::load(folder.path().toStdString(), TRAINYARD_VERSION);
        QVERIFY(bundle.ok());
        Deployer deployer(*bundle, {&target()});
        QSignalSpy finished(&deployer, &Deployer::finished);
        deployer.start();
        AWAIT_EQUAL(finished.size(), 1);
        const auto status = finished[0][0].value<Status>();
        QVERIFY2(status.ok(), status.ok() ? "" : status.error().text().c_str());
        QCOMPARE(target().agent()->root, root);
        const QJsonObject job{{"name", "r1"}, {"command", "prepare"}, {"arguments", QJsonArray{"dump"}}};
        QVERIFY(call({{"op", "create-run"},
                      {"run", "r1"},
                      {"kind", "prepare"},
                      {"job", job},
                      {"inventory", QJsonObject()},
                      {"node", 0}})
                    .value("created")
                    .toBool());
    }

    void cleans(const QString& root)
    {
        QVERIFY(call(kClean).value("error").toString().contains("r1")); // it is being started
        QVERIFY(call({{"op", "remove-run"}, {"run", "r1"}}).value("removed").toBool());
        const QJsonObject answer = call(kClean);
        QVERIFY2(answer.value("remains").isArray(), QJsonDocument(answer).toJson().constData());
        QCOMPARE(answer.value("remains").toArray(), QJsonArray());
        QVERIFY(answer.value("freed").toInteger() > 3'000'000);
        QVERIFY(!m_lab->host(0).run({"test", "-e", root}).ok());
        m_pool.reset();
    }

    std::unique_ptr<lab::NetnsLab> m_lab;
    std::unique_ptr<TargetPool> m_pool;
};

QTEST_GUILESS_MAIN(TestCleanHost)
#include "tst_clean_host.moc"
