#include <sys/wait.h>

#include "engine/base/file.h"
#include "remote/agent/supervise/node_check.h"
#include "remote/agent/supervise/node_probe.h"
#include "tests/support/patience.h"

#include <QTemporaryDir>

using namespace trainyard;
using namespace trainyard::agent;
namespace fs = std::filesystem;

namespace {

/// Stands in for ssh: what becomes of a login depends on the host.
constexpr const char* kProbeShell = R"(#!/bin/sh
case $1 in
able) [ "$2 $3" = "check --it" ] ;;
mute) exit 3 ;;
broken) echo "welcome to broken"; echo "trainyard-agent: there is no program /opt/worker" >&2; exit 3 ;;
killed) kill -9 $$ ;;
strange) echo "Host key verification failed." >&2; exit 255 ;;
closed) echo "me@closed: Permission denied (publickey,password)." >&2; exit 255 ;;
*) echo "ssh: connect to host $1 port 22: No route to host" >&2; exit 255 ;;
esac
)";

void makeProgram(const fs::path& path, const std::string& text)
{
    QVERIFY(makeFolder(path.parent_path()).ok());
    QVERIFY(writeFileAtomically(path, text).ok());
    fs::permissions(path, fs::perms::owner_all);
}

QString print(const std::vector<std::string>& hosts)
{
    QStringList names;
    for (const std::string& host : hosts)
        names << QString::fromStdString(host);
    return names.join(' ');
}

} // namespace

/// Whether hosts can carry ranks: asked from the head, and answered on the node.
class TestNodeProbe : public QObject {
    Q_OBJECT

private slots:
    void tellsWhoCanCarryRanksAndWhyOthersCannot()
    {
        makeProgram(path("ssh"), kProbeShell);
        NodeProbe probe;
        probe.start({"able", "gone", "broken", "mute", "killed"}, path("ssh").string(), {"check", "--it"});
        QVERIFY(probe.isUnderWay());
        AWAIT(isOver(probe));
        QVERIFY(!probe.isUnderWay());
        QCOMPARE(print(probe.able()), QString("able"));
        QCOMPARE(print(probe.unable()), QString("gone broken mute killed"));
        const QString troubles =
            "no answer from gone; broken cannot run ranks: there is no program /opt/worker; "
            "mute cannot run ranks: it gives no reason; no answer from killed";
        QCOMPARE(QString::fromStdString(probe.troubles()), troubles);
        QCOMPARE(QString::fromStdString(probe.troubles()), troubles); // the final error asks again
    }

    void saysHowALoginThatIsRefusedIsPutRight()
    {
        makeProgram(path("ssh"), kProbeShell);
        NodeProbe probe;
        probe.start({"strange", "closed"}, path("ssh").string(), {"check"});
        AWAIT(isOver(probe));
        QCOMPARE(
            QString::fromStdString(probe.troubles()),
            QString(
                "no answer from strange: Host key verification failed. (compare its key, and add it to "
                "known_hosts on the head node); no answer from closed: me@closed: Permission denied "
                "(publickey,password). (let the head node log in there with a key without a passphrase)"));
    }

    void keepsTheLastWordsOfANodeThatPrintsMuch()
    {
        makeProgram(path("ssh"),
                    "#!/bin/sh\nhead -c 200000 /dev/zero | tr '\\0' '\\n'\necho its last words\nexit 3\n");
        NodeProbe probe;
        probe.start({"loud"}, path("ssh").string(), {"check"});
        AWAIT(isOver(probe));
        QCOMPARE(probe.troubles(), std::string("loud cannot run ranks: its last words"));
    }

    void aShellThatIsNotThereReachesNobody()
    {
        NodeProbe probe;
        probe.start({"able"}, path("no-such-shell").string(), {"check", "--it"});
        QVERIFY(probe.isOver());
        QCOMPARE(print(probe.unable()), QString("able"));
    }

    void nobodyToAskIsOverAtOnce()
    {
        NodeProbe probe;
        probe.start({}, "ssh", {"check"});
        QVERIFY(probe.isOver());
        QVERIFY(probe.able().empty() && probe.unable().empty());
    }

    void aNodeNeedsProgramFolderAndDaemon_data()
    {
        QTest::addColumn<bool>("hasProgram");
        QTest::addColumn<bool>("hasFolder");
        QTest::addColumn<QByteArray>("daemon"); // what is in PATH as orted; empty = nothing
        QTest::addColumn<QString>("trouble");   // empty = it can carry ranks
        const QByteArray good = "#!/bin/sh\necho 'Usage: orted [OPTION]...'\nexit 1\n"; // as OpenMPI 4.1
        QTest::addRow("all there") << true << true << good << "";
        QTest::addRow("no program") << false << true << good << "there is no program ";
        QTest::addRow("no folder of the run") << true << false << good << "the run's folder ";
        QTest::addRow("no daemon") << true << true << QByteArray() << "orted is not in PATH";
        QTest::addRow("a library of the daemon is missing")
            << true << true << QByteArray("#!/bin/sh\necho libopen-rte.so.40: cannot open\nexit 127\n")
            << "libopen-rte.so.40: cannot open";
    }
    void aNodeNeedsProgramFolderAndDaemon()
    {
        QFETCH(bool, hasProgram);
        QFETCH(bool, hasFolder);
        QFETCH(QByteArray, daemon);
        QFETCH(QString, trouble);
        const QByteArray searched = qgetenv("PATH");
        const QTemporaryDir place;
        const fs::path here = place.path().toStdString();
        const RunFolder folder(here / "root", "r");
        if (hasProgram)
            makeProgram(here / "worker", "#!/bin/sh\n");
        if (hasFolder)
            QVERIFY(makeFolder(folder.ranks()).ok());
        if (!daemon.isEmpty())
            makeProgram(here / "bin" / "orted", daemon.toStdString());
        qputenv("PATH", (place.path() + "/bin").toUtf8());
        const Status able = checkNode(folder, here / "worker");
        qputenv("PATH", searched);
        QCOMPARE(able.ok(), trouble.isEmpty());
        if (!able.ok())
            QVERIFY2(able.error().message.find(trouble.toStdString()) != std::string::npos,
                     able.error().message.c_str());
        else
            QVERIFY(fs::is_empty(folder.ranks())); // nothing stays behind
    }

private:
    fs::path path(const char* name) const { return fs::path(m_folder.path().toStdString()) / name; }

    /// The supervisor's part: it reaps the children.
    static bool isOver(NodeProbe& probe)
    {
        int status = 0;
        for (pid_t child = 0; (child = ::waitpid(-1, &status, WNOHANG)) > 0;)
            probe.childEnded(child, status);
        return probe.isOver();
    }

    QTemporaryDir m_folder;
};

QTEST_GUILESS_MAIN(TestNodeProbe)
#include "tst_node_probe.moc"
