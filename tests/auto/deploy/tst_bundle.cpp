#include <QTemporaryDir>
#include <QTest>

#include "engine/base/file.h"
#include "tests/support/bundle/small_bundle.h"

using namespace trainyard;
using namespace trainyard::support;

class TestBundle : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_dir = std::make_unique<QTemporaryDir>();
        m_folder = m_dir->path().toStdString();
        writeBundle(m_folder, {{"bin/trainyard-worker", "program", true}, {"lib/libx.so", "library"}});
    }

    void readsItsManifest()
    {
        const auto bundle = Bundle::load(m_folder, TRAINYARD_VERSION);
        QVERIFY2(bundle.ok(), bundle.ok() ? "" : bundle.error().text().c_str());
        QCOMPARE(bundle->files.size(), std::size_t{2});
        QVERIFY(bundle->files[0].executable && !bundle->files[1].executable);
        QCOMPARE(bundle->totalBytes(), std::uint64_t{14});
        QVERIFY(isSha256(bundle->id));
    }

    void hasTheSameIdForTheSameFiles()
    {
        const std::string id = Bundle::load(m_folder, TRAINYARD_VERSION)->id;
        writeBundle(m_folder, {{"lib/libx.so", "library"}, {"bin/trainyard-worker", "program", true}});
        QCOMPARE(Bundle::load(m_folder, TRAINYARD_VERSION)->id, id);
        writeBundle(m_folder, {{"lib/libx.so", "Library"}, {"bin/trainyard-worker", "program", true}});
        QVERIFY(Bundle::load(m_folder, TRAINYARD_VERSION)->id != id);
    }

    void leavesOutWhatIsNotNeeded()
    {
        const std::string plain = Bundle::load(m_folder, TRAINYARD_VERSION)->id;
        writeBundle(m_folder, {{"bin/trainyard-worker", "program", true},
                               {"lib/libx.so", "library"},
                               {"lib/libtrainyard_cuda.so", "plug-in", false, true},
                               {"lib/libtrainyard_tables.so", "module", false, false, true}});
        const Bundle whole = Bundle::load(m_folder, TRAINYARD_VERSION).value();
        QVERIFY(whole.id != plain);
        QCOMPARE(whole.with({}).id, plain);
        QCOMPARE(whole.with({}).totalBytes(), std::uint64_t{14});
        QCOMPARE(whole.with({.cuda = true}).totalBytes(), std::uint64_t{21});
        QCOMPARE(whole.with({.tables = true}).totalBytes(), std::uint64_t{20});
        QCOMPARE(whole.with({.cuda = true, .tables = true}).id, whole.id);
    }

    void refusesAnotherVersion()
    {
        writeBundle(m_folder, {{"bin/trainyard-worker", "program", true}}, "9.9");
        const auto bundle = Bundle::load(m_folder, TRAINYARD_VERSION);
        QCOMPARE(bundle.error().kind, ErrorKind::Refused);
        QVERIFY(bundle.error().message.find("9.9") != std::string::npos);
        QVERIFY(bundle.error().hint.find("packaging/bundle") != std::string::npos);
    }

    void saysWhatIsWrongWithAManifest_data()
    {
        QTest::addColumn<QString>("manifest");
        QTest::addRow("not JSON") << "{";
        QTest::addRow("no version") << R"({"files": []})";
        QTest::addRow("no file") << R"({"version": "0.1.0", "files": []})";
        QTest::addRow("leads out")
            << R"({"version": "0.1.0", "files": [{"path": "../x", "mode": "0644", "size": 1, "sha256": "00"}]})";
        QTest::addRow("missing file")
            << R"({"version": "0.1.0", "files": [{"path": "bin/no", "mode": "0644", "size": 1, "sha256": "00"}]})";
        QTest::addRow("wrong size")
            << R"({"version": "0.1.0", "files": [{"path": "lib/libx.so", "mode": "0644", "size": 1, "sha256": "00"}]})";
        QTest::addRow("wrong hash")
            << R"({"version": "0.1.0", "files": [{"path": "lib/libx.so", "mode": "0644", "size": 7, "sha256": "00"}]})";
        QTest::addRow("wrong type") << R"({"version": 1, "files": {}})";
    }
    void saysWhatIsWrongWithAManifest()
    {
        QFETCH(QString, manifest);
        QVERIFY(writeFileAtomically(m_folder / "manifest.json", manifest.toStdString()).ok());
        const auto bundle = Bundle::load(m_folder, TRAINYARD_VERSION);
        QVERIFY(!bundle.ok());
        QCOMPARE(bundle.error().kind, ErrorKind::BadInput);
        QVERIFY2(bundle.error().message.find("manifest.json") != std::string::npos,
                 bundle.error().message.c_str());
    }

    void findsTheFolderThatIsSet()
    {
        qputenv("TRAINYARD_BUNDLE", "/somewhere");
        QCOMPARE(findBundleFolder()->string(), std::string("/somewhere"));
        qunsetenv("TRAINYARD_BUNDLE");
        qputenv("TRAINYARD_BIN", "/nonexistent/bin");
        QCOMPARE(findBundleFolder().error().kind, ErrorKind::Refused);
        qunsetenv("TRAINYARD_BIN");
    }

private:
    std::unique_ptr<QTemporaryDir> m_dir;
    std::filesystem::path m_folder;
};

QTEST_GUILESS_MAIN(TestBundle)
#include "tst_bundle.moc"
