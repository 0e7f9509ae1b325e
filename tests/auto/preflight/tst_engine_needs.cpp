#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>

#include "engine/base/file.h"
#include "remote/preflight/engine_needs.h"
#include "tests/support/bundle/small_bundle.h"

using namespace trainyard;
using support::BundleContent;

namespace {

std::string bytesOf(const char* file)
{
    return readFile(file).value();
}

} // namespace

class TestEngineNeeds : public QObject {
    Q_OBJECT

private slots:
    void asksForWhatTheBundleDoesNotBring()
    {
        const auto needs = needsOf({{"bin/worker", bytesOf("/proc/self/exe"), true},
                                    {"bin/script", "#!/bin/sh\n", true},
                                    {"lib/libstdc++.so.6", "a text file of that name", false}});
        QVERIFY(needs.contains("libc.so.6"));
        QVERIFY(!needs["libc.so.6"].isEmpty()); // as binutils tell: tst_elf_file
        QVERIFY(!needs.contains("libstdc++.so.6"));
        QVERIFY(needs.contains("libQt6Core.so.6"));
    }

    void tellsTheCudaPartApart()
    {
        const QTemporaryDir folder;
        const std::string program = bytesOf("/proc/self/exe");
        const auto needs = engineNeeds(bundle(folder, {{"bin/worker", "#!/bin/sh\n", true},
                                                       {"lib/libcudart.so.13", "text", false},
                                                       {"lib/libplugin.so", program, false, true}}));
        QVERIFY(needs.ok());
        QVERIFY(needs->libraries.isEmpty());
        QVERIFY(needs->cudaLibraries.contains("libc.so.6"));
        QCOMPARE(needs->cuda, 13);
        QCOMPARE(needs->architecture, QSysInfo::currentCpuArchitecture());
        QVERIFY(needs->request().value("libc.so.6").toArray().size() > 0);
    }

    void withoutACudaPartNoDriverIsNeeded()
    {
        const QTemporaryDir folder;
        const auto needs = engineNeeds(bundle(folder, {{"lib/libcudart.so.13", "text", false}}));
        QCOMPARE(needs->cuda, 0);
    }

    void itsOwnCLibraryAndMpiAreForRanksThatUseThem()
    {
        const QTemporaryDir folder;
        const std::string program = bytesOf("/proc/self/exe");
        const auto needs = engineNeeds(bundle(folder, {{"bin/worker", program, true},
                                                       {"mpi/lib/libmpi.so.40", program, false},
                                                       {"system/ld-linux-x86-64.so.2", program, true},
                                                       {"system/libc.so.6", program, false}}));
        QVERIFY2(needs.ok(), needs.ok() ? "" : needs.error().text().c_str());
        QVERIFY(needs->usesRuntime && needs->runtime.contains("libc.so.6"));
        QVERIFY(needs->libraries.contains("libc.so.6")); // of ranks with the host's MPI
        QVERIFY(!needs->withMpiOfHost().usesRuntime);
        QVERIFY(needs->request().contains("libc.so.6"));
    }

    void namesADamagedFile()
    {
        const QTemporaryDir folder;
        const auto needs =
            engineNeeds(bundle(folder, {{"bin/worker", bytesOf("/proc/self/exe").substr(0, 3000), true}}));
        QVERIFY(!needs.ok());
        QVERIFY(needs.error().message.find("bin/worker") != std::string::npos);
    }

private:
    static Bundle bundle(const QTemporaryDir& folder, const std::vector<BundleContent>& files)
    {
        const std::filesystem::path path = folder.path().toStdString();
        support::writeBundle(path, files);
        return Bundle::load(path, TRAINYARD_VERSION).value();
    }
    static EngineNeeds::Libraries needsOf(const std::vector<BundleContent>& files)
    {
        const QTemporaryDir folder;
        return engineNeeds(bundle(folder, files)).value().libraries;
    }
};

QTEST_APPLESS_MAIN(TestEngineNeeds)
#include "tst_engine_needs.moc"
