#include <cmath>

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include "tests/integration/planning_folder.h"

using namespace trainyard::test;

namespace {

// Two layouts of one training, and one of another.
constexpr const char* kRows =
    "# GPUs,global batch,micro batch,hidden size,attention heads,# layers,sequence length,tensor parallelism,"
    "data parallelism,pipeline parallelism,iteration time (ms)\n"
    "8,16,2,2048,16,20,1024,2,4,1,212.7\n"
    "8,16,2,2048,16,20,1024,1,8,1,170.0\n"
    "8,16,2,2048,16,24,1024,2,4,1,252.7\n";

QByteArray smallBert(const QString& weights)
{
    return QString(R"({"trainyard": 1,
        "model": {"layers": 2, "hidden": 8, "heads": 2, "intermediate": 12, "vocabulary": 19,
                  "max_positions": 11, "next_sentence": true},
        "batch": {"global": 8, "micro": 8, "accumulation": 1}, "dataset": {"path": "/d"},
        "init": {"path": "%1", "resize": false}})")
        .arg(weights)
        .toUtf8();
}

} // namespace

/// The plan of a specification as the command line gives it: nothing runs, and no host is asked.
class TestPlanning : public QObject {
    Q_OBJECT

private slots:
    void tellsTheTimeOfAStepByCause()
    {
        const Answer answer =
            ask({"plan", m_folder.write("spec.json", kSpec), "--hardware", "p4d.24xlarge", "--json"});
        QCOMPARE(answer.status, 0);
        const QJsonObject time = QJsonDocument::fromJson(answer.out)["time"].toObject();
        double sum = 0;
        for (const QJsonValue& seconds : time["step_seconds_by_cause"].toObject())
            sum += seconds.toDouble();
        QVERIFY(sum > 0);
        QVERIFY(std::abs(sum / time["step_seconds"].toDouble() - 1) < 1e-6);
        QVERIFY(time["hardware_flops_utilization"].toDouble() > time["model_flops_utilization"].toDouble());
        QVERIFY(time["training_cost"].toDouble() > 0);
    }

    void answersWhetherItFitsAndForWhichSequences()
    {
        const QString spec = m_folder.write("spec.json", kSpec);
        const Answer known = ask({"plan", spec, "--hardware", "p4d.24xlarge"});
        QCOMPARE(known.status, 0);
        QVERIFY2(known.out.contains("It fits."), known.out);
        QVERIFY2(known.out.contains("the model's maximum: /d is not a data set"), known.out);
        QVERIFY2(!known.out.contains("Context parallelism"), known.out); // which it has not

        const Answer unknown = ask({"plan", spec, "--seq-len", "128"});
        QVERIFY2(unknown.out.contains("Cannot tell whether it fits a"), unknown.out);
        QVERIFY2(!unknown.out.contains("longest"), unknown.out);
    }

    void refusesWhatDoesNotFitTheHardware()
    {
        QByteArray big = kSpec;
        big.replace("gpt2-xl", "gpt-175b");
        const Answer answer = ask({"plan", m_folder.write("big.json", big), "--hardware", "p4d.24xlarge"});
        QCOMPARE(answer.status, 3);
        QVERIFY2(answer.err.contains("40.0 GiB"), qPrintable(answer.err));
        QVERIFY2(answer.err.contains("\n  weights "), qPrintable(answer.err));
    }

    // 8 devices of 40 GiB: what is proposed is planned again.
    void proposesWhatFits()
    {
        QByteArray large = kSpec;
        large.replace("\"global\": 64, \"micro\": 1, \"accumulation\": 8",
                      "\"global\": 256, \"micro\": 32, \"accumulation\": 1");
        large.replace("\"recompute\": \"full\"", "\"recompute\": \"none\"");
        const Answer answer = ask({"plan", m_folder.write("large.json", large), "--hardware", "p4d.24xlarge",
                                   "--seq-len", "1024", "--json"});
        QCOMPARE(answer.status, 3);
        const QJsonDocument json = QJsonDocument::fromJson(answer.out);
        QVERIFY(!json["fits"].toBool(true));
        const QJsonValue problem = json["problems"][0];
        QCOMPARE(problem["path"].toString(), "memory");
        QVERIFY(problem["equation"].toString().contains("activations"));
        const QJsonArray nearest = problem["nearest"].toArray();
        QVERIFY(!nearest.isEmpty());
        for (const QJsonValue& remedy : nearest)
            QVERIFY(remedy["memory_per_rank"].toDouble() < 40.0 * (1 << 30));
        QVERIFY2(answer.err.contains("closest valid settings: "), qPrintable(answer.err));
    }

    // 1.6 billion parameters: 8 ranks leave more on the host than 8 GiB.
    void refusesWhatDoesNotFitTheHost()
    {
        const Answer preset = ask({"plan", m_folder.write("spec.json", kSpec), "--hardware", "p4d.24xlarge"});
        QCOMPARE(preset.status, 0);
        QFile file(QString(TRAINYARD_SOURCE_DIR) + "/resources/presets/hardware/p4d.24xlarge.json");
        QVERIFY(file.open(QIODevice::ReadOnly));
        QByteArray node = file.readAll();
        node.replace("\"1152 GiB\"", "\"8 GiB\"");
        QByteArray offloaded = kSpec;
        offloaded.replace("\"zero_stage\": 1", "\"zero_stage\": 1, \"offload_optimizer\": true");
        const Answer fits =
            ask({"plan", m_folder.write("offloaded.json", offloaded), "--hardware", "p4d.24xlarge"});
        QVERIFY2(fits.out.contains("on the device") && fits.out.contains("host memory of a"),
                 fits.out.constData());
        const Answer answer = ask({"plan", m_folder.write("offloaded.json", offloaded), "--hardware",
                                   m_folder.write("small.json", node)});
        QCOMPARE(answer.status, 3);
        QVERIFY2(answer.err.contains("of host memory"), qPrintable(answer.err));
    }

    // Nothing runs, so no data set is needed; and a search says itself how a batch is cut up.
    void needsNoMoreThanItPlansBy()
    {
        QByteArray bare = kSpec;
        bare.replace(R"(, "dataset": {"path": "/d"})", "");
        const QString spec = m_folder.write("bare.json", bare);
        QCOMPARE(ask({"plan", spec, "--hardware", "p4d.24xlarge"}).status, 0);
        QCOMPARE(ask({"partition", spec, "--hardware", "p4d.24xlarge"}).status, 0);
        QCOMPARE(ask({"scaling", spec, "--predict", "p4d.24xlarge", "--nodes", "1"}).status, 0);
        const QString least =
            m_folder.write("least.json", R"({"trainyard": 1, "model": {"preset": "bert-large"},
            "batch": {"global": 96}, "precision": {"compute": "bfloat16"}})");
        QCOMPARE(ask({"search", least, "--hardware", "p4d.24xlarge", "--nodes", "1"}).status, 0);
        QVERIFY(ask({"plan", least, "--hardware", "p4d.24xlarge"}).err.contains("batch.global"));
    }

    // The golden BERT has 19 words, 11 positions and a next-sentence head.
    void saysWhatARunBeginsWith()
    {
        const QString model = QString(TRAINYARD_SOURCE_DIR) + "/tests/golden/hugging_face/bert";
        const QByteArray small = smallBert(model);
        const Answer text = ask({"plan", m_folder.write("begin.json", small)});
        QVERIFY2(text.status == 0, qPrintable(text.err));
        QVERIFY2(text.out.contains("begins with") &&
                     text.out.contains("the Hugging Face model " + model.toUtf8()),
                 text.out.constData());
        const QJsonDocument json =
            QJsonDocument::fromJson(ask({"plan", m_folder.write("begin.json", small), "--json"}).out);
        QVERIFY(json["init"]["loaded_tensors"].toInt() > 30);
        QCOMPARE(json["init"]["loaded_parameters"].toInteger(), json["parameters"].toInteger());
        QVERIFY(json["init"]["random"].toArray().isEmpty() && json["init"]["left_over"].toArray().isEmpty());

        QByteArray larger = small;
        larger.replace("\"max_positions\": 11", "\"max_positions\": 16");
        larger.replace("\"next_sentence\": true", "\"next_sentence\": false");
        const Answer refused = ask({"plan", m_folder.write("larger.json", larger), "--json"});
        QCOMPARE(refused.status, 3);
        QVERIFY2(refused.err.contains(
                     "bert.embeddings.position_embeddings.weight is [16, 8] here and [11, 8] there"),
                 qPrintable(refused.err));
        QCOMPARE(QJsonDocument::fromJson(refused.out)["problems"][0]["path"].toString(),
                 "model.max_positions");
        larger.replace("\"resize\": false", "\"resize\": true");
        const QJsonDocument resized =
            QJsonDocument::fromJson(ask({"plan", m_folder.write("resized.json", larger), "--json"}).out);
        QCOMPARE(resized["init"]["resized"][0]["stored"][0].toInt(), 11);
        QCOMPARE(resized["init"]["left_over"].toArray().size(), 4); // pooler and next-sentence head
    }

    void plansWithoutWeightsThatAreElsewhere()
    {
        const Answer answer = ask({"plan", m_folder.write("elsewhere.json", smallBert("/nowhere/bert"))});
        QVERIFY2(answer.status == 0, qPrintable(answer.err));
        QVERIFY2(answer.out.contains("/nowhere/bert, which is not on this computer"), answer.out.constData());
        const Answer empty = ask({"plan", m_folder.write("empty.json", smallBert(m_folder.path()))});
        QCOMPARE(empty.status, 2);
        QVERIFY2(empty.err.contains("init.path: there are no weights in"), qPrintable(empty.err));
    }

    void namesTheHardwareThatItPlansFor()
    {
        const QString spec = m_folder.write("spec.json", kSpec);
        const QList<QStringList> commands{{"plan", spec, "--hardware", "p4d.24xlarge"},
                                          {"search", spec, "--hardware", "p4d.24xlarge"},
                                          {"partition", spec, "--hardware", "p4d.24xlarge"},
                                          {"scaling", spec, "--predict", "p4d.24xlarge", "--ranks", "8"}};
        for (const QStringList& command : commands) {
            QVERIFY2(ask(command).out.contains("p4d.24xlarge"), qPrintable(command.front()));
            QVERIFY2(ask(command + QStringList{"--json"}).out.contains("\"p4d.24xlarge\""),
                     qPrintable(command.front()));
        }
    }

    void tellsEqualHostsTogether()
    {
        QByteArray two = kSpec;
        two.replace(R"([{"host": "a", "slots": 8}])",
                    R"([{"host": "a", "slots": 4}, {"host": "b", "slots": 4}])");
        const QStringList command{"plan", m_folder.write("two.json", two), "--hardware", "p4d.24xlarge"};
        const QByteArray text = ask(command).out;
        QVERIFY2(text.contains("available on a and 1 more") && text.contains("of which 36.8 GiB can be used"),
                 text.constData());
        const QJsonDocument json = QJsonDocument::fromJson(ask(command + QStringList{"--json"}).out);
        const double room = json["hosts"][1]["plannable_per_rank"].toDouble();
        QCOMPARE(room, std::floor(0.92 * json["hosts"][1]["memory_per_rank"].toDouble()));
    }

    // Probabilities of sequences so long are more than there are masks to drop them by.
    void refusesSequencesThatRanksCannotShare()
    {
        QByteArray large = kSpec;
        large.replace("\"gpt2-xl\", \"vocabulary\": 50304", "\"bert-large\", \"max_positions\": 65536");
        const QString spec = m_folder.write("long.json", large);
        const QList<QStringList> commands{{"plan", spec, "--hardware", "p4d.24xlarge"},
                                          {"search", spec, "--hardware", "p4d.24xlarge"},
                                          {"partition", spec, "--hardware", "p4d.24xlarge"},
                                          {"scaling", spec, "--predict", "p4d.24xlarge"}};
        for (const QStringList& command : commands) {
            const Answer answer = ask(command + QStringList{"--seq-len", "65536"});
            QCOMPARE(answer.status, 3);
            QVERIFY2(answer.err.contains("attention_dropout"), qPrintable(answer.err));
        }
    }

    void refusesSequencesThatTheModelCannotRead_data()
    {
        QTest::addColumn<QStringList>("shape");
        QTest::addColumn<QString>("why");
        QTest::addRow("positions") << QStringList{"--seq-len", "2048"} << "the model has 1024 positions";
        QTest::addRow("masked") << QStringList{"--seq-len", "128", "--max-pred", "500"}
                                << "500 of 128 tokens cannot be masked";
    }
    void refusesSequencesThatTheModelCannotRead()
    {
        QFETCH(QStringList, shape);
        QFETCH(QString, why);
        const QString spec = m_folder.write("spec.json", kSpec);
        for (const QString command : {"plan", "partition", "search"}) {
            const Answer answer = ask(QStringList{command, spec, "--hardware", "p4d.24xlarge"} + shape);
            QCOMPARE(answer.status, 2);
            QVERIFY2(answer.err.contains(why), qPrintable(answer.err));
        }
    }

    void plansTheSameSequencesEverywhere()
    {
        const QString spec = m_folder.write("spec.json", kSpec);
        const QString hardware = "p4d.24xlarge";
        const auto json = [](const QStringList& command) {
            return QJsonDocument::fromJson(ask(command + QStringList{"--json"}).out);
        };
        const QJsonDocument plan = json({"plan", spec, "--hardware", hardware});
        QCOMPARE(plan["sequences"]["tokens"].toInt(), 1024);
        const QJsonDocument partition = json({"partition", spec, "--hardware", hardware});
        QCOMPARE(partition["sequences"], plan["sequences"]);
        QCOMPARE(partition["divisions"][0]["by"].toString(), "time");
        QCOMPARE(json({"search", spec, "--hardware", hardware})["sequences"], plan["sequences"]);
        const QJsonDocument curve = json({"scaling", spec, "--predict", hardware, "--ranks", "16,8,8"});
        QCOMPARE(curve["sequences"], plan["sequences"]);
        QCOMPARE(curve["sizes"].toArray().size(), 2);
        QCOMPARE(curve["sizes"][0]["ranks"].toInt(), 8);
        QCOMPARE(curve["sizes"][0]["step_seconds"], plan["time"]["step_seconds"]);
    }

    void comparesItselfWithMeasuredSteps()
    {
        const QString rows = m_folder.write("rows.csv", kRows);
        const Answer answer = ask({"plan", "--validate", rows, "--calibrate", "1", "--seed", "2", "--json"});
        QCOMPARE(answer.status, 0);
        const QJsonObject json = QJsonDocument::fromJson(answer.out).object();
        QCOMPARE(json.keys(), (QStringList{"calibrated", "uncalibrated"}));
        for (const char* part : {"uncalibrated", "calibrated"}) {
            QCOMPARE(json[part].toObject().keys(), (QStringList{"mape_percent", "regret_percent"}));
            QVERIFY(json[part]["mape_percent"].isDouble());
            QVERIFY(json[part]["regret_percent"].isDouble());
        }
        const Answer without = ask({"plan", "--validate", rows, "--json"});
        QCOMPARE(QJsonDocument::fromJson(without.out).object().keys(), QStringList{"uncalibrated"});
    }

    void saysWhatIsWrong_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("said");
        const QString spec = m_folder.write("spec.json", kSpec);
        QTest::addRow("nothing to plan") << QStringList{"plan"} << "SPEC is required";
        QTest::addRow("no rows") << QStringList{"plan", "--validate", "/nosuch.csv"} << "/nosuch.csv";
        QTest::addRow("no such column")
            << QStringList{"plan", "--validate", m_folder.write("bad.csv", "a,b\n1,2\n")}
            << "no column \"# GPUs\"";
        QTest::addRow("none left to score")
            << QStringList{"plan", "--validate", m_folder.write("rows.csv", kRows), "--calibrate", "3"}
            << "calibrate with fewer rows";
        QTest::addRow("fewer rows than none")
            << QStringList{"plan", "--validate", m_folder.write("rows.csv", kRows), "--calibrate=-1"}
            << "not in range 0 to 1000000";
        QTest::addRow("no folder to write to")
            << QStringList{"search", spec, "--hardware", "p4d.24xlarge", "--spec-out", "/nosuch/found.json"}
            << "no folder /nosuch";
        QTest::addRow("name of a preset")
            << QStringList{"calibrate", spec, "--name", "hgx-a100"} << "name of a preset";
        QTest::addRow("hardware without an end")
            << QStringList{"plan", spec, "--hardware", m_folder.write("open.json", "{\n  \"devices\": 8")}
            << "line 2, column 15";
        QTest::addRow("unknown hardware")
            << QStringList{"search", spec, "--hardware", "p9"} << "there is no hardware";
        QTest::addRow("wrong hardware")
            << QStringList{"plan", spec, "--hardware",
                           m_folder.write("node.json", R"({"device": {"memory": "80 GB"}})")}
            << "device.memory";
        QTest::addRow("half a model")
            << QStringList{"scaling", spec, "--ranks", "0", "--predict", "p4d.24xlarge"} << "complete copies";
        QTest::addRow("unknown tool") << QStringList{"import-spec", "colossal", spec} << "colossal";
        QTest::addRow("no settings") << QStringList{"import-spec", "deepspeed", "/nosuch.json"}
                                     << "/nosuch.json";
        QTest::addRow("wrong settings")
            << QStringList{"import-spec", "deepspeed",
                           m_folder.write("ds.json", R"({"zero_optimization": {"stage": "3"}})")}
            << "zero_optimization.stage";
    }
    void saysWhatIsWrong()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QString, said);
        const Answer answer = ask(arguments);
        QCOMPARE(answer.status, 2);
        QVERIFY2(answer.err.contains(said), qPrintable(answer.err));
        QCOMPARE(answer.err.trimmed().count('\n'), 0);
        QCOMPARE(answer.out, QByteArray());
    }

private:
    PlanningFolder m_folder;
};

QTEST_GUILESS_MAIN(TestPlanning)
#include "tst_planning.moc"
