#include <QTemporaryDir>
#include <QTest>

#include "datasets/prepare/preparation.h"
#include "datasets/verification/adoption.h"
#include "datasets/verification/verification.h"
#include "tests/auto/prepare/sample_dump.h"
#include "tests/support/reference_data.h"

using namespace trainyard;

namespace fs = std::filesystem;

namespace {

Result<Manifest> adoptFolder(const fs::path& folder, const fs::path& vocabulary)
{
    Progress progress;
    return adoptDataset(folder, vocabulary, progress, CancelFlag());
}

VerificationReport verifyFolder(const fs::path& folder)
{
    Progress progress;
    return verifyDataset({folder, {}}, progress, CancelFlag()).value();
}

QString violationsOf(const VerificationReport& report)
{
    QStringList all;
    for (const Violation& violation : report.violations)
        all << QString::fromStdString(violation.text());
    return all.join('\n');
}

} // namespace

/// Shards of another tool, as a data set of ours.
class TestAdoption : public QObject {
    Q_OBJECT

private slots:
    /// A small data set of ours, without its manifest.
    void init()
    {
        m_place = std::make_unique<QTemporaryDir>();
        m_folder = m_place->filePath("data").toStdString();
        Progress progress;
        QVERIFY(prepareDataset(smallOptions(m_folder), progress, CancelFlag()).ok());
        m_manifest = Manifest::load(m_folder).value();
        fs::remove(m_folder / Manifest::kFileName);
    }

    void writesAManifestThatHolds()
    {
        const auto adopted = adoptFolder(m_folder, m_folder / m_manifest.vocabularyFile);
        QVERIFY2(adopted.ok(), adopted.ok() ? "" : adopted.error().text().c_str());
        const Manifest manifest = Manifest::load(m_folder).value();
        QVERIFY(manifest.isAdopted());
        QCOMPARE(manifest.trainingRows(), m_manifest.trainingRows());
        QCOMPARE(manifest.testRows(), m_manifest.testRows());
        QCOMPARE(manifest.vocabularyFile, m_manifest.vocabularyFile);
        QCOMPARE(manifest.vocabularySha256, m_manifest.vocabularySha256);
        for (std::size_t i = 0; i < manifest.shards.size(); ++i)
            QCOMPARE(manifest.shards[i].sha256, m_manifest.shards[i].sha256);
        const VerificationReport report = verifyFolder(m_folder);
        QVERIFY2(report.ok(), qPrintable(violationsOf(report)));
    }

    void noticesAChangeLater()
    {
        QVERIFY(adoptFolder(m_folder, m_folder / m_manifest.vocabularyFile).ok());
        fs::resize_file(m_folder / m_manifest.shards[0].file,
                        fs::file_size(m_folder / m_manifest.shards[0].file) + 1);
        QVERIFY(!verifyFolder(m_folder).ok());
    }

    void refusesWhatIsADataSetAlready()
    {
        QVERIFY(adoptFolder(m_folder, m_folder / m_manifest.vocabularyFile).ok());
        QCOMPARE(adoptFolder(m_folder, m_folder / m_manifest.vocabularyFile).error().kind,
                 ErrorKind::Refused);
    }

    void writesNothingWhereRowsAndVocabularyDisagree()
    {
        const fs::path other = m_place->filePath("other.txt").toStdString();
        QFile file(QString::fromStdString(other.string()));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\nb\n");
        file.close();
        const auto adopted = adoptFolder(m_folder, other);
        QVERIFY(!adopted.ok());
        QCOMPARE(adopted.error().kind, ErrorKind::BadInput);
        QVERIFY2(adopted.error().message.find("is not in the vocabulary") != std::string::npos,
                 adopted.error().message.c_str());
        QVERIFY(!fs::exists(m_folder / Manifest::kFileName));
    }

    // What NVIDIA's scripts made of the excerpt.
    void adoptsNvidiasShards()
    {
        const fs::path vocabulary = referenceData("tokenizer/vocab_bert_uncased_30522.txt");
        NEEDS_REFERENCE(referenceShards(128));
        NEEDS_REFERENCE(vocabulary);
        const fs::path copy = m_place->filePath("wikicorpus_en").toStdString();
        fs::copy(referenceShards(128), copy);
        const auto adopted = adoptFolder(copy, vocabulary);
        QVERIFY2(adopted.ok(), adopted.ok() ? "" : adopted.error().text().c_str());
        QCOMPARE(adopted->shards.size(), std::size_t{10});
        QCOMPARE(adopted->sequenceLength, 128);
        QCOMPARE(adopted->maxPredictions, 20);
        QCOMPARE(adopted->vocabularyFile, std::string("vocab.txt"));
        QVERIFY(adopted->testRows() > 0 && adopted->trainingRows() > adopted->testRows());
        const VerificationReport report = verifyFolder(copy);
        QVERIFY2(report.ok(), qPrintable(violationsOf(report)));
    }

private:
    std::unique_ptr<QTemporaryDir> m_place;
    fs::path m_folder;
    Manifest m_manifest;
};

QTEST_GUILESS_MAIN(TestAdoption)
#include "tst_adoption.moc"
