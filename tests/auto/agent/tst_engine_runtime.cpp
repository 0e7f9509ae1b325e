#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

#include "engine/base/file.h"
#include "remote/agent/programs/driver_libraries.h"
#include "remote/agent/programs/engine_runtime.h"

using namespace trainyard;
using namespace trainyard::agent;

namespace {

namespace fs = std::filesystem;

void writeProgram(const fs::path& path)
{
    QVERIFY(makeFolder(path.parent_path()).ok());
    QVERIFY(writeFileAtomically(path, "#!/bin/sh\n").ok());
    fs::permissions(path, fs::perms::owner_all);
}

bool isIn(const std::vector<std::string>& list, const std::string& text)
{
    return std::ranges::find(list, text) != list.end();
}

} // namespace

/// How the programs of a bundle are started by its own loader, and what they see of the host.
class TestEngineRuntime : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_bundle = m_folder->path().toStdString() + "/bundle";
        writeProgram(m_bundle / "bin/trainyard-worker");
    }

    void aBundleWithoutALoaderHasNone()
    {
        QVERIFY(!EngineRuntime::in(m_bundle));
        QVERIFY(makeFolder(m_bundle / "system").ok());
        QVERIFY(!EngineRuntime::in(m_bundle));
        QVERIFY(!EngineRuntime::in("/no/such/folder"));
    }

    void startsProgramsUnderTheirNamesByItsLoader()
    {
        const EngineRuntime runtime = makeRuntime();
        QCOMPARE(runtime.loader, m_bundle / "system/ld-linux-x86-64.so.2");
        const auto command = runtime.command("mpirun", runtime.libraryPath("/links"), {"-np", "2"});
        const std::string b = m_bundle.string();
        const std::vector<std::string> expected{"mpirun",
                                                "--inhibit-cache",
                                                "--library-path",
                                                b + "/system:" + b + "/lib:" + b + "/mpi/lib:/links",
                                                "--preload",
                                                b + "/system/libtrainyard_start.so",
                                                "--argv0",
                                                "mpirun",
                                                b + "/mpi/bin/mpirun",
                                                "-np",
                                                "2"};
        QVERIFY(command == expected);
        QCOMPARE(runtime.program("trainyard-worker"), m_bundle / "bin/trainyard-worker");
        QVERIFY(runtime.program("ssh").empty());
        QVERIFY(!runtime.libraryPath({}).ends_with(':'));
    }

    void givesOpenMpiItsFoldersAndTheHostNothingOfOurs()
    {
        const Environment environment =
            makeRuntime().environment({"PATH=/usr/bin", "LD_PRELOAD=/usr/lib/libhook.so",
                                       "OPAL_PREFIX=/opt/ompi", "LD_LIBRARY_PATH=/opt/lib"});
        const std::string mpi = m_bundle.string() + "/mpi/";
        for (const std::string& entry :
             {std::string("PATH=/usr/bin"), std::string("LD_LIBRARY_PATH=/opt/lib"), "OPAL_PREFIX=" + mpi,
              "OPAL_PKGLIBDIR=" + mpi + "lib/openmpi", "PMIX_PKGLIBDIR=" + mpi + "lib/pmix",
              "OPAL_SYSCONFDIR=" + mpi + "etc"})
            QVERIFY2(isIn(environment, entry), entry.c_str());
        QVERIFY(!isIn(environment, "OPAL_PREFIX=/opt/ompi"));
        QVERIFY(!isIn(environment, "LD_PRELOAD=/usr/lib/libhook.so"));
        // ssh and the shells that ours start are the host's: its loader must not find our C library.
        QVERIFY(std::ranges::none_of(environment, [&](const std::string& entry) {
            return entry.starts_with("LD_") && entry.find(m_bundle.string()) != std::string::npos;
        }));
    }

    void linksTheDriverAndNothingBesideIt()
    {
        const fs::path other = makeDriver("other", false); // without the driver: passed over
        const fs::path folder = makeDriver("usr", true);
        const fs::path links = linkDriverLibraries(m_bundle, {"/no/such/folder", other, folder});
        QCOMPARE(links.parent_path(), m_bundle);
        QCOMPARE(QDir(QString::fromStdString(links))
                     .entryList(QDir::AllEntries | QDir::System | QDir::NoDotAndDotDot),
                 QStringList({"libcuda.so.1", "libnvidia-ml.so.1", "libnvidia-ptxjitcompiler.so.1"}));
        QCOMPARE(fs::read_symlink(links / "libcuda.so.1"), folder / "libcuda.so.1");
        QCOMPARE(linkDriverLibraries(m_bundle, {folder}), links); // made once
        const auto entries = QDir(QString::fromStdString(m_bundle)).entryList({"driver-*"});
        QCOMPARE(entries.size(), 1);
    }

    void twoHostsOnOneDiskHaveTheirOwnLinks()
    {
        const fs::path first = linkDriverLibraries(m_bundle, {makeDriver("a", true)});
        const fs::path second = linkDriverLibraries(m_bundle, {makeDriver("b", true)});
        QVERIFY(!first.empty() && !second.empty());
        QVERIFY(first != second);
    }

    void aHostWithoutADriverHasNoLinks()
    {
        QVERIFY(linkDriverLibraries(m_bundle, {}).empty());
        const fs::path folder = m_folder->path().toStdString() + "/damaged";
        QVERIFY(makeFolder(folder).ok());
        QVERIFY(writeFileAtomically(folder / "libcuda.so.1", "not a library").ok());
        QVERIFY(linkDriverLibraries(m_bundle, {folder}).empty());
    }

private:
    EngineRuntime makeRuntime()
    {
        writeProgram(m_bundle / "system/ld-linux-x86-64.so.2");
        writeProgram(m_bundle / "mpi/bin/mpirun");
        return EngineRuntime::in(m_bundle).value();
    }

    /// A folder of libraries, as /usr/lib64 is; any library of this processor stands for the driver's.
    fs::path makeDriver(const char* name, bool hasDriver)
    {
        const fs::path folder = fs::path(m_folder->path().toStdString()) / name;
        for (const char* file :
             {"libc.so.6", "libnvidia-ml.so.1", "libnvidia-ptxjitcompiler.so.1", "libcuda.so.1"}) {
            if (!hasDriver && std::string_view(file) == "libcuda.so.1")
                continue;
            makeFolder(folder).ok();
            fs::copy_file("/proc/self/exe", folder / file);
        }
        return folder;
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    fs::path m_bundle;
};

QTEST_APPLESS_MAIN(TestEngineRuntime)
#include "tst_engine_runtime.moc"
