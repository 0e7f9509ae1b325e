#include <QTemporaryDir>
#include <QTest>

#include "datasets/input/corpus_folder.h"
#include "engine/base/file.h"

using namespace trainyard;

namespace fs = std::filesystem;

/// Which files of a data set's folder are its corpus, and in which order.
class TestCorpusFolder : public QObject {
    Q_OBJECT

private slots:
    void findsTheTrainingSplit_data()
    {
        QTest::addColumn<QStringList>("present");
        QTest::addColumn<QString>("files");
        QTest::addColumn<QString>("leftOut");
        QTest::newRow("of the hub")
            << QStringList{"data/train-00001-of-00002.parquet",
                           "README.md",
                           "data/train-00000-of-00002.parquet",
                           "data/validation-00000-of-00001.parquet",
                           ".git/train.parquet",
                           "data/test-00000-of-00001.parquet"}
            << "data/train-00000-of-00002.parquet data/train-00001-of-00002.parquet"
            << "data/test-00000-of-00001.parquet data/validation-00000-of-00001.parquet";
        QTest::newRow("a folder per split")
            << QStringList{"train/0.parquet", "test/0.parquet"} << "train/0.parquet"
            << "test/0.parquet";
        QTest::newRow("one split without a name")
            << QStringList{"b.parquet", "a.parquet"} << "a.parquet b.parquet"
            << "";
        QTest::newRow("no training split among names")
            << QStringList{"latest.parquet", "dev.parquet"} << "latest.parquet"
            << "dev.parquet";
        QTest::newRow("compressed lines")
            << QStringList{"c4-train.00000-of-01024.json.gz", "dataset_info.json",
                           "c4-validation.00000-of-00008.json.gz", "x.jsonl.zst"}
            << "c4-train.00000-of-01024.json.gz"
            << "c4-validation.00000-of-00008.json.gz x.jsonl.zst";
        QTest::newRow("the cache of datasets")
            << QStringList{"wikitext-train-00000-of-00002.arrow", "wikitext-train-00001-of-00002.arrow",
                           "wikitext-test.arrow", "cache-3f1b.arrow", "dataset_info.json"}
            << "wikitext-train-00000-of-00002.arrow wikitext-train-00001-of-00002.arrow"
            << "wikitext-test.arrow";
    }
    void findsTheTrainingSplit()
    {
        QFETCH(QStringList, present);
        QFETCH(QString, files);
        QFETCH(QString, leftOut);
        const QTemporaryDir folder;
        for (const QString& name : present)
            write(folder, name, "x");
        const auto found = filesOfFolder(folder.path().toStdString());
        QVERIFY2(found.ok(), found.ok() ? "" : found.error().text().c_str());
        QCOMPARE(namesOf(folder, found->files), files);
        QStringList others;
        for (const std::string& name : found->leftOut)
            others << QString::fromStdString(name);
        QCOMPARE(others.join(' '), leftOut);
    }

    void takesTheOrderOfASavedDataSet()
    {
        const QTemporaryDir folder;
        write(folder, "state.json", R"({"_data_files": [{"filename": "b.arrow"}, {"filename": "a.arrow"}]})");
        QCOMPARE(namesOf(folder, filesOfFolder(folder.path().toStdString())->files), "b.arrow a.arrow");
        write(folder, "state.json", R"({"_data_files": [{"filename": "../a.arrow"}]})");
        QVERIFY(!filesOfFolder(folder.path().toStdString()).ok());
        write(folder, "state.json", "{");
        QVERIFY(filesOfFolder(folder.path().toStdString()).error().text().find("state.json") !=
                std::string::npos);
    }

    void takesTheTrainingSplitOfASavedDictionary()
    {
        const QTemporaryDir folder;
        write(folder, "dataset_dict.json", R"({"splits": ["test", "train"]})");
        write(folder, "train/state.json", R"({"_data_files": [{"filename": "0.arrow"}]})");
        const auto found = filesOfFolder(folder.path().toStdString());
        QCOMPARE(namesOf(folder, found->files), "train/0.arrow");
        QCOMPARE(found->leftOut, std::vector<std::string>{"test"});
        write(folder, "dataset_dict.json", R"({"splits": ["test"]})");
        QVERIFY(!filesOfFolder(folder.path().toStdString()).ok());
    }

    void refusesFoldersWithoutACorpus()
    {
        const QTemporaryDir folder;
        write(folder, "dataset_info.json", "{}");
        const auto none = filesOfFolder(folder.path().toStdString());
        QVERIFY(none.error().text().find("no .parquet, .arrow or .jsonl files") != std::string::npos);
        write(folder, "test.parquet", "x");
        const auto other = filesOfFolder(folder.path().toStdString());
        QVERIFY(other.error().text().find("only files of other splits") != std::string::npos);
    }

private:
    static void write(const QTemporaryDir& folder, const QString& name, const std::string& text)
    {
        const fs::path file = folder.filePath(name).toStdString();
        fs::create_directories(file.parent_path());
        QVERIFY(writeFileAtomically(file, text).ok());
    }
    static QString namesOf(const QTemporaryDir& folder, const std::vector<fs::path>& files)
    {
        QStringList names;
        for (const fs::path& file : files)
            names << QString::fromStdString(file.lexically_relative(folder.path().toStdString()).string());
        return names.join(' ');
    }
};

QTEST_GUILESS_MAIN(TestCorpusFolder)
#include "tst_corpus_folder.moc"
