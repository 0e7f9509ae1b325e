#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include <map>

#include "datasets/shards/manifest.h"
#include "engine/base/file.h"
#include "engine/base/hash.h"
#include "tests/auto/prepare/prepare_program.h"
#include "tests/auto/prepare/sample_dump.h"

using namespace trainyard;

namespace fs = std::filesystem;

/// The formats beside HDF5, from the command line to what verify says about them. Their bytes are the subject
/// of tst_exporters.
class TestFurtherFormats : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        const ProgramOutcome made = prepare("set");
        QVERIFY2(made.status == 0, qPrintable(made.err));
        for (const char* stage : {"megatron: ", "mds: "}) // reported when it has finished
            QVERIFY2(made.err.contains(stage), qPrintable(made.err));
        m_manifest = Manifest::load(path() / "set").value();
    }

    void listsThemInTheManifest()
    {
        QStringList names;
        for (const ExportEntry& entry : m_manifest.exports)
            names << QString::fromStdString(entry.file);
        QCOMPARE(names,
                 (QStringList{"megatron/wikicorpus_en_training_text_sentence.bin",
                              "megatron/wikicorpus_en_training_text_sentence.idx",
                              "megatron/wikicorpus_en_test_text_sentence.bin",
                              "megatron/wikicorpus_en_test_text_sentence.idx", "mds/train/shard.00000.mds",
                              "mds/train/index.json", "mds/test/shard.00000.mds", "mds/test/index.json"}));
        QCOMPARE(
            QDir(at("set/megatron")).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot).size(),
            4);
        for (const ExportEntry& entry : m_manifest.exports)
            QCOMPARE(sha256OfFile(path() / "set" / entry.file).value(), entry.sha256);
    }

    void leavesTheShardsAsTheyAre()
    {
        QCOMPARE(prepare("plain", {}).status, 0);
        const Manifest plain = Manifest::load(path() / "plain").value();
        QCOMPARE(plain.exports.size(), std::size_t(0));
        QCOMPARE(plain.shards.size(), m_manifest.shards.size());
        for (std::size_t i = 0; i < plain.shards.size(); ++i)
            QCOMPARE(plain.shards[i].sha256, m_manifest.shards[i].sha256);
    }

    void holdsEveryTokenOfTheDocuments()
    {
        std::uint64_t bytes = 0;
        for (const ExportEntry& entry : m_manifest.exports)
            bytes += entry.file.ends_with(".bin") ? entry.bytes : 0;
        QCOMPARE(bytes, 2 * m_manifest.statistics.tokens);
    }

    void convertsAFinishedSet_data()
    {
        QTest::addColumn<bool>("manifest");
        QTest::addRow("of ours") << true;
        QTest::addRow("of another tool") << false;
    }
    void convertsAFinishedSet()
    {
        QFETCH(bool, manifest);
        if (!manifest)
            QVERIFY(QFile::rename(at("set/manifest.json"), at("manifest.away")));
        const ProgramOutcome made =
            runPrepareProgram({"convert", at("set"), "--format", "mds", "--out", at("converted")});
        if (!manifest)
            QVERIFY(QFile::rename(at("manifest.away"), at("set/manifest.json")));
        QVERIFY2(made.status == 0, qPrintable(made.err));
        for (const ExportEntry& entry : m_manifest.exports) {
            if (entry.file.starts_with("mds/"))
                QCOMPARE(sha256OfFile(path() / "converted" / entry.file.substr(4)).value(), entry.sha256);
        }
        QVERIFY(QDir(at("converted")).removeRecursively());
    }

    void refusesToConvert_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("named");
        QTest::addRow("nothing there") << QStringList{"nowhere", "--format", "mds"} << "nowhere";
        QTest::addRow("unknown format") << QStringList{"set", "--format", "parquet"} << "parquet";
        QTest::addRow("no format") << QStringList{"set"} << "--format";
        QTest::addRow("Megatron, as rows are no sentences")
            << QStringList{"set", "--format", "megatron"} << "megatron";
    }
    void refusesToConvert()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QString, named);
        arguments[0] = at(arguments[0]);
        const ProgramOutcome refused =
            runPrepareProgram(QStringList{"convert"} + arguments + QStringList{"--out", at("new")});
        QCOMPARE(refused.status, 2);
        QVERIFY2(refused.err.contains(named), qPrintable(refused.err));
        QVERIFY(!QFile::exists(at("new")) && !QFile::exists(at(".new.part")));
    }

    void doesNotConvertOverSomething()
    {
        const ProgramOutcome refused =
            runPrepareProgram({"convert", at("set"), "--format", "mds", "--out", at("set")});
        QCOMPARE(refused.status, 2);
        QVERIFY2(refused.err.contains("not empty"), qPrintable(refused.err));
    }

    void leavesNothingOfADamagedSet()
    {
        const fs::path shard = path() / "set" / m_manifest.shards[1].file;
        const std::string whole = readFile(shard).value();
        fs::resize_file(shard, whole.size() / 2);
        const ProgramOutcome refused =
            runPrepareProgram({"convert", at("set"), "--format", "mds", "--out", at("new")});
        QVERIFY(writeFileAtomically(shard, whole).ok());
        QCOMPARE(refused.status, 2);
        QVERIFY2(refused.err.contains(QString::fromStdString(shard.filename())), qPrintable(refused.err));
        QVERIFY(!QFile::exists(at("new")) && !QFile::exists(at(".new.part")));
    }

    void noticesWhatWasChanged_data()
    {
        QTest::addColumn<QString>("how");
        QTest::addColumn<QString>("file");
        QTest::addRow("a bit of a .bin") << "flip"
                                         << "megatron/wikicorpus_en_training_text_sentence.bin";
        QTest::addRow("a bit of an .mds") << "flip"
                                          << "mds/test/shard.00000.mds";
        QTest::addRow("the end of an .idx") << "cut"
                                            << "megatron/wikicorpus_en_test_text_sentence.idx";
        QTest::addRow("an index that is gone") << "remove"
                                               << "mds/train/index.json";
    }
    void noticesWhatWasChanged()
    {
        QFETCH(QString, how);
        QFETCH(QString, file);
        const fs::path broken = path() / "set" / file.toStdString();
        const std::string whole = readFile(broken).value();
        std::string bytes = whole;
        if (how == "flip")
            bytes[bytes.size() / 2] ^= 1;
        else if (how == "cut")
            bytes.pop_back();
        QVERIFY(how == "remove" ? fs::remove(broken) : writeFileAtomically(broken, bytes).ok());
        const ProgramOutcome verified = runPrepareProgram({"verify", at("set")});
        QVERIFY(writeFileAtomically(broken, whole).ok());
        QCOMPARE(verified.status, 2);
        QVERIFY2(verified.err.contains(file) && verified.err.contains("invariant 12"),
                 qPrintable(verified.err));
    }

    void verifiesTheWholeSet()
    {
        const ProgramOutcome verified = runPrepareProgram({"verify", at("set")});
        QVERIFY2(verified.status == 0, qPrintable(verified.err));
    }

private:
    fs::path path() const { return m_folder.path().toStdString(); }
    QString at(const QString& name) const { return m_folder.filePath(name); }

    ProgramOutcome prepare(const QString& out, const QStringList& more = {"--also", "megatron,mds"}) const
    {
        return runPrepareProgram(QStringList{"prepare", QString::fromStdString(sampleDump()), "--out",
                                             at(out), "--seq-len", "64", "--max-pred", "10", "--dupe", "2",
                                             "--shards", "11", "--test-shards", "1", "--train-vocab",
                                             "1000"} +
                                 more);
    }

    QTemporaryDir m_folder;
    Manifest m_manifest;
};

QTEST_GUILESS_MAIN(TestFurtherFormats)
#include "tst_further_formats.moc"
