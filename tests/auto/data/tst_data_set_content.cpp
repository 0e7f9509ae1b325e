#include <algorithm>

#include <QTemporaryDir>
#include <QTest>

#include "remote/wire/bundle_manifest.h"
#include "remote/wire/data_set_content.h"
#include "tests/auto/data/made_data_set.h"

using namespace trainyard;
namespace fs = std::filesystem;

class TestDataSetContent : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_dir = std::make_unique<QTemporaryDir>();
        test::makeDataSet(folder(), 2, 1000);
    }

    void listsWhatTheManifestNamesAndTheManifestLast()
    {
        const auto content = readDataSetContent(folder());
        QVERIFY2(content.ok(), content.ok() ? "" : content.error().text().c_str());
        QCOMPARE(content->files.size(), std::size_t(4));
        QCOMPARE(content->files[0].path, std::string("vocab.txt"));
        QCOMPARE(content->files[1].path, std::string("train-0.hdf5"));
        QCOMPARE(content->files[1].bytes, std::uint64_t(1000));
        QCOMPARE(content->files[1].sha256, sha256OfFile(folder() / "train-0.hdf5").value());
        QCOMPARE(content->files.back().path, std::string("manifest.json"));
        QCOMPARE(content->id, sha256OfFile(folder() / "manifest.json").value());
        QCOMPARE(content->files.back().sha256, content->id);
    }

    void ignoresOtherFiles()
    {
        (void)writeFileAtomically(folder() / "notes.txt", "mine");
        QCOMPARE(readDataSetContent(folder())->files.size(), std::size_t(4));
    }

    /// Otherwise two data sets with other questions had one id.
    void takesTheHashOfTheQuestionsFromTheManifest_data()
    {
        QTest::addColumn<QString>("hash");
        QTest::addRow("named") << QString(64, 'a');
        QTest::addRow("of an older data set") << QString();
    }
    void takesTheHashOfTheQuestionsFromTheManifest()
    {
        QFETCH(QString, hash);
        QString manifest = withShard("train-0.hdf5", QString(64, '0'));
        const QString given = hash.isEmpty() ? QString() : ", \"questions_sha256\": \"" + hash + '"';
        manifest.insert(1, "\"task\": {\"questions_file\": \"q.jsonl\"" + given + "}, ");
        QVERIFY(writeFileAtomically(folder() / "manifest.json", manifest.toStdString()).ok());
        QVERIFY(writeFileAtomically(folder() / "q.jsonl", "{}\n").ok());
        const auto content = readDataSetContent(folder());
        QVERIFY2(content.ok(), content.ok() ? "" : content.error().text().c_str());
        const auto questions = std::ranges::find(content->files, "q.jsonl", &DataSetFile::path);
        QVERIFY(questions != content->files.end());
        QCOMPARE(questions->sha256, hash.isEmpty() ? sha256Hex("{}\n") : hash.toStdString());
    }

    void refuses_data()
    {
        QTest::addColumn<QString>("manifest");
        QTest::addColumn<QString>("words");
        QTest::addRow("no json") << "{"
                                 << "not valid JSON";
        QTest::addRow("no shards") << R"({"vocabulary_file": "vocab.txt", "vocabulary_sha256": "0"})"
                                   << "\"shards\" is missing";
        QTest::addRow("a missing shard") << withShard("gone.hdf5", QString(64, '0')) << "gone.hdf5";
        QTest::addRow("a file outside") << withShard("../vocab.txt", QString(64, '0')) << "\"../vocab.txt\"";
        QTest::addRow("a hash that is none")
            << withShard("train-0.hdf5", "abc") << "the hash of train-0.hdf5";
    }
    void refuses()
    {
        QFETCH(QString, manifest);
        QFETCH(QString, words);
        QVERIFY(writeFileAtomically(folder() / "manifest.json", manifest.toStdString()).ok());
        const auto content = readDataSetContent(folder());
        QCOMPARE(content.ok(), false);
        QCOMPARE(content.error().kind, ErrorKind::BadInput);
        QVERIFY2(content.error().text().find(words.toStdString()) != std::string::npos,
                 content.error().text().c_str());
    }

    void aFolderWithoutAManifestIsNoDataSet()
    {
        const auto content = readDataSetContent(fs::path(m_dir->path().toStdString()));
        QCOMPARE(content.error().kind, ErrorKind::BadInput);
        QVERIFY(content.error().hint.find("trainyard prepare") != std::string::npos);
    }

    void namesAFolder_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("folder");
        QTest::addRow("plain") << "wiki-128"
                               << "wiki-128-0123456789ab";
        QTest::addRow("sent before") << "wiki-128-0123456789ab"
                                     << "wiki-128-0123456789ab";
        QTest::addRow("blanks and more") << "my data;rm"
                                         << "my_data_rm-0123456789ab";
        QTest::addRow("an option") << "-rf"
                                   << "data-rf-0123456789ab";
        QTest::addRow("nothing") << ""
                                 << "data-0123456789ab";
    }
    void namesAFolder()
    {
        QFETCH(QString, name);
        QFETCH(QString, folder);
        const std::string id = "0123456789ab" + std::string(52, 'c');
        QCOMPARE(QString::fromStdString(dataSetFolderName(name.toStdString(), id)), folder);
    }

private:
    fs::path folder() const { return m_dir->filePath("set").toStdString(); }
    static QString withShard(const QString& file, const QString& hash)
    {
        return QString(R"({"vocabulary_file": "vocab.txt", "vocabulary_sha256": "%1", "shards": [)"
                       R"({"file": "%2", "sha256": "%3"}]})")
            .arg(QString(64, 'a'), file, hash);
    }

    std::unique_ptr<QTemporaryDir> m_dir;
};

QTEST_GUILESS_MAIN(TestDataSetContent)
#include "tst_data_set_content.moc"
