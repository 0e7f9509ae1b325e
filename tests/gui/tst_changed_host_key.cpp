#include <QDir>
#include <QFile>
#include <QLineEdit>
#include <QPushButton>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include "app/hosts/changed_key_strip.h"
#include "app/hosts/host_key_strip.h"
#include "app/hosts/hosts_page.h"
#include "app/hosts/key_comparison.h"
#include "app/shell/desk_window.h"
#include "tests/support/lab/netns_lab.h"
#include "tests/support/patience.h"

using namespace trainyard;

/// A host whose key changed: what the window and the terminal offer a person who knows why.
class TestChangedHostKey : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (const QString why = lab::NetnsLab::whyNot(); !why.isEmpty())
            QSKIP(qPrintable(why));
        qputenv("TRAINYARD_DATA", m_folder.filePath("desk").toUtf8());
        m_lab = std::make_unique<lab::NetnsLab>(lab::NetnsLab::Options{1, "64m", {}});
        const QString trouble = m_lab->start();
        QVERIFY2(trouble.isEmpty(), qPrintable(trouble));
        m_host = m_lab->host(0).address();
    }
    void cleanupTestCase() { m_lab.reset(); }

    /// known_hosts has the old key, and another host that must stay.
    void init()
    {
        m_lab->trustHosts();
        QFile file(m_lab->knownHosts());
        QVERIFY(file.open(QIODevice::Append));
        file.write("elsewhere" + m_lab->host(0).knownHostsLine().mid(m_host.size()));
        file.close();
        m_old = fingerprint();
        QVERIFY(m_lab->host(0).changeHostKey());
        m_new = fingerprint();
        QVERIFY(m_old != m_new);
    }

    void theWindowRemovesTheOldKeyForTheHostsName()
    {
        DeskWindow desk(*qApp, m_folder.filePath("desk").toStdString(), m_lab->targetOptions());
        desk.window().show();
        HostEntry entry;
        entry.name = m_host;
        QVERIFY(desk.session().hosts().add(entry).ok());
        auto& strip = *desk.window().findChild<HostsPage*>()->findChild<ChangedKeyStrip*>();
        desk.session().hostChecks().check(m_host);
        AWAIT(strip.isVisibleTo(&desk.window()));
        QVERIFY2(strip.text().contains("changed"), qPrintable(strip.text()));
        QVERIFY(strip.findChildren<QLineEdit*>().isEmpty());
        button(strip, "Remove old key…")->click();

        QString shown;
        for (const QLabel* label : strip.findChild<KeyComparison*>()->findChildren<QLabel*>())
            shown += label->text() + '\n';
        QVERIFY2(shown.contains(m_old) && shown.contains(m_new), qPrintable(shown));
        QPushButton* remove = button(strip, "Remove old key");
        auto* name = strip.findChild<QLineEdit*>();
        for (const QString& typed : {QString(), m_host.chopped(1), QString("elsewhere")}) {
            name->setText(typed);
            QVERIFY(!remove->isEnabled());
        }
        name->setText(m_host);
        QVERIFY(remove->isEnabled());
        remove->click();

        // What is left is the question about a host that was never seen.
        auto& question = *desk.window().findChild<HostKeyStrip*>();
        AWAIT(question.isVisibleTo(&desk.window()));
        QVERIFY2(question.text().contains(m_new), qPrintable(question.text()));
        QCOMPARE(knownNames(), QByteArrayList{"elsewhere"});
        button(question, "Accept")->click();
        AWAIT(!desk.session().hostChecks().isChecking(m_host));
        QVERIFY(!strip.isVisibleTo(&desk.window()));
        QCOMPARE(knownNames(), (QByteArrayList{"elsewhere", m_host.toUtf8()}));
    }

    void theWindowKeepsTheOldKeyOtherwise()
    {
        DeskWindow desk(*qApp, m_folder.filePath("other desk").toStdString(), m_lab->targetOptions());
        desk.window().show();
        HostEntry entry;
        entry.name = m_host;
        QVERIFY(desk.session().hosts().add(entry).ok());
        auto& strip = *desk.window().findChild<ChangedKeyStrip*>();
        desk.session().hostChecks().check(m_host);
        AWAIT(strip.isVisibleTo(&desk.window()));
        button(strip, "Remove old key…")->click();
        QPushButton* keep = button(strip, "Keep old key");
        QVERIFY(keep->hasFocus() || !desk.window().isActiveWindow()); // a hasty Return keeps it
        keep->click();
        QVERIFY(!strip.isVisibleTo(&desk.window()));
        QCOMPARE(knownNames(), (QByteArrayList{m_host.toUtf8(), "elsewhere"}));
    }

    void theTerminalRemovesTheOldKeyForTheHostsName_data()
    {
        QTest::addColumn<bool>("hashed");
        QTest::addColumn<QString>("typed");
        QTest::addColumn<int>("status");
        QTest::newRow("the name") << false << m_host << 0;
        QTest::newRow("the name, hashed in known_hosts") << true << m_host << 0;
        QTest::newRow("another name") << false << "elsewhere" << exitStatus(ErrorKind::Refused);
        QTest::newRow("yes") << true << "yes" << exitStatus(ErrorKind::Refused);
        QTest::newRow("nothing") << false << "" << exitStatus(ErrorKind::Refused);
    }
    void theTerminalRemovesTheOldKeyForTheHostsName()
    {
        QFETCH(bool, hashed);
        QFETCH(QString, typed);
        QFETCH(int, status);
        if (hashed)
            QVERIFY(lab::runCommand({"ssh-keygen", "-q", "-H", "-f", m_lab->knownHosts()}).ok());
        const auto before = knownNames();
        QCOMPARE(before.size(), 2);
        const QString command =
            QString("'%1/trainyard' hosts remove-old-key %2").arg(TRAINYARD_BIN_DIR, m_host);
        const auto done = runWithLabsSsh({"script", "-qec", command, "/dev/null"}, typed.toUtf8() + "\n");
        QVERIFY2(done.output.contains(m_old.toUtf8()) && done.output.contains(m_new.toUtf8()),
                 done.output.constData());
        QCOMPARE(done.status, status);
        QCOMPARE(knownNames(), status == 0 ? QByteArrayList{before[1]} : before);
    }

    void nothingIsRemovedWithoutATerminal()
    {
        const auto before = knownNames();
        const auto done = runWithLabsSsh({TRAINYARD_BIN_DIR "/trainyard", "hosts", "remove-old-key", m_host},
                                         m_host.toUtf8() + "\n");
        QCOMPARE(done.status, exitStatus(ErrorKind::Refused));
        QVERIFY2(done.errors.contains("no terminal"), done.errors.constData());
        QCOMPARE(knownNames(), before);
    }

private:
    static QPushButton* button(const QWidget& strip, const QString& text)
    {
        for (QPushButton* button : strip.findChildren<QPushButton*>()) {
            if (button->text() == text && button->isVisibleTo(&strip))
                return button;
        }
        qFatal("there is no button %s", qPrintable(text));
    }

    /// The command line asks `ssh -G` what a host name means: here it is told what the lab is.
    lab::Finished runWithLabsSsh(const QStringList& command, const QByteArray& input) const
    {
        const QString folder = m_folder.filePath("bin");
        QDir().mkpath(folder);
        QFile config(folder + "/config"), ssh(folder + "/ssh");
        if (!config.open(QIODevice::WriteOnly) || !ssh.open(QIODevice::WriteOnly))
            qFatal("cannot write in %s", qPrintable(folder));
        config.write("Host *\n  User root\n  IdentityAgent none\n  IdentityFile " +
                     m_lab->clientKey().toUtf8() + "\n  UserKnownHostsFile " + m_lab->knownHosts().toUtf8() +
                     "\n");
        ssh.write("#!/bin/sh\nexec " + QStandardPaths::findExecutable("ssh").toUtf8() + " -F " +
                  config.fileName().toUtf8() + " \"$@\"\n");
        ssh.setPermissions(QFile::ReadOwner | QFile::ExeOwner);
        ssh.close();
        config.close();
        return lab::runCommand(
            QStringList{"env", "PATH=" + folder + ':' + qEnvironmentVariable("PATH")} + command, input);
    }

    QString fingerprint() const
    {
        const auto told = lab::runCommand({"ssh-keygen", "-l", "-f", "-"}, m_lab->host(0).knownHostsLine());
        return told.output.split(' ').value(1);
    }

    QByteArrayList knownNames() const
    {
        QFile file(m_lab->knownHosts());
        QByteArrayList names;
        if (file.open(QIODevice::ReadOnly)) {
            for (const QByteArray& line : file.readAll().trimmed().split('\n'))
                names << line.split(' ').first();
        }
        return names;
    }

    QTemporaryDir m_folder;
    std::unique_ptr<lab::NetnsLab> m_lab;
    QString m_host;
    QString m_old, m_new; ///< fingerprints
};

QTEST_MAIN(TestChangedHostKey)
#include "tst_changed_host_key.moc"
