#include <filesystem>

#include <QTemporaryDir>
#include <QTest>

#include "engine/base/file.h"
#include "remote/agent/host/boot_hook.h"
#include "remote/agent/host/process.h"

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
        const std::string tab = path("tab");
        const std::string script = "#!/bin/sh\nif [ \"$1\" = -l ]; then [ -f " + tab + " ] && exec cat " +
                                   tab + "; echo no crontab for me >&2; exit 1; fi\nexec cp \"$1\" " + tab +
                                   "\n";
        QVERIFY(writeFileAtomically(path("crontab"), script).ok());
        std::filesystem::permissions(path("crontab"), std::filesystem::perms::owner_all);
    }

    void comesAndGoesAndLeavesOtherLinesAlone()
    {
        QVERIFY(writeFileAtomically(path("tab"), "# mine\n0 3 * * * backup\n").ok());
        const BootHook hook("/opt/agent", path("root"), path("crontab"));
        QVERIFY(hook.install({}).ok());
        const BootHook ofTheNextVersion("/opt/newer", path("root"), path("crontab"));
        QVERIFY(ofTheNextVersion.install({}).ok());
        QCOMPARE(tab(), "# mine\n0 3 * * * backup\n@reboot /bin/sh '" + path("root/on-boot") + "'\n");
        QVERIFY(hook.remove().ok());
        QVERIFY(hook.remove().ok());
        QCOMPARE(tab(), std::string("# mine\n0 3 * * * backup\n"));
        QVERIFY(!std::filesystem::exists(path("root/on-boot")));
    }

    void revivesInTheEnvironmentOfTheInstallation()
    {
        const std::string agent = path("it's an agent");
        QVERIFY(writeFileAtomically(agent, "#!/bin/sh\necho \"$PATH|$LANG|$*\"\n").ok());
        std::filesystem::permissions(agent, std::filesystem::perms::owner_all);
        const BootHook hook(agent, path("root"), path("crontab"));
        QVERIFY(hook.install({"PATH=/opt/open mpi/bin:/bin", "LANG=it's"}).ok());
        const auto said =
            runCommand({"/bin/sh", path("root/on-boot")}, std::chrono::seconds(30), {"PATH=/bin"});
        QVERIFY(said.ok());
        QCOMPARE(said->text, "/opt/open mpi/bin:/bin|it's|revive --root " + path("root") + "\n");
    }

    void beginsACrontab()
    {
        const BootHook hook("/opt/agent", path("root"), path("crontab"));
        QVERIFY(hook.install({}).ok());
        QVERIFY(tab().starts_with("@reboot /bin/sh"));
    }

    void neverReplacesWhatItCouldNotRead()
    {
        QVERIFY(writeFileAtomically(path("tab"), "0 3 * * * backup\n").ok());
        QVERIFY(writeFileAtomically(path("crontab"),
                                    "#!/bin/sh\n[ \"$1\" = -l ] && exit 1\ncp \"$1\" " + path("tab") + "\n")
                    .ok());
        std::filesystem::permissions(path("crontab"), std::filesystem::perms::owner_all);
        QVERIFY(!BootHook("/opt/agent", path("root"), path("crontab")).install({}).ok());
        QCOMPARE(tab(), std::string("0 3 * * * backup\n"));
    }

    void saysWhatIsMissing()
    {
        QVERIFY(!BootHook("/opt/agent", path("root"), path("no-such-program")).install({}).ok());
        QVERIFY(!BootHook("/opt/agent", path("it's"), path("crontab")).install({}).ok());
        QVERIFY(!std::filesystem::exists(path("tab")));
        QVERIFY(!std::filesystem::exists(path("root/on-boot")));
    }

private:
    std::string path(const std::string& name) const { return m_folder->path().toStdString() + "/" + name; }
    std::string tab() const { return readFile(path("tab")).value(); }

    std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_APPLESS_MAIN(TestBootHook)
#include "tst_boot_hook.moc"
