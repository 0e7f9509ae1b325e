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
        const fs::path doomed = root() / "data" / ".wiki-0123456789ab.removed-77";
        fs::create_directories(doomed / "train");
        QVERIFY(store().list().empty());
        QVERIFY(store().assemble(m_name, m_id, m_files).ok());
        QVERIFY(!fs::exists(doomed));
    }

    void adoptsADataSetOfTheHost()
    {
        QVERIFY(store().assemble(m_name, m_id, m_files).ok());
        const fs::path own = m_dir->filePath("own").toStdString();
        fs::copy(folder(), own, fs::copy_options::recursive);
        fs::remove_all(root());
        fs::create_directories(root());
        const Status adopted = store().adopt(own);
        QVERIFY2(adopted.ok(), adopted.ok() ? "" : adopted.error().text().c_str());
        QVERIFY(store().assemble(m_name, m_id, m_files).ok());

        fs::remove_all(root());
        fs::create_directories(root());
        fs::permissions(own / "train/0.hdf5", fs::perms::owner_all);
        QVERIFY(writeFileAtomically(own / "train/0.hdf5", "other rows").ok());
        const Status damaged = store().adopt(own);
        QCOMPARE(damaged.ok(), false);
        QVERIFY(damaged.error().text().find("0.hdf5 is damaged") != std::string::npos);
        QVERIFY(!fs::exists(BlobStore(root()).blob(m_files[1].sha256)));
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
