#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QTest>

#include "tests/integration/planning_folder.h"

using namespace trainyard::test;

namespace {

constexpr const char* kArguments = R"(pretrain_gpt.py --num-layers 24 --hidden-size 1024 \
    --num-attention-heads 16 --max-position-embeddings 1024 --vocab-size 50304 \
    --tensor-model-parallel-size 2 --micro-batch-size 4 --global-batch-size 64 \
    --rampup-batch-size 16 16 1000 --split 969,30,1 --bf16)";

} // namespace

/// Settings of other tools: `import-spec` and `export-spec`.
class TestSettingsCommands : public QObject {
    Q_OBJECT

private slots:
    void takesOverSettingsOfOtherTools()
    {
        const QString settings = m_folder.write("arguments.sh", kArguments);
        const QString spec = m_folder.write("base.json", kSpec);
        const QString ported = m_folder.path("ported.json");
        const Answer answer = ask({"import-spec", "megatron", settings, "--base", spec, "--out", ported});
        QCOMPARE(answer.status, 0);
        QCOMPARE(answer.out, QByteArray());
        QVERIFY2(answer.err.contains("--split"), qPrintable(answer.err));
        QFile file(ported);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QJsonDocument json = QJsonDocument::fromJson(file.readAll());
        QCOMPARE(json["layout"]["data"].toInt(), 4);
        QCOMPARE(json["batch"]["ramp"]["samples"].toInt(), 1000);
        QCOMPARE(json["dataset"]["path"].toString(), "/d");
        QCOMPARE(ask({"plan", ported, "--hardware", "p4d.24xlarge"}).status, 0);
    }

    void givesSettingsToOtherTools()
    {
        const Answer answer = ask({"export-spec", "deepspeed", m_folder.write("spec.json", kSpec), "--json"});
        QCOMPARE(answer.status, 0);
        const QJsonDocument json = QJsonDocument::fromJson(answer.out);
        const QJsonDocument settings = QJsonDocument::fromJson(json["settings"].toString().toUtf8());
        QCOMPARE(settings["train_batch_size"].toInt(), 64);
        QCOMPARE(settings["zero_optimization"]["stage"].toInt(), 1);
        QVERIFY(json["without_counterpart"].toArray().size() > 0);
        QVERIFY2(answer.err.contains("model.layers"), qPrintable(answer.err));
    }

    void printsSettingsForAHyphen()
    {
        const QString spec = m_folder.write("spec.json", kSpec);
        const QStringList settings{"export-spec", "deepspeed", spec};
        QCOMPARE(ask(settings + QStringList{"--out", "-"}).out, ask(settings).out);
        QVERIFY(!QFile::exists("-"));
    }

    void saysWhenItCannotWrite()
    {
        const Answer answer = ask(
            {"export-spec", "sagemaker", m_folder.write("spec.json", kSpec), "--out", "/nosuch/smp.json"});
        QCOMPARE(answer.status, 2);
        QVERIFY2(answer.err.contains("/nosuch"), qPrintable(answer.err));
        QCOMPARE(answer.out, QByteArray());
    }

private:
    PlanningFolder m_folder;
};

QTEST_GUILESS_MAIN(TestSettingsCommands)
#include "tst_settings_commands.moc"
