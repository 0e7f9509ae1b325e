#include <algorithm>
#include <cmath>

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

namespace {

struct Answer {
    int status = -1;
    QByteArray out;
    QString err;
};

Answer ask(const QStringList& arguments)
{
    QProcess process;
    process.start(QString(TRAINYARD_BIN_DIR) + "/trainyard", arguments);
    if (!process.waitForFinished(60'000))
        return {};
    return {process.exitCode(), process.readAllStandardOutput(),
            QString::fromUtf8(process.readAllStandardError())};
}

// Two layouts of one training, and one of another.
constexpr const char* kRows =
    "# GPUs,global batch,micro batch,hidden size,attention heads,# layers,sequence length,tensor parallelism,"
    "data parallelism,pipeline parallelism,iteration time (ms)\n"
    "8,16,2,2048,16,20,1024,2,4,1,212.7\n"
    "8,16,2,2048,16,20,1024,1,8,1,170.0\n"
    "8,16,2,2048,16,24,1024,2,4,1,252.7\n";

constexpr const char* kSpec = R"({"trainyard": 1, "model": {"preset": "gpt2-xl", "vocabulary": 50304},
    "cluster": {"nodes": [{"host": "a", "slots": 8}]}, "layout": {"data": 8},
    "batch": {"global": 64, "micro": 1, "accumulation": 8}, "precision": {"compute": "bfloat16"},
    "memory": {"zero_stage": 1, "recompute": "full"}, "dataset": {"path": "/d"}})";

constexpr const char* kArguments = R"(pretrain_gpt.py --num-layers 24 --hidden-size 1024 \
    --num-attention-heads 16 --max-position-embeddings 1024 --vocab-size 50304 \
    --tensor-model-parallel-size 2 --micro-batch-size 4 --global-batch-size 64 \
    --rampup-batch-size 16 16 1000 --split 969,30,1 --bf16)";

} // namespace

// The planner as the command line offers it: nothing runs, and no host is asked.
class TestPlanning : public QObject {
    Q_OBJECT

private slots:
    void tellsTheTimeOfAStepByCause()
    {
        const Answer answer =
            ask({"plan", write("spec.json", kSpec), "--hardware", "p4d.24xlarge", "--json"});
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
        const QString spec = write("spec.json", kSpec);
        const Answer known = ask({"plan", spec, "--hardware", "p4d.24xlarge"});
        QCOMPARE(known.status, 0);
        QVERIFY2(known.out.contains("It fits."), known.out);
        QVERIFY2(known.out.contains("the model's maximum: /d is not a data set"), known.out);
        QVERIFY2(!known.out.contains("Context parallelism"), known.out); // which it has not

        const Answer unknown = ask({"plan", spec, "--seq-len", "128"});
        QVERIFY2(unknown.out.contains("Cannot tell whether it fits a"), unknown.out);
        QVERIFY2(!unknown.out.contains("longest"), unknown.out);
    }

    void plansEveryPhaseAndAllOfThem()
    {
        QByteArray phased = kSpec;
        phased.replace(R"("dataset": {)", R"("phases": [
            {"name": "short", "steps": 30},
            {"steps": 10, "batch": {"global": 32, "accumulation": 4}, "memory": {"recompute": "none"}}],
            "dataset": {)");
        const QString spec = write("phases.json", phased);
        const Answer answer = ask({"plan", spec, "--hardware", "p4d.24xlarge", "--seq-len", "128", "--json"});
        QVERIFY2(answer.status == 0, qPrintable(answer.err));
        const QJsonDocument json = QJsonDocument::fromJson(answer.out);
        const QJsonArray phases = json["phases"].toArray();
        QCOMPARE(phases.size(), 2);
        QCOMPARE(phases[0]["name"].toString(), "short");
        QCOMPARE(phases[1]["name"].toString(), "phase 2");
        QCOMPARE(phases[1]["first_step"].toInt(), 31);
        double days = 0;
        double cost = 0;
        double memory = 0;
        for (const QJsonValue& phase : phases) {
            days += phase["time"]["training_days"].toDouble();
            cost += phase["time"]["training_cost"].toDouble();
            memory = std::max(memory, phase["total_per_rank"].toDouble());
        }
        QVERIFY(days > 0 && std::abs(json["time"]["training_days"].toDouble() / days - 1) < 1e-9);
        QVERIFY(cost > 0 && std::abs(json["time"]["training_cost"].toDouble() / cost - 1) < 1e-9);
        QCOMPARE(json["total_per_rank"].toDouble(), memory);
        QCOMPARE(json["most_memory_in"].toString(), "phase 2"); // nothing is computed again
        QVERIFY(json["fits"].toBool());

        const Answer text = ask({"plan", spec, "--hardware", "p4d.24xlarge", "--seq-len", "128"});
        QVERIFY2(text.out.contains("short (1 of 2)") && text.out.contains("all "), text.out);
        const Answer one = ask({"plan", spec, "--phase", "2", "--seq-len", "128", "--json"});
        QVERIFY(!QJsonDocument::fromJson(one.out).object().contains("phases"));
        QCOMPARE(ask({"plan", spec, "--phase", "3"}).status, 2);
    }

    void plansAMixOfDataSetsAndABatchThatGrows()
    {
        QByteArray mixed = kSpec;
        mixed.replace(
            R"("dataset": {"path": "/d"})",
            R"("dataset": {"mix": [{"path": "/d", "weight": 0.7}, {"path": "/e", "weight": 0.3}]})");
        mixed.replace(R"("accumulation": 8})",
                      R"("accumulation": 8, "ramp": {"start": 8, "increment": 8, "samples": 1400}})");
        const QStringList options{"--hardware", "p4d.24xlarge", "--seq-len", "128"};
        const Answer whole = ask(QStringList{"plan", write("whole.json", kSpec), "--json"} + options);
        const Answer answer = ask(QStringList{"plan", write("mixed.json", mixed), "--json"} + options);
        QVERIFY2(answer.status == 0, qPrintable(answer.err));
        const QJsonDocument json = QJsonDocument::fromJson(answer.out);
        const QJsonArray batches = json["batches"].toArray();
        QCOMPARE(batches[0]["global"].toInt(), 8);
        QCOMPARE(batches.last()["global"].toInt(), 64);
        double sequences = 0;
        int steps = 0;
        for (const QJsonValue& batch : batches) {
            sequences += batch["global"].toDouble() * batch["steps"].toInt();
            steps += batch["steps"].toInt();
        }
        QCOMPARE(steps, 100);
        const QJsonArray sets = json["data_sets"].toArray();
        QCOMPARE(sets.size(), 2);
        QCOMPARE(sets[0]["sequences"].toDouble() + sets[1]["sequences"].toDouble(), sequences);
        QVERIFY(std::abs(sets[0]["sequences"].toDouble() - 0.7 * sequences) < 1);
        QCOMPARE(sets[1]["tokens"].toDouble(), 128 * sets[1]["sequences"].toDouble());
        // Smaller steps take less time.
        const double days = json["time"]["training_days"].toDouble();
        const double fullDays = QJsonDocument::fromJson(whole.out)["time"]["training_days"].toDouble();
        QVERIFY(days < fullDays && days > fullDays * sequences / 6400);
        const Answer text = ask(QStringList{"plan", write("mixed.json", mixed)} + options);
        QVERIFY2(text.out.contains("the batch grows from 8 to 64 sequences"), text.out);
        QVERIFY2(text.out.contains("/e") && text.out.contains("30"), text.out);
    }

    void namesThePhaseThatDoesNotFit()
    {
        QByteArray phased = kSpec;
        phased.replace(R"("dataset": {)", R"("phases": [{"steps": 3},
            {"steps": 3, "batch": {"micro": 8, "accumulation": 1}, "memory": {"recompute": "none"}}],
            "dataset": {)");
        const Answer answer = ask({"plan", write("phases.json", phased), "--hardware", "p4d.24xlarge",
                                   "--seq-len", "1024", "--json"});
        QCOMPARE(answer.status, 3);
        const QJsonDocument json = QJsonDocument::fromJson(answer.out);
        QVERIFY(!json["fits"].toBool(true));
        QCOMPARE(json["problems"].toArray().size(), 1);
        QCOMPARE(json["problems"][0]["path"].toString(), "phases[1].memory");
    }

    void writesPublishedRecipes()
    {
        const Answer list = ask({"recipe", "--json"});
        QCOMPARE(list.status, 0);
        QCOMPARE(QJsonDocument::fromJson(list.out)["recipes"][0]["name"].toString(), "bert-large-lamb");
        const QString file = m_folder.filePath("recipe.json");
        const Answer recipe =
            ask({"recipe", "bert-large-lamb", "--data", "/data/128", "--data", "/data/512", "--out", file});
        QVERIFY2(recipe.status == 0, qPrintable(recipe.err));
        const Answer plan = ask({"plan", file, "--hardware", "hgx-a100", "--json"});
        QVERIFY2(plan.status == 0, qPrintable(plan.err));
        QCOMPARE(QJsonDocument::fromJson(plan.out)["phases"].toArray().size(), 2);
        QCOMPARE(ask({"recipe", "bert-large-lamb", "--data", "/data/128"}).status, 2);
        QCOMPARE(ask({"recipe", "no-such"}).status, 2);
    }

    void refusesWhatDoesNotFitTheHardware()
    {
        QByteArray big = kSpec;
        big.replace("gpt2-xl", "gpt-175b");
        const Answer answer = ask({"plan", write("big.json", big), "--hardware", "p4d.24xlarge"});
        QCOMPARE(answer.status, 3);
        QVERIFY2(answer.err.contains("40.0 GiB"), qPrintable(answer.err));
        QVERIFY2(answer.err.contains("\n  weights "), qPrintable(answer.err));
    }

    // 8 devices of 40 GiB: what is proposed is planned again.
    void proposesWhatFits()
    {
        QByteArray large = kSpec;
        large.replace("\"micro\": 1, \"accumulation\": 8", "\"micro\": 8, \"accumulation\": 1");
        large.replace("\"recompute\": \"full\"", "\"recompute\": \"none\"");
        const Answer answer = ask({"plan", write("large.json", large), "--hardware", "p4d.24xlarge",
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
        const Answer preset = ask({"plan", write("spec.json", kSpec), "--hardware", "p4d.24xlarge"});
        QCOMPARE(preset.status, 0);
        QFile file(QString(TRAINYARD_SOURCE_DIR) + "/resources/presets/hardware/p4d.24xlarge.json");
        QVERIFY(file.open(QIODevice::ReadOnly));
        QByteArray node = file.readAll();
        node.replace("\"1152 GiB\"", "\"8 GiB\"");
        QByteArray offloaded = kSpec;
        offloaded.replace("\"zero_stage\": 1", "\"zero_stage\": 1, \"offload_optimizer\": true");
        const Answer fits = ask({"plan", write("offloaded.json", offloaded), "--hardware", "p4d.24xlarge"});
        QVERIFY2(fits.out.contains("on the device") && fits.out.contains("host memory of a"),
                 fits.out.constData());
        const Answer answer =
            ask({"plan", write("offloaded.json", offloaded), "--hardware", write("small.json", node)});
        QCOMPARE(answer.status, 3);
        QVERIFY2(answer.err.contains("of host memory"), qPrintable(answer.err));
    }

    void findsLayouts()
    {
        const Answer answer = ask({"search", write("spec.json", kSpec), "--hardware", "p4d.24xlarge",
                                   "--nodes", "2", "--top", "3", "--json"});
        QCOMPARE(answer.status, 0);
        const QJsonArray layouts = QJsonDocument::fromJson(answer.out)["layouts"].toArray();
        QCOMPARE(layouts.size(), 3);
        for (const QJsonValue& layout : layouts)
            QCOMPARE(layout["data"].toInt() * layout["tensor"].toInt() * layout["pipeline"].toInt(), 16);
        QVERIFY(layouts[0]["step_seconds"].toDouble() <= layouts[2]["step_seconds"].toDouble());
    }

    void saysWhatEachLayoutGivesUp()
    {
        const QStringList command{
            "search", write("spec.json", kSpec), "--hardware", "p4d.24xlarge", "--nodes", "2"};
        const QJsonArray layouts =
            QJsonDocument::fromJson(ask(command + QStringList{"--json"}).out)["layouts"].toArray();
        QVERIFY(layouts[0]["gains"].toArray().isEmpty() && layouts[0]["gives_up"].toArray().isEmpty());
        QVERIFY(!layouts[1]["gives_up"].toArray().isEmpty());
        for (const QJsonValue& layout : layouts)
            QCOMPARE(layout["placements"][0]["placement"], layout["placement"]);
        const QString text = QString::fromUtf8(ask(command).out);
        QVERIFY2(text.contains("2: compared with 1: "), qPrintable(text));
    }

    void writesAFoundLayoutThatCanBePlanned()
    {
        const QString out = m_folder.filePath("found.json");
        const Answer found = ask({"search", write("spec.json", kSpec), "--hardware", "p4d.24xlarge",
                                  "--nodes", "2", "--spec-out", out, "--write", "2", "--json"});
        QCOMPARE(found.status, 0);
        QVERIFY2(found.err.contains("node-2"), qPrintable(found.err));
        const QJsonValue second = QJsonDocument::fromJson(found.out)["layouts"][1];
        const Answer planned =
            ask({"plan", out, "--hardware", "p4d.24xlarge", "--seq-len", "1024", "--json"});
        QVERIFY2(planned.status == 0, qPrintable(planned.err));
        const QJsonDocument plan = QJsonDocument::fromJson(planned.out);
        QCOMPARE(plan["world_size"].toInt(), 16);
        QCOMPARE(plan["time"]["step_seconds"].toDouble(), second["step_seconds"].toDouble());
        const Answer none = ask({"search", write("spec.json", kSpec), "--hardware", "p4d.24xlarge", "--top",
                                 "1", "--spec-out", out, "--write", "2"});
        QCOMPARE(none.status, 2);
    }

    void dividesLayersAmongUnequalNodes()
    {
        QByteArray mixed = kSpec;
        mixed.replace("{\"host\": \"a\", \"slots\": 8}",
                      "{\"host\": \"a\", \"slots\": 8, \"hardware\": \"hgx-h100\"},"
                      "{\"host\": \"b\", \"slots\": 8, \"hardware\": \"p4d.24xlarge\"}");
        mixed.replace("{\"data\": 8}", "{\"data\": 8, \"pipeline\": 2, \"placement\": \"PDT\"}");
        const QString spec = write("mixed.json", mixed);
        const QString out = m_folder.filePath("divided.json");
        const Answer answer = ask({"partition", spec, "--json", "--spec-out", out});
        QVERIFY2(answer.status == 0, qPrintable(answer.err));
        const QJsonDocument json = QJsonDocument::fromJson(answer.out);
        QCOMPARE(json["divisions"][0]["by"].toString(), "time");
        const QJsonArray layers = json["divisions"][0]["layers_per_stage"].toArray();
        QVERIFY2(layers[0].toInt() > layers[1].toInt(), answer.out.constData());
        QVERIFY(json["arrangements"][0]["step_seconds"].toDouble() <=
                json["divisions"][0]["step_seconds"].toDouble());
        QCOMPARE(ask({"plan", out, "--seq-len", "1024"}).status, 0);
        const Answer text = ask({"partition", spec});
        QVERIFY2(text.out.contains("layers by") && text.out.contains("placement"), text.out.constData());
        QCOMPARE(ask({"partition", spec, "--hardware", "hgx-h100", "--spec-out", out}).status, 0);
        QFile written(out);
        QVERIFY(written.open(QIODevice::ReadOnly));
        QVERIFY(!written.readAll().contains("p4d.24xlarge"));
        QVERIFY(ask({"search", spec}).err.contains("--hardware"));
        QVERIFY(ask({"partition", write("spec.json", kSpec)}).err.contains("cluster.nodes[0].hardware"));
    }

    void takesTheHardwareOfTheSpecification()
    {
        QByteArray named = kSpec;
        named.replace("\"slots\": 8}", "\"slots\": 8, \"hardware\": \"p4d.24xlarge\"}");
        const QString spec = write("named.json", named);
        const QByteArray found = ask({"search", spec, "--json"}).out;
        QVERIFY(!found.isEmpty());
        QCOMPARE(found, ask({"search", spec, "--hardware", "p4d.24xlarge", "--json"}).out);
        const QByteArray curve = ask({"scaling", spec, "--predict", "--json"}).out;
        QVERIFY(!curve.isEmpty());
        QCOMPARE(curve, ask({"scaling", spec, "--predict", "p4d.24xlarge", "--json"}).out);
    }

    // Two hosts of four slots each are no host of eight.
    void searchesOnTheSlotsOfItsHosts()
    {
        QByteArray halves = kSpec;
        halves.replace(R"([{"host": "a", "slots": 8}])",
                       R"([{"host": "a", "slots": 4, "hardware": "hgx-a100"},
                           {"host": "b", "slots": 4, "hardware": "hgx-a100"}])");
        const QString file = m_folder.filePath("halves-found.json");
        QCOMPARE(ask({"search", write("halves.json", halves), "--spec-out", file}).status, 0);
        QFile found(file);
        QVERIFY(found.open(QIODevice::ReadOnly));
        const QJsonArray nodes = QJsonDocument::fromJson(found.readAll())["cluster"]["nodes"].toArray();
        QCOMPARE(nodes.size(), 2);
        for (const QJsonValue& node : nodes)
            QCOMPARE(node["slots"].toInt(), 4);
    }

    // Nothing runs, so no data set is needed; and a search says itself how a batch is cut up.
    void needsNoMoreThanItPlansBy()
    {
        QByteArray bare = kSpec;
        bare.replace(R"(, "dataset": {"path": "/d"})", "");
        const QString spec = write("bare.json", bare);
        QCOMPARE(ask({"plan", spec, "--hardware", "p4d.24xlarge"}).status, 0);
        QCOMPARE(ask({"partition", spec, "--hardware", "p4d.24xlarge"}).status, 0);
        QCOMPARE(ask({"scaling", spec, "--predict", "p4d.24xlarge", "--nodes", "1"}).status, 0);
        const QString least = write("least.json", R"({"trainyard": 1, "model": {"preset": "bert-large"},
            "batch": {"global": 96}, "precision": {"compute": "bfloat16"}})");
        QCOMPARE(ask({"search", least, "--hardware", "p4d.24xlarge", "--nodes", "1"}).status, 0);
        QVERIFY(ask({"plan", least, "--hardware", "p4d.24xlarge"}).err.contains("batch.global"));
    }

    // The golden BERT has 19 words, 11 positions and a next-sentence head.
    void saysWhatARunBeginsWith()
    {
        const QString model = QString(TRAINYARD_SOURCE_DIR) + "/tests/golden/hugging_face/bert";
        const QByteArray small = smallBert(model);
        const Answer text = ask({"plan", write("begin.json", small)});
        QVERIFY2(text.status == 0, qPrintable(text.err));
        QVERIFY2(text.out.contains("begins with") &&
                     text.out.contains("the Hugging Face model " + model.toUtf8()),
                 text.out.constData());
        const QJsonDocument json =
            QJsonDocument::fromJson(ask({"plan", write("begin.json", small), "--json"}).out);
        QVERIFY(json["init"]["loaded_tensors"].toInt() > 30);
        QCOMPARE(json["init"]["loaded_parameters"].toInteger(), json["parameters"].toInteger());
        QVERIFY(json["init"]["random"].toArray().isEmpty() && json["init"]["left_over"].toArray().isEmpty());

        QByteArray larger = small;
        larger.replace("\"max_positions\": 11", "\"max_positions\": 16");
        larger.replace("\"next_sentence\": true", "\"next_sentence\": false");
        const Answer refused = ask({"plan", write("larger.json", larger), "--json"});
        QCOMPARE(refused.status, 3);
        QVERIFY2(refused.err.contains(
                     "bert.embeddings.position_embeddings.weight is [16, 8] here and [11, 8] there"),
                 qPrintable(refused.err));
        QCOMPARE(QJsonDocument::fromJson(refused.out)["problems"][0]["path"].toString(), "init.resize");
        larger.replace("\"resize\": false", "\"resize\": true");
        const QJsonDocument resized =
            QJsonDocument::fromJson(ask({"plan", write("resized.json", larger), "--json"}).out);
        QCOMPARE(resized["init"]["resized"][0]["stored"][0].toInt(), 11);
        QCOMPARE(resized["init"]["left_over"].toArray().size(), 4); // pooler and next-sentence head
    }

    void plansWithoutWeightsThatAreElsewhere()
    {
        const Answer answer = ask({"plan", write("elsewhere.json", smallBert("/nowhere/bert"))});
        QVERIFY2(answer.status == 0, qPrintable(answer.err));
        QVERIFY2(answer.out.contains("/nowhere/bert, which is not on this computer"), answer.out.constData());
        const Answer empty = ask({"plan", write("empty.json", smallBert(m_folder.path()))});
        QCOMPARE(empty.status, 2);
        QVERIFY2(empty.err.contains("init.path: there are no weights in"), qPrintable(empty.err));
    }

    void namesTheHardwareThatItPlansFor()
    {
        const QString spec = write("spec.json", kSpec);
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
        const QStringList command{"plan", write("two.json", two), "--hardware", "p4d.24xlarge"};
        const QByteArray text = ask(command).out;
        QVERIFY2(text.contains("available on a and 1 more") && text.contains("of which 36.8 GiB can be used"),
                 text.constData());
        const QJsonDocument json = QJsonDocument::fromJson(ask(command + QStringList{"--json"}).out);
        const double room = json["hosts"][1]["plannable_per_rank"].toDouble();
        QCOMPARE(room, std::floor(0.92 * json["hosts"][1]["memory_per_rank"].toDouble()));
    }

    // A global batch of 64 in micro-batches of 1 is shared by 64 ranks at most.
    void namesTheSizesThatItLeavesOut()
    {
        const QStringList command{
            "scaling", write("spec.json", kSpec), "--predict", "p4d.24xlarge", "--nodes", "16"};
        const QJsonDocument json = QJsonDocument::fromJson(ask(command + QStringList{"--json"}).out);
        QCOMPARE(json["sizes"].toArray().size(), 4);
        QCOMPARE(json["left_out"].toArray().size(), 1);
        QCOMPARE(json["left_out"][0]["ranks"].toInt(), 128);
        QVERIFY(ask(command).out.contains("skipped 128 ranks"));
    }

    void saysWhyNoLayersGoByTime()
    {
        QByteArray big = kSpec;
        big.replace("gpt2-xl", "gpt-175b");
        big.replace(R"("layout": {"data": 8})", R"("layout": {"data": 1, "pipeline": 8})");
        big.replace(R"("accumulation": 8)", R"("accumulation": 64)");
        const QStringList command{"partition", write("deep.json", big), "--hardware", "p3.16xlarge"};
        QVERIFY(ask(command).out.contains("not by time: "));
        const QJsonDocument json = QJsonDocument::fromJson(ask(command + QStringList{"--json"}).out);
        QVERIFY(!json["not_by_time"].toString().isEmpty());
    }

    // Probabilities of sequences so long are more than there are masks to drop them by.
    void refusesSequencesThatRanksCannotShare()
    {
        QByteArray large = kSpec;
        large.replace("\"gpt2-xl\", \"vocabulary\": 50304", "\"bert-large\", \"max_positions\": 65536");
        const QString spec = write("long.json", large);
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
        const QString spec = write("spec.json", kSpec);
        for (const QString command : {"plan", "partition", "search"}) {
            const Answer answer = ask(QStringList{command, spec, "--hardware", "p4d.24xlarge"} + shape);
            QCOMPARE(answer.status, 2);
            QVERIFY2(answer.err.contains(why), qPrintable(answer.err));
        }
    }

    void plansTheSameSequencesEverywhere()
    {
        const QString spec = write("spec.json", kSpec);
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

    void saysWhichSizesHaveNoMemory()
    {
        QByteArray big = kSpec;
        big.replace("gpt2-xl", "gpt-175b");
        const QStringList command{"scaling", write("big.json", big), "--predict", "p3.16xlarge", "--ranks",
                                  "8"};
        const QJsonDocument json = QJsonDocument::fromJson(ask(command + QStringList{"--json"}).out);
        QCOMPARE(json["sizes"][0]["fits"], QJsonValue(false));
        QVERIFY(ask(command).out.contains("does not fit"));
    }

    void drawsAScalingCurve()
    {
        const Answer answer = ask({"scaling", write("spec.json", kSpec), "--ranks", "8,16,32", "--predict",
                                   "p4d.24xlarge", "--efficiency", "1", "--json"});
        QCOMPARE(answer.status, 0);
        const QJsonDocument json = QJsonDocument::fromJson(answer.out);
        QCOMPARE(json["sizes"].toArray().size(), 3);
        QCOMPARE(json["sizes"][0]["efficiency"].toDouble(), 1.0);
        QVERIFY(json["sizes"][2]["efficiency"].toDouble() < 1);
        QCOMPARE(json["bound"]["first_ranks_below"].toInt(), 16);
    }

    void beginsTheCurveWithWhatWasMeasured()
    {
        const QString spec = write("spec.json", kSpec);
        const QStringList predict{"scaling",      spec,         "--ranks", "8,16",  "--predict",
                                  "p4d.24xlarge", "--measured", "30",      "--json"};
        const QJsonDocument json = QJsonDocument::fromJson(ask(predict).out);
        QVERIFY(std::abs(json["sizes"][0]["sequences_per_second"].toDouble() / 30 - 1) < 1e-3);
        QCOMPARE(ask({"scaling", spec, "--ranks", "8,16", "--measured", "30"}).status, 2);
    }

    void showsWhatOthersPublishedBeside()
    {
        QByteArray large = kSpec;
        large.replace("\"gpt2-xl\", \"vocabulary\": 50304", "\"bert-large\"");
        const QString spec = write("large.json", large);
        const QJsonDocument json = QJsonDocument::fromJson(
            ask({"scaling", spec, "--predict", "dl1.24xlarge", "--nodes", "4", "--json"}).out);
        QCOMPARE(json["sizes"].toArray().size(), 3);
        QVERIFY(!json["published"].toArray().isEmpty());
        const Answer text = ask({"scaling", spec, "--predict", "dl1.24xlarge", "--nodes", "4"});
        QVERIFY2(text.out.contains(": BERT Large") && text.out.contains("efficiency"), text.out.constData());
        QCOMPARE(ask({"scaling", spec}).status, 2);
    }

    void comparesItselfWithMeasuredSteps()
    {
        const QString rows = write("rows.csv", kRows);
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

    void takesOverSettingsOfOtherTools()
    {
        const QString settings = write("arguments.sh", kArguments);
        const QString spec = write("base.json", kSpec);
        const QString ported = m_folder.filePath("ported.json");
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
        const Answer answer = ask({"export-spec", "deepspeed", write("spec.json", kSpec), "--json"});
        QCOMPARE(answer.status, 0);
        const QJsonDocument json = QJsonDocument::fromJson(answer.out);
        const QJsonDocument settings = QJsonDocument::fromJson(json["settings"].toString().toUtf8());
        QCOMPARE(settings["train_batch_size"].toInt(), 64);
        QCOMPARE(settings["zero_optimization"]["stage"].toInt(), 1);
        QVERIFY(json["without_counterpart"].toArray().size() > 0);
        QVERIFY2(answer.err.contains("model.layers"), qPrintable(answer.err));
    }

    void saysWhenItCannotWrite()
    {
        const Answer answer =
            ask({"export-spec", "sagemaker", write("spec.json", kSpec), "--out", "/nosuch/smp.json"});
        QCOMPARE(answer.status, 2);
        QVERIFY2(answer.err.contains("/nosuch"), qPrintable(answer.err));
        QCOMPARE(answer.out, QByteArray());
    }

    void saysWhatIsWrong_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("said");
        const QString spec = write("spec.json", kSpec);
        QTest::addRow("nothing to plan") << QStringList{"plan"} << "SPEC is required";
        QTest::addRow("no rows") << QStringList{"plan", "--validate", "/nosuch.csv"} << "/nosuch.csv";
        QTest::addRow("no such column")
            << QStringList{"plan", "--validate", write("bad.csv", "a,b\n1,2\n")} << "no column \"# GPUs\"";
        QTest::addRow("none left to score")
            << QStringList{"plan", "--validate", write("rows.csv", kRows), "--calibrate", "3"}
            << "calibrate with fewer rows";
        QTest::addRow("fewer rows than none")
            << QStringList{"plan", "--validate", write("rows.csv", kRows), "--calibrate=-1"}
            << "not in range 0 to 1000000";
        QTest::addRow("no folder to write to")
            << QStringList{"search", spec, "--hardware", "p4d.24xlarge", "--spec-out", "/nosuch/found.json"}
            << "no folder /nosuch";
        QTest::addRow("name of a preset")
            << QStringList{"calibrate", spec, "--name", "hgx-a100"} << "name of a preset";
        QTest::addRow("hardware without an end")
            << QStringList{"plan", spec, "--hardware", write("open.json", "{\n  \"devices\": 8")}
            << "line 2, column 15";
        QTest::addRow("unknown hardware")
            << QStringList{"search", spec, "--hardware", "p9"} << "there is no hardware";
        QTest::addRow("wrong hardware")
            << QStringList{"plan", spec, "--hardware",
                           write("node.json", R"({"device": {"memory": "80 GB"}})")}
            << "device.memory";
        QTest::addRow("half a model")
            << QStringList{"scaling", spec, "--ranks", "0", "--predict", "p4d.24xlarge"} << "complete copies";
        QTest::addRow("unknown tool") << QStringList{"import-spec", "colossal", spec} << "colossal";
        QTest::addRow("no settings") << QStringList{"import-spec", "deepspeed", "/nosuch.json"}
                                     << "/nosuch.json";
        QTest::addRow("wrong settings")
            << QStringList{"import-spec", "deepspeed",
                           write("ds.json", R"({"zero_optimization": {"stage": "3"}})")}
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
    static QByteArray smallBert(const QString& weights)
    {
        return QString(R"({"trainyard": 1,
            "model": {"layers": 2, "hidden": 8, "heads": 2, "intermediate": 12, "vocabulary": 19,
                      "max_positions": 11, "next_sentence": true},
            "batch": {"global": 8, "micro": 8, "accumulation": 1}, "dataset": {"path": "/d"},
            "init": {"path": "%1", "resize": false}})")
            .arg(weights)
            .toUtf8();
    }
    QString write(const QString& name, const QByteArray& content) const
    {
        QFile file(m_folder.filePath(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size())
            qFatal("cannot write %s", qPrintable(file.fileName()));
        return file.fileName();
    }

    QTemporaryDir m_folder;
};

QTEST_GUILESS_MAIN(TestPlanning)
#include "tst_planning.moc"
