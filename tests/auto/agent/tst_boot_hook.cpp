#include <filesystem>

#include <QTemporaryDir>
#include <QTest>

#include "engine/base/file.h"
#include "remote/agent/host/boot_hook.h"

using namespace trainyard;
using namespace trainyard::agent;

/// With a crontab that is a file.
class TestBootHook : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
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
        const BootHook hook("/opt/agent", path(""), path("crontab"));
        QVERIFY(hook.install().ok());
        QVERIFY(hook.install().ok());
        QCOMPARE(tab(), "# mine\n0 3 * * * backup\n@reboot '/opt/agent' revive --root '" + path("") + "'\n");
        QVERIFY(hook.remove().ok());
        QVERIFY(hook.remove().ok());
        QCOMPARE(tab(), std::string("# mine\n0 3 * * * backup\n"));
    }

    void beginsACrontab()
    {
        const BootHook hook("/opt/agent", path(""), path("crontab"));
        QVERIFY(hook.install().ok());
        QVERIFY(tab().starts_with("@reboot '/opt/agent'"));
    }

    void neverReplacesWhatItCouldNotRead()
    {
        QVERIFY(writeFileAtomically(path("tab"), "0 3 * * * backup\n").ok());
        QVERIFY(writeFileAtomically(path("crontab"),
                                    "#!/bin/sh\n[ \"$1\" = -l ] && exit 1\ncp \"$1\" " + path("tab") + "\n")
                    .ok());
        std::filesystem::permissions(path("crontab"), std::filesystem::perms::owner_all);
        QVERIFY(!BootHook("/opt/agent", path(""), path("crontab")).install().ok());
        QCOMPARE(tab(), std::string("0 3 * * * backup\n"));
    }

    void saysWhatIsMissing()
    {
        QVERIFY(!BootHook("/opt/agent", path(""), path("no-such-program")).install().ok());
        QVERIFY(!BootHook("/opt/it's", path(""), path("crontab")).install().ok());
        QVERIFY(!std::filesystem::exists(path("tab")));
    }

private:
    std::string path(const std::string& name) const { return m_folder->path().toStdString() + "/" + name; }
    std::string tab() const { return readFile(path("tab")).value(); }

    std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_APPLESS_MAIN(TestBootHook)
#include "tst_boot_hook.moc"
