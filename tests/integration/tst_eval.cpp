#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QTest>

#include "tests/integration/cli_fixture.h"

using namespace trainyard::test;

namespace {

QJsonObject documentIn(const CliResult& result)
{
    return QJsonDocument::fromJson(result.out.toUtf8()).object();
}

/// Copies the files of a folder.
void copyFolder(const QString& from, const QString& to)
{
    QVERIFY(QDir().mkpath(to));
    for (const QString& file : QDir(from).entryList(QDir::Files))
        QVERIFY(QFile::copy(from + '/' + file, to + '/' + file));
}

} // namespace

/// `trainyard eval --data` on the model of a short run, here and by a job of a host; the host is this
/// machine, through the real agent.
class TestEval : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        QString why;
        QVERIFY2(m_cli.makeDataset(&why), qPrintable(why));
        trainyard::RunSpec spec = tinySpec(m_cli.dataset(), 2, 4);
        spec.evaluation.everySteps = 2;
        spec.evaluation.batches = 3;
        const CliResult launched = m_cli.run({"launch", m_cli.writeSpec("spec.json", spec), "--follow"});
        QVERIFY2(launched.status == 0, qPrintable(launched.err));
        m_run = launched.out.trimmed().section('\n', 0, 0);
        const QRegularExpression line("step 4  held-out loss ([\\d.]+)");
        m_loss = line.match(launched.err).captured(1);
        QVERIFY2(!m_loss.isEmpty(), qPrintable(launched.err));
    }

    void givesWhatTheRunRecorded()
    {
        const CliResult result =
            m_cli.run({"eval", m_run, "--data", m_cli.dataset(), "--batches", "3", "--json"});
        QVERIFY2(result.status == 0, qPrintable(result.err));
        const QJsonObject json = documentIn(result);
        QCOMPARE(json.keys(), (QStringList{"loss", "metrics", "rows", "tokens"}));
        QCOMPARE(QString::number(json["loss"].toDouble(), 'f', 4), m_loss);
        QCOMPARE(json["rows"].toInt(), 24);
        const QJsonObject metrics = json["metrics"].toObject();
        QCOMPARE(metrics.keys(), (QStringList{"mlm_accuracy", "mlm_loss", "nsp_accuracy", "nsp_loss"}));
        QVERIFY(qAbs(metrics["mlm_loss"].toDouble() + metrics["nsp_loss"].toDouble() -
                     json["loss"].toDouble()) < 1e-9);
    }

    void takesALayout()
    {
        const QString layout = m_cli.write("layout.json", R"({"trainyard": 1, "layout": {"tensor": 2},
            "batch": {"global": 8, "micro": 4, "accumulation": 2}})");
        const QStringList command{"eval", m_run,         "--data",  m_cli.dataset(), "--batches",
                                  "3",    "--precision", "float64", "--json"};
        const CliResult alone = m_cli.run(command);
        QVERIFY2(alone.status == 0, qPrintable(alone.err));
        for (const QStringList& where : {QStringList(), QStringList{"--host", "localhost"}}) {
            const CliResult shared = m_cli.run(command + QStringList{"--layout", layout} + where);
            QVERIFY2(shared.status == 0, qPrintable(shared.err));
            const double loss = documentIn(alone)["loss"].toDouble();
            QVERIFY(qAbs(documentIn(shared)["loss"].toDouble() - loss) < 1e-9 * loss);
        }
    }

    void aHostAnswersLikeThisMachine()
    {
        const QStringList command{"eval", m_run, "--data", m_cli.dataset()};
        const CliResult here = m_cli.run(command);
        QVERIFY2(here.status == 0, qPrintable(here.err));
        QVERIFY2(here.out.contains(" rows, ") && here.out.contains("mlm_accuracy"), qPrintable(here.out));
        const CliResult there = m_cli.run(command + QStringList{"--host", "localhost"});
        QVERIFY2(there.status == 0, qPrintable(there.err));
        QCOMPARE(there.out, here.out);
        QVERIFY(!m_cli.run({"runs"}).out.contains("eval")); // the job leaves nothing but its answer
    }

    void aModelIsEvaluatedLikeItsCheckpoint()
    {
        const QStringList options{"--data", m_cli.dataset(), "--batches", "3", "--json"};
        const QString checkpoints = m_cli.path("home/runs/") + m_run + "/checkpoints";
        const QString model = m_cli.path("model");
        const CliResult exported = m_cli.run({"export", checkpoints, "--hf", model});
        QVERIFY2(exported.status == 0, qPrintable(exported.err));
        const CliResult stored = m_cli.run(QStringList{"eval", checkpoints} + options);
        QVERIFY2(stored.status == 0, qPrintable(stored.err));
        // Without a run batches have 32 rows.
        const CliResult imported = m_cli.run({"eval", "--hf", model, "--data", m_cli.dataset(), "--json"});
        QVERIFY2(imported.status == 0, qPrintable(imported.err));
        const CliResult all = m_cli.run({"eval", checkpoints, "--data", m_cli.dataset(), "--json"});
        const double loss = documentIn(all)["loss"].toDouble();
        QCOMPARE(documentIn(imported)["rows"].toInt(), documentIn(all)["rows"].toInt());
        QVERIFY(qAbs(documentIn(imported)["loss"].toDouble() - loss) < 1e-5 * loss);
    }

    void saysWhatIsWrong_data()
    {
        QTest::addColumn<QStringList>("options");
        QTest::addColumn<QString>("problem");
        QTest::addRow("no data set") << QStringList{"--data", "nowhere"}
                                     << "nowhere/manifest.json: there is no such file";
        QTest::addRow("no such step")
            << QStringList{"--data", m_cli.dataset(), "--step", "9"} << "has no checkpoint of step 9";
        QTest::addRow("no best one") << QStringList{"--data", m_cli.dataset(), "--best"}
                                     << "no checkpoint is marked as the best";
        QTest::addRow("no layout") << QStringList{"--data", m_cli.dataset(), "--layout", "nowhere.json"}
                                   << "nowhere.json";
        QTest::addRow("a layout that does not work")
            << QStringList{"--data", m_cli.dataset(), "--layout",
                           m_cli.write("wrong.json", R"({"trainyard": 1, "layout": {"tensor": 3}})")}
            << "layout.tensor: 2 heads cannot be shared evenly by 3 ranks";
    }
    void saysWhatIsWrong()
    {
        QFETCH(QStringList, options);
        QFETCH(QString, problem);
        const CliResult result = m_cli.run(QStringList{"eval", m_run} + options);
        QVERIFY2(result.status == 2 || result.status == 3, qPrintable(result.err));
        QVERIFY2(result.err.contains(problem), qPrintable(result.err));
        QCOMPARE(result.out, "");
    }

    /// As many entries, in another order: the numbers of the tokens mean other words.
    void refusesAnotherVocabulary()
    {
        const QString other = m_cli.path("other");
        copyFolder(m_cli.dataset(), other);
        QFile file(other + "/vocab.txt");
        QVERIFY(file.open(QIODevice::ReadWrite));
        QByteArrayList lines = file.readAll().split('\n');
        lines.swapItemsAt(500, 501);
        QVERIFY(file.resize(0) && file.seek(0) && file.write(lines.join('\n')) > 0);
        file.close();
        const CliResult result = m_cli.run({"eval", m_run, "--data", other});
        QCOMPARE(result.status, 2);
        QVERIFY2(result.err.contains("other/vocab.txt is not the vocabulary that the model was trained with"),
                 qPrintable(result.err));
        QVERIFY2(result.err.contains("they differ from line 501 on"), qPrintable(result.err));
    }

private:
    CliFixture m_cli;
    QString m_run;
    QString m_loss; ///< as it was shown
};

QTEST_GUILESS_MAIN(TestEval)
#include "tst_eval.moc"
