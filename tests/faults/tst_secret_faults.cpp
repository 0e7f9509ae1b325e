#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include "tests/support/faults/fault_report.h"
#include "tests/support/file_content.h"
#include "tests/support/journal/fed_run.h"
#include "tests/support/lab/lab_process.h"
#include "tests/support/lab/netns_lab.h"
#include "tests/support/patience.h"

using namespace trainyard;
using namespace trainyard::support;
using namespace std::chrono_literals;

namespace {

const QByteArray kCanary = "canary-7Qx2 wing'd \"bird\"";

/// Processes in whose command line or environment the canary is.
QStringList processesThatTell()
{
    QStringList found;
    for (const QString& entry : QDir("/proc").entryList(QDir::Dirs)) {
        for (const char* file : {"cmdline", "environ"}) {
            if (entry.toLongLong() > 0 && contentOf("/proc/" + entry + '/' + file).contains(kCanary))
                found << entry + '/' + file;
        }
    }
    return found;
}

/// Files below `folder`, names included, that hold the canary. `count` gets how many were read.
/// Of the file system that the folder is on alone: the hosts see the build, which has the secret in this
/// test.
QStringList filesThatTell(const QString& folder, int& count)
{
    QStringList found;
    const QByteArray files = lab::runCommand({"find", folder + '/', "-xdev", "-type", "f", "-print0"}).output;
    for (const QByteArray& name : files.split('\0')) {
        if (name.isEmpty())
            continue;
        const QString path = QFile::decodeName(name);
        ++count;
        if (path.toUtf8().contains(kCanary) || contentOf(path).contains(kCanary))
            found << path;
    }
    return found;
}

} // namespace

/// A passphrase that is given as a person gives it must not be found anywhere.
class TestSecretFaults : public QObject {
    Q_OBJECT

private slots:
    void f61_canary()
    {
        if (const QString why = lab::NetnsLab::whyNot(); !why.isEmpty())
            QSKIP(qPrintable(why));
        FaultReport report(61, "A passphrase (canary) is given; links break, words are wrong, runs go on",
                           "found in no command line, environment, log, journal, mirror, setting or message");
        qputenv("TRAINYARD_DATA", m_desk.filePath("desk").toUtf8());
        qputenv("XDG_CONFIG_HOME", m_desk.filePath("config").toUtf8());
        lab::NetnsLab lab({1, "128m", {"LogLevel DEBUG3"}});
        const QString trouble = lab.start();
        QVERIFY2(trouble.isEmpty(), qPrintable(trouble));
        lab.trustHosts();
        QVERIFY(
            lab::runCommand({"ssh-keygen", "-q", "-p", "-P", "", "-N", kCanary, "-f", lab.clientKey()}).ok());
        report.injected("the key of the lab has the canary as its passphrase");

        TargetPool pool(lab.targetOptions());
        Target& target = pool.target(lab.host(0).address());
        watch(target);
        AWAIT_EQUAL(target.state(), Target::State::Ready);
        QVERIFY(m_asked >= 2);
        report.injected(QString("asked %1 times, first answered with a wrong one").arg(m_asked));
        follow(lab, pool, report);
        look(lab, report);
    }

private:
    /// Answers as a person would: wrong at first, then right.
    void watch(Target& target)
    {
        connect(&target, &Target::loginNeeded, this, [this, &target](const ssh::LoginInquiry&) {
            const QByteArray text = ++m_asked == 1 ? QByteArray("wrong ") + kCanary.left(3) : kCanary;
            std::vector<ssh::Secret> answer;
            answer.emplace_back(std::string_view(text.constData(), static_cast<std::size_t>(text.size())));
            target.answerLogin(std::move(answer));
        });
        const auto hear = [this](const QString& text) { m_words << text; };
        connect(&target, &Target::notice, this, hear);
        connect(&target, &Target::progress, this, hear);
        connect(&target, &Target::attemptFailed, this,
                [this](const Error& error) { m_words << QString::fromStdString(error.text()); });
    }

    void follow(lab::NetnsLab& lab, TargetPool& pool, FaultReport& report)
    {
        Target& target = pool.target(lab.host(0).address());
        std::optional<Result<QJsonObject>> made;
        target.call(createRunRequest("run"), [&](const auto& reply) { made = reply; });
        AWAIT(made.has_value());
        FedRun run(lab.host(0).path("/root/.trainyard/runs/run"));
        RunFollower follower("run", {lab.host(0).address()}, pool);
        RecordLedger ledger(follower);
        follower.start();
        run.state(RunState::Running);
        run.steps(100);
        AWAIT_EQUAL(ledger.count("steps"), 100u);
        lab.host(0).resetConnections();
        run.steps(100);
        AWAIT_EQUAL(ledger.count("steps"), 200u);
        report.injected("connection reset and taken up again with the passphrase");
        QVERIFY2(processesThatTell().isEmpty(), qPrintable(processesThatTell().join(' ')));
    }

    void look(lab::NetnsLab& lab, FaultReport& report)
    {
        QVERIFY2(processesThatTell().isEmpty(), qPrintable(processesThatTell().join(' ')));
        int files = 0;
        QStringList found = filesThatTell(m_desk.path(), files);
        found << filesThatTell(QFileInfo(lab.clientKey()).path(), files)
              << filesThatTell(lab.host(0).path("/root"), files)
              << filesThatTell(lab.host(0).path("/tmp"), files);
        QVERIFY2(found.isEmpty(), qPrintable(found.join(' ')));
        QVERIFY(files > 5);
        for (const QString& text : m_words)
            QVERIFY2(!text.contains(kCanary), qPrintable(text));
        report.observed(QString("not in %1 files of desk and host, %2 messages, nor any process")
                            .arg(files)
                            .arg(m_words.size()));
    }

    QTemporaryDir m_desk;
    int m_asked = 0;
    QStringList m_words;
};

QTEST_GUILESS_MAIN(TestSecretFaults)
#include "tst_secret_faults.moc"
