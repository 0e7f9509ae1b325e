#include <QTemporaryDir>
#include <QTest>

#include "engine/base/file.h"
#include "engine/base/hash.h"
#include "remote/agent/store/data_store.h"

using namespace trainyard;
using namespace trainyard::agent;
namespace fs = std::filesystem;

/// The folder of sent data sets below an agent's.
class TestDataStore : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_dir = std::make_unique<QTemporaryDir>();
        m_files = {{"vocab.txt", false, put("[PAD]\n")}, {"train/0.hdf5", false, put("rows of the first")}};
        const std::string manifest =
            "{\"vocabulary_file\": \"vocab.txt\", \"vocabulary_sha256\": \"" + m_files[0].sha256 +
            "\", \"shards\": [{\"file\": \"train/0.hdf5\", \"sha256\": \"" + m_files[1].sha256 + "\"}]}";
        m_id = put(manifest);
        m_files.push_back({"manifest.json", false, m_id});
        m_name = "wiki-" + m_id.substr(0, 12);
    }

    void makesAFolderOfBlobs()
    {
        const auto created = store().assemble(m_name, m_id, m_files);
        QVERIFY2(created.ok(), created.ok() ? "" : created.error().text().c_str());
        QVERIFY(*created);
        QCOMPARE(readFile(folder() / "train/0.hdf5").value(), std::string("rows of the first"));
        QCOMPARE(*store().assemble(m_name, m_id, m_files), false);
        const auto sets = store().list();
        QCOMPARE(sets.size(), std::size_t(1));
        QCOMPARE(sets[0].name, m_name);
        QCOMPARE(sets[0].id, m_id);
        QCOMPARE(sets[0].files, std::uint64_t(3));
    }

    void refuses_data()
    {
        QTest::addColumn<QString>("what");
        QTest::addColumn<QString>("words");
        for (const char* name : {"another id in the name", "a name that leads elsewhere", "a hidden name"})
            QTest::addRow("%s", name) << name << "is not the name of a data set's folder";
        QTest::addRow("no manifest") << "no manifest"
                                     << "is not the hash of its manifest";
        QTest::addRow("another manifest") << "another manifest"
                                          << "is not the hash of its manifest";
        QTest::addRow("a missing shard") << "a missing shard"
                                         << "does not have train/0.hdf5";
        QTest::addRow("another shard") << "another shard"
                                       << "does not have train/0.hdf5";
        QTest::addRow("a path outside") << "a path outside"
                                        << "../vocab.txt";
        QTest::addRow("a missing blob") << "a missing blob"
                                        << "is missing";
    }
    void refuses()
    {
        QFETCH(QString, what);
        QFETCH(QString, words);
        std::string name = m_name;
        if (what == "another id in the name")
            name = "wiki-0123456789ab";
        else if (what == "a name that leads elsewhere")
            name = "../" + m_name;
        else if (what == "a hidden name")
            name = "." + m_name;
        else if (what == "no manifest")
            m_files.pop_back();
        else if (what == "another manifest")
            m_files.back().sha256 = m_files[0].sha256;
        else if (what == "a missing shard")
            m_files.erase(m_files.begin() + 1);
        else if (what == "another shard")
            m_files[1].sha256 = m_files[0].sha256;
        else if (what == "a path outside")
            m_files[0].path = "../vocab.txt";
        else
            fs::remove(BlobStore(root()).blob(m_files[1].sha256));
        const auto created = store().assemble(name, m_id, m_files);
        QCOMPARE(created.ok(), false);
        QVERIFY2(created.error().text().find(words.toStdString()) != std::string::npos,
                 created.error().text().c_str());
        QVERIFY(store().list().empty());
        QVERIFY(!fs::exists(root() / "vocab.txt"));
    }

    void repairsAFolderThatIsThere()
    {
        QVERIFY(store().assemble(m_name, m_id, m_files).ok());
        fs::remove(folder() / "train/0.hdf5");
        QVERIFY(store().assemble(m_name, m_id, m_files).ok());
        QCOMPARE(readFile(folder() / "train/0.hdf5").value(), std::string("rows of the first"));
    }

    void removesWhatNothingElseUses()
    {
        QVERIFY(store().assemble(m_name, m_id, m_files).ok());
        const fs::path shared = BlobStore(root()).blob(m_files[0].sha256);
        fs::create_hard_link(shared, root() / "another-name"); // as a bundle or another data set has it
        const auto freed = store().remove(m_name);
        QVERIFY2(freed.ok(), freed.ok() ? "" : freed.error().text().c_str());
        QVERIFY(store().list().empty());
        QVERIFY(fs::exists(shared));
        QVERIFY(!fs::exists(BlobStore(root()).blob(m_files[1].sha256)));
        QVERIFY(!fs::exists(BlobStore(root()).blob(m_id)));
        QCOMPARE(*store().remove(m_name), std::uint64_t(0));
    }

    /// An agent was killed in the middle.
    void finishesAnInterruptedRemoval()
    {
        QVERIFY(store().assemble(m_name, m_id, m_files).ok());
        const fs::path doomed = root() / "data" / ("." + m_name + ".removed-77");
        fs::rename(folder(), doomed);
        QVERIFY(store().list().empty());
        QVERIFY(store().remove("wiki-0123456789ab").ok());
        QVERIFY(!fs::exists(doomed));
        for (const BundleFile& file : m_files)
            QVERIFY(!fs::exists(BlobStore(root()).blob(file.sha256)));

        fs::create_directories(doomed / "train"); // also one of which less is left
        QVERIFY(store().remove("wiki-0123456789ab").ok());
        QVERIFY(!fs::exists(doomed));
    }

    void aDataSetThatComesBackNeedsNoBlobAgain()
    {
        QVERIFY(store().assemble(m_name, m_id, m_files).ok());
        const fs::path doomed = root() / "data" / ("." + m_name + ".removed-77");
        fs::rename(folder(), doomed);
        const auto created = store().assemble(m_name, m_id, m_files);
        QVERIFY2(created.ok(), created.ok() ? "" : created.error().text().c_str());
        QVERIFY(!fs::exists(doomed));
        for (const BundleFile& file : m_files)
            QVERIFY(fs::exists(BlobStore(root()).blob(file.sha256)));
    }

    void removesABlobThatTheDataSetHasTwice()
    {
        m_files[0] = {"vocab.txt", false, m_files[1].sha256};
        const std::string manifest = "{\"vocabulary_file\": \"vocab.txt\", \"vocabulary_sha256\": \"" +
                                     m_files[1].sha256 + "\", \"shards\": [{\"file\": \"train/0.hdf5\", " +
                                     "\"sha256\": \"" + m_files[1].sha256 + "\"}]}";
        m_id = put(manifest);
        m_files[2].sha256 = m_id;
        m_name = "wiki-" + m_id.substr(0, 12);
        QVERIFY(store().assemble(m_name, m_id, m_files).ok());
        QVERIFY(store().remove(m_name).ok());
        QVERIFY(!fs::exists(BlobStore(root()).blob(m_files[1].sha256)));
    }

    void adoptsAFileOfTheHost()
    {
        const fs::path own = m_dir->filePath("0.hdf5").toStdString();
        const fs::path blob = BlobStore(root()).blob(m_files[1].sha256);
        fs::remove(blob);
        QVERIFY(writeFileAtomically(own, "rows of the first").ok());
        const Status adopted = store().adopt(own, m_files[1].sha256);
        QVERIFY2(adopted.ok(), adopted.ok() ? "" : adopted.error().text().c_str());
        QVERIFY(isSealed(blob));
        QVERIFY(fs::exists(own));
        QVERIFY(store().assemble(m_name, m_id, m_files).ok());

        fs::remove(blob);
        QVERIFY(writeFileAtomically(own, "other rows").ok());
        const Status damaged = store().adopt(own, m_files[1].sha256);
        QCOMPARE(damaged.ok(), false);
        QVERIFY(damaged.error().text().find("0.hdf5 is damaged") != std::string::npos);
        QVERIFY(!fs::exists(blob));
    }

private:
    fs::path root() const { return m_dir->filePath("agent").toStdString(); }
    fs::path folder() const { return root() / "data" / m_name; }
    DataStore store() const { return DataStore(root()); }

    /// A blob, as an upload leaves it.
    std::string put(const std::string& bytes)
    {
        const std::string hash = sha256Hex(bytes);
        const BlobStore blobs(root());
        (void)blobs.makeFolderFor(hash);
        (void)writeFileAtomically(blobs.blob(hash), bytes);
        seal(blobs.blob(hash));
        return hash;
    }

    std::unique_ptr<QTemporaryDir> m_dir;
    std::vector<BundleFile> m_files;
    std::string m_id, m_name;
};

QTEST_GUILESS_MAIN(TestDataStore)
#include "tst_data_store.moc"
