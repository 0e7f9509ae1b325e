#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QTest>

#include "tests/integration/cli_fixture.h"

using namespace trainyard::test;

namespace {

QString contentOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

QStringList filesIn(const QString& folder)
{
    return QDir(folder).entryList(QDir::Files | QDir::Hidden, QDir::Name);
}

const QStringList kWholeModel{
    "README.md",      "config.json",           "model.safetensors", "special_tokens_map.json",
    "tokenizer.json", "tokenizer_config.json", "vocab.txt"};

} // namespace

/// `trainyard export --hugging-face` of a short run with held-out evaluations: by its id, through the real
/// agent of this machine, and from its checkpoints.
class TestExportModel : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        QString why;
        QVERIFY2(m_cli.makeDataset(&why), qPrintable(why));
        trainyard::RunSpec spec = tinySpec(m_cli.dataset(), 2, 4);
        spec.evaluation.everySteps = 2;
        spec.evaluation.batches = 3;
        spec.checkpoint.everySteps = 2;
        const CliResult launched = m_cli.run({"launch", m_cli.writeSpec("spec.json", spec), "--follow"});
        QVERIFY2(launched.status == 0, qPrintable(launched.err));
        m_run = launched.out.trimmed().section('\n', 0, 0);
    }

    void writesEverythingThatAColleagueNeeds()
    {
        const QString folder = m_cli.path("of the run");
        const CliResult result = m_cli.run({"export", m_run, "--hugging-face", folder});
        QVERIFY2(result.status == 0, qPrintable(result.err));
        QCOMPARE(result.out, folder + '\n');
        QCOMPARE(filesIn(folder), kWholeModel);
        QCOMPARE(contentOf(folder + "/vocab.txt"), contentOf(m_cli.dataset() + "/vocab.txt"));
        const QString card = contentOf(folder + "/README.md");
        QVERIFY2(card.contains("| Steps | 4 of 4 |"), qPrintable(card));
        QVERIFY(card.contains("| Ranks | 2 |"));
        QVERIFY(card.contains("| Hardware | 1 host with "));
        QVERIFY(card.contains(QRegularExpression("\\| 4 \\| \\d+\\.\\d{4} \\| \\d+\\.\\d{4} \\|")));
        QVERIFY(card.contains("| Step | loss | mlm\\_loss |") || card.contains("| Step | loss | mlm_loss |"));
        QVERIFY(!card.contains(m_cli.dataset()));
        QVERIFY(!m_cli.run({"runs"}).out.contains("export")); // the job leaves nothing
        QVERIFY(!QDir(m_cli.path("home/runs")).entryList(QDir::Dirs).join(' ').contains("-export-"));
    }

    void aCheckpointGivesTheSameFiles()
    {
        const QString ofRun = m_cli.path("again/model");
        const QString ofFolder = m_cli.path("other/model");
        QVERIFY(m_cli.run({"export", m_run, "--hf", ofRun}).status == 0);
        const QString checkpoints = m_cli.path("home/runs/") + m_run + "/checkpoints";
        const CliResult result = m_cli.run({"export", checkpoints, "--hf", ofFolder});
        QVERIFY2(result.status == 0, qPrintable(result.err));
        QVERIFY2(result.err.contains(QRegularExpression("writing .* of weights to")), qPrintable(result.err));
        QCOMPARE(filesIn(ofFolder), kWholeModel);
        for (const QString& file : kWholeModel)
            QVERIFY2(contentOf(ofRun + '/' + file) == contentOf(ofFolder + '/' + file), qPrintable(file));
    }

    void takesTheStepThatIsNamed()
    {
        const QString folder = m_cli.path("step");
        const CliResult result =
            m_cli.run({"export", m_run, "--hf", folder, "--step", "2", "--on-host", "--no-tokenizer"});
        QVERIFY2(result.status == 0, qPrintable(result.err));
        QCOMPARE(result.out, "localhost:" + folder + '\n');
        QCOMPARE(filesIn(folder), (QStringList{"README.md", "config.json", "model.safetensors"}));
        QVERIFY(contentOf(folder + "/README.md").contains("This is step 2 of the 4 planned."));
    }

    void saysWhatIsWrong_data()
    {
        QTest::addColumn<QStringList>("options");
        QTest::addColumn<QString>("problem");
        QTest::addRow("no such step") << QStringList{"--step", "9"} << "has no checkpoint of step 9";
        QTest::addRow("no best one") << QStringList{"--best"} << "no checkpoint is marked as the best";
        QTest::addRow("no vocabulary")
            << QStringList{"--vocab", "/nowhere/vocab.txt"} << "/nowhere/vocab.txt";
    }
    void saysWhatIsWrong()
    {
        QFETCH(QStringList, options);
        QFETCH(QString, problem);
        const QString folder = m_cli.path("wrong/model");
        const CliResult result = m_cli.run(QStringList{"export", m_run, "--hf", folder} + options);
        QCOMPARE(result.status, 2);
        QVERIFY2(result.err.contains(problem), qPrintable(result.err));
        QVERIFY(QDir(m_cli.path("wrong")).isEmpty());
    }

    void refusesAnExistingFolder_data()
    {
        QTest::addColumn<QString>("model");
        QTest::addRow("run") << m_run;
        QTest::addRow("checkpoints") << m_cli.path("home/runs/") + m_run + "/checkpoints";
    }
    void refusesAnExistingFolder()
    {
        QFETCH(QString, model);
        const QString folder = m_cli.path("there");
        QVERIFY(QDir().mkpath(folder));
        const CliResult result = m_cli.run({"export", model, "--hf", folder});
        QCOMPARE(result.status, 2);
        QVERIFY2(result.err.contains("there exists already"), qPrintable(result.err));
        QVERIFY(QDir(folder).isEmpty());
    }

    /// Fine-tuned for a step, exported, and tried as its receiver would.
    void aModelOfATaskLeavesWithTheNamesOfItsLabels()
    {
        QVERIFY(makeClassifier());
        const QString folder = m_cli.path("classifier");
        const CliResult result = m_cli.run({"export", m_taskRun, "--hf", folder});
        QVERIFY2(result.status == 0, qPrintable(result.err));
        const QJsonObject config =
            QJsonDocument::fromJson(contentOf(folder + "/config.json").toUtf8()).object();
        QCOMPARE(config["id2label"].toObject(), (QJsonObject{{"0", "early"}, {"1", "late"}}));
        QCOMPARE(config["label2id"].toObject(), (QJsonObject{{"early", 0}, {"late", 1}}));
        QCOMPARE(config["num_labels"].toInt(), 2);
        const QString card = contentOf(folder + "/README.md");
        QVERIFY2(card.contains("| 0 | early |\n| 1 | late |\n"), qPrintable(card));
        QVERIFY2(card.contains("| Step | loss | accuracy | f1 | matthews |"), qPrintable(card));
        const CliResult tried = m_cli.run({"try", folder, "the train"});
        QVERIFY2(tried.status == 0, qPrintable(tried.err));
        QVERIFY2(tried.out.contains("early") && tried.out.contains("late"), qPrintable(tried.out));
    }

    void aModelOfATaskWithoutItsDataSetLeavesWithoutNames()
    {
        QVERIFY(makeClassifier());
        QVERIFY(QDir().rename(m_cli.path("examples"), m_cli.path("moved examples")));
        const QString folder = m_cli.path("unnamed");
        const CliResult result = m_cli.run({"export", m_taskRun, "--hf", folder, "--no-tokenizer"});
        QVERIFY(QDir().rename(m_cli.path("moved examples"), m_cli.path("examples")));
        QVERIFY2(result.status == 0, qPrintable(result.err));
        QVERIFY2(result.err.contains("the labels are called LABEL_0"), qPrintable(result.err));
        QVERIFY(contentOf(folder + "/config.json").contains("LABEL_1"));
        QVERIFY(contentOf(folder + "/README.md").contains("Its 2 labels have no names here"));
    }

    /// Last: the data set is gone afterwards.
    void withoutTheDataSetWritesNoTokenizerUnlessTold()
    {
        QVERIFY(QDir().rename(m_cli.dataset(), m_cli.path("moved")));
        const QString folder = m_cli.path("gone");
        const CliResult refused = m_cli.run({"export", m_run, "--hf", folder});
        QCOMPARE(refused.status, 2);
        QVERIFY2(refused.err.contains("--no-tokenizer"), qPrintable(refused.err));
        QVERIFY(!QDir(folder).exists());
        const CliResult bare = m_cli.run({"export", m_run, "--hf", folder, "--no-tokenizer"});
        QVERIFY2(bare.status == 0, qPrintable(bare.err));
        QVERIFY(contentOf(folder + "/README.md").contains("The folder has no tokenizer."));
        const QString named = m_cli.path("named");
        const QString vocabulary = QDir().relativeFilePath(m_cli.path("moved/vocab.txt")); // not the job's
        const CliResult result = m_cli.run({"export", m_run, "--hf", named, "--vocab", vocabulary});
        QVERIFY2(result.status == 0, qPrintable(result.err));
        QCOMPARE(filesIn(named), kWholeModel);
    }

private:
    /// A run of two steps on labelled texts, once.
    bool makeClassifier()
    {
        if (!m_taskRun.isEmpty())
            return true;
        QByteArray texts = "text,label\n";
        for (int i = 0; i < 16; ++i)
            texts += i % 2 == 0 ? "the train,late\n" : "the railway,early\n";
        const QString table = m_cli.write("texts.csv", texts);
        const QString heldOut =
            m_cli.write("held-out.csv", "text,label\nthe train,late\nthe railway,early\n");
        const CliResult prepared =
            m_cli.run({"prepare", "--task", "classify", table, "--held-out", heldOut, "--vocab",
                       m_cli.dataset() + "/vocab.txt", "--seq-len", "16", "--out", m_cli.path("examples")});
        if (prepared.status != 0)
            qWarning("%s", qPrintable(prepared.err));
        trainyard::RunSpec spec = tinySpec(m_cli.path("examples"), 1, 2);
        spec.model.task = {.kind = trainyard::TaskKind::Classify, .labels = 2};
        spec.evaluation.everySteps = 2;
        const CliResult launched = m_cli.run({"launch", m_cli.writeSpec("task.json", spec), "--follow"});
        if (launched.status != 0)
            qWarning("%s", qPrintable(launched.err));
        else
            m_taskRun = launched.out.trimmed().section('\n', 0, 0);
        return !m_taskRun.isEmpty();
    }

    CliFixture m_cli;
    QString m_run;
    QString m_taskRun;
};

QTEST_GUILESS_MAIN(TestExportModel)
#include "tst_export_model.moc"
