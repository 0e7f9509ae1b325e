#include <QTemporaryDir>
#include <QTest>

#include "datasets/shards/manifest.h"
#include "engine/base/file.h"

using namespace trainyard;

namespace {

Manifest someManifest()
{
    Manifest manifest;
    manifest.toolVersion = "0.1.0";
    manifest.sequenceLength = 128;
    manifest.maxPredictions = 20;
    manifest.vocabularySize = 30522;
    manifest.vocabularyFile = "vocab.txt";
    manifest.vocabularySha256 = "07ec";
    manifest.seed = 12345678901234567890ull;
    manifest.settings.dumps = {"a.xml.bz2", "b.xml"};
    manifest.settings.testFraction = 0.1;
    manifest.statistics.lengthHistogram = {0, 3, 4};
    manifest.counters = {{"redirects", 100}};
    manifest.shards = {{"c_training_0.hdf5", 11, "aa", true},
                       {"c_training_1.hdf5", 10, "bb", true},
                       {"c_test_0.hdf5", 4, "cc", false}};
    return manifest;
}

} // namespace

class TestManifest : public QObject {
    Q_OBJECT

private slots:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void readsWhatItWrote()
    {
        const Manifest written = someManifest();
        QVERIFY(save(written.toJson()));
        const auto read = Manifest::load(path());
        QVERIFY2(read.ok(), read.ok() ? "" : read.error().text().c_str());
        QCOMPARE(read->toJson(), written.toJson());
        QCOMPARE(read->seed, written.seed);
        QCOMPARE(read->trainingRows(), std::uint64_t(21));
        QCOMPARE(read->testRows(), std::uint64_t(4));
    }

    void tellsTheTextOfItsShards()
    {
        Manifest manifest = someManifest();
        QVERIFY(manifest.toJson().find("text_bytes") == std::string::npos);
        QVERIFY(!manifest.testBytesPerToken());
        manifest.shards[2].tokens = 500;
        manifest.shards[2].textBytes = 2100;
        QVERIFY(save(manifest.toJson()));
        const Manifest read = Manifest::load(path()).value();
        QCOMPARE(read.shards[2].tokens, std::uint64_t(500));
        QCOMPARE(read.shards[2].textBytes, std::uint64_t(2100));
        QCOMPARE(read.shards[0].textBytes, std::uint64_t(0));
        QCOMPARE(read.testBytesPerToken().value(), 4.2);
    }

    void takesNamesThatAreNoUtf8()
    {
        Manifest manifest = someManifest();
        manifest.settings.dumps = {"caf\xE9.xml"};
        QVERIFY(save(manifest.toJson()));
        QCOMPARE(Manifest::load(path())->settings.dumps, std::vector<std::string>{"caf\uFFFD.xml"});
    }

    void saysThatAFolderIsNoDataset()
    {
        const auto read = Manifest::load(path());
        QVERIFY(!read.ok());
        QCOMPARE(read.error().kind, ErrorKind::BadInput);
        QVERIFY(!read.error().hint.empty());
    }

    void namesTheBadField_data()
    {
        QTest::addColumn<QString>("find");
        QTest::addColumn<QString>("replace");
        QTest::addColumn<QString>("named");
        QTest::addRow("missing") << "\"seed\""
                                 << "\"sead\""
                                 << "seed";
        QTest::addRow("wrong type") << "\"rows\": 11"
                                    << "\"rows\": \"many\""
                                    << "must be number";
        QTest::addRow("newer version") << "\"version\": 1"
                                       << "\"version\": 2"
                                       << "version 2";
        QTest::addRow("path as a name") << "c_test_0.hdf5"
                                        << "../c_test_0.hdf5"
                                        << "../c_test_0.hdf5";
        QTest::addRow("vocabulary elsewhere") << "\"vocab.txt\""
                                              << "\"/etc/passwd\""
                                              << "/etc/passwd";
        QTest::addRow("rows without end") << "\"sequence_length\": 128"
                                          << "\"sequence_length\": 2000000000"
                                          << "sequence_length 2000000000";
        QTest::addRow("no JSON") << "{"
                                 << "["
                                 << "manifest.json";
    }
    void namesTheBadField()
    {
        QFETCH(QString, find);
        QFETCH(QString, replace);
        QFETCH(QString, named);
        QString text = QString::fromStdString(someManifest().toJson());
        text.replace(find, replace);
        QVERIFY(save(text.toStdString()));
        const auto read = Manifest::load(path());
        QVERIFY(!read.ok());
        QVERIFY2(QString::fromStdString(read.error().text()).contains(named), read.error().text().c_str());
    }

private:
    std::filesystem::path path() const { return m_folder->path().toStdString(); }
    bool save(const std::string& text) { return writeFileAtomically(path() / "manifest.json", text).ok(); }
    std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_APPLESS_MAIN(TestManifest)
#include "tst_manifest.moc"
