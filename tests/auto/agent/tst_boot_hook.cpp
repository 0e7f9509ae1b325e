#include <filesystem>

#include <QTemporaryDir>
#include <QTest>

#include "engine/base/file.h"
#include "engine/base/process.h"
#include "remote/agent/host/boot_hook.h"
#include "tests/auto/agent/file_crontab.h"

using namespace trainyard;
using namespace trainyard::agent;

/// With a crontab that is a file.
class TestBootHook : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        std::filesystem::create_directory(path("root"));
        m_crontab = std::make_unique<FileCrontab>(path(""));
    }

    void comesAndGoesAndLeavesOtherLinesAlone()
    {
        QVERIFY(writeFileAtomically(m_crontab->table(), "# mine\n0 3 * * * backup\n").ok());
        const BootHook hook("/opt/agent", path("root"), m_crontab->program());
        QVERIFY(hook.install({}).ok());
        const BootHook ofTheNextVersion("/opt/newer", path("root"), m_crontab->program());
        QVERIFY(ofTheNextVersion.install({}).ok());
        QCOMPARE(m_crontab->text(),
                 "# mine\n0 3 * * * backup\n@reboot /bin/sh '" + path("root/on-boot") + "'\n");
        QVERIFY(hook.removeLine().ok());
        QVERIFY(hook.removeLine().ok());
        QCOMPARE(m_crontab->text(), std::string("# mine\n0 3 * * * backup\n"));
        QVERIFY(std::filesystem::exists(path("root/on-boot"))); // other machines may call it
        hook.removeScript();
        QVERIFY(!std::filesystem::exists(path("root/on-boot")));
    }

    void revivesInTheEnvironmentOfTheInstallation()
    {
        const std::string agent = path("it's an agent");
        QVERIFY(writeFileAtomically(agent, "#!/bin/sh\necho \"$PATH|$LANG|$*\"\n").ok());
        std::filesystem::permissions(agent, std::filesystem::perms::owner_all);
        const BootHook hook(agent, path("root"), m_crontab->program());
        QVERIFY(hook.install({"PATH=/opt/open mpi/bin:/bin", "LANG=it's"}).ok());
        const auto said =
            runCommand({"/bin/sh", path("root/on-boot")}, std::chrono::seconds(30), {"PATH=/bin"});
        QVERIFY(said.ok());
        QCOMPARE(said->text, "/opt/open mpi/bin:/bin|it's|revive --root " + path("root") + "\n");
    }

    void beginsACrontab()
    {
        const BootHook hook("/opt/agent", path("root"), m_crontab->program());
        QVERIFY(hook.install({}).ok());
        QVERIFY(m_crontab->text().starts_with("@reboot /bin/sh"));
        QVERIFY(hook.removeLine().ok());
        QVERIFY(!std::filesystem::exists(m_crontab->table())); // as before
    }

    void leavesAnEmptyCrontabWhereItCannotBeRemoved()
    {
        const std::string table = m_crontab->table().string();
        m_crontab->writeProgram("[ \"$1\" = -r ] && exit 1\n[ \"$1\" = -l ] || exec cp \"$1\" " + table +
                                "\n[ -f " + table + " ] && exec cat " + table +
                                "\necho no crontab for me >&2\nexit 1\n");
        const BootHook hook("/opt/agent", path("root"), m_crontab->program());
        QVERIFY(hook.install({}).ok() && hook.removeLine().ok());
        QVERIFY(std::filesystem::exists(m_crontab->table()));
        QCOMPARE(m_crontab->text(), std::string());
    }

    void keepsWarningsOutOfTheCrontab()
    {
        QVERIFY(writeFileAtomically(m_crontab->table(), "0 3 * * * backup\n").ok());
        const std::string table = m_crontab->table().string();
        m_crontab->writeProgram("[ \"$1\" = -l ] || exec cp \"$1\" " + table +
                                "\necho the password expires soon >&2\nexec cat " + table + "\n");
        QVERIFY(BootHook("/opt/agent", path("root"), m_crontab->program()).install({}).ok());
        QCOMPARE(m_crontab->text(), "0 3 * * * backup\n@reboot /bin/sh '" + path("root/on-boot") + "'\n");
    }

    void neverReplacesWhatItCouldNotRead()
    {
        QVERIFY(writeFileAtomically(m_crontab->table(), "0 3 * * * backup\n").ok());
        m_crontab->writeProgram("[ \"$1\" = -l ] && exit 1\ncp \"$1\" " + m_crontab->table().string() + "\n");
        QVERIFY(!BootHook("/opt/agent", path("root"), m_crontab->program()).install({}).ok());
        QCOMPARE(m_crontab->text(), std::string("0 3 * * * backup\n"));
    }

    void saysWhatIsMissing()
    {
        QVERIFY(!BootHook("/opt/agent", path("root"), path("no-such-program")).install({}).ok());
        QVERIFY(!BootHook("/opt/agent", path("it's"), m_crontab->program()).install({}).ok());
        QVERIFY(!std::filesystem::exists(m_crontab->table()));
        QVERIFY(!std::filesystem::exists(path("root/on-boot")));
    }

private:
    std::string path(const std::string& name) const { return m_folder->path().toStdString() + "/" + name; }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<FileCrontab> m_crontab;
};

QTEST_APPLESS_MAIN(TestBootHook)
#include "tst_boot_hook.moc"
