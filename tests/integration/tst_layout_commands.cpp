#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QTest>

#include "tests/integration/planning_folder.h"

using namespace trainyard::test;

/// Layouts and divisions that `search` and `partition` find.
class TestLayoutCommands : public QObject {
    Q_OBJECT

private slots:
    void printsASpecificationAlone()
    {
        const QString spec = m_folder.write("spec.json", kSpec);
        const QStringList search{"search", spec, "--hardware", "p4d.24xlarge", "--nodes", "1", "--spec-out"};
        const QString found = m_folder.path("found.json");
        QCOMPARE(ask(search + QStringList{found}).status, 0);
        QFile file(found);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const Answer printed = ask(search + QStringList{"-"});
        QCOMPARE(printed.status, 0);
        QCOMPARE(printed.out, file.readAll());
        const Answer mixed = ask(search + QStringList{"-", "--json"});
        QCOMPARE(mixed.status, 2);
        QVERIFY2(mixed.err.contains("--spec-out - and --json both print"), qPrintable(mixed.err));
        QCOMPARE(mixed.out, QByteArray());
        QVERIFY(!QFile::exists("-"));
    }

    void findsLayouts()
    {
        const Answer answer = ask({"search", m_folder.write("spec.json", kSpec), "--hardware", "p4d.24xlarge",
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
            "search", m_folder.write("spec.json", kSpec), "--hardware", "p4d.24xlarge", "--nodes", "2"};
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
        const QString out = m_folder.path("found.json");
        const Answer found = ask({"search", m_folder.write("spec.json", kSpec), "--hardware", "p4d.24xlarge",
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
        const Answer none = ask({"search", m_folder.write("spec.json", kSpec), "--hardware", "p4d.24xlarge",
                                 "--top", "1", "--spec-out", out, "--write", "2"});
        QCOMPARE(none.status, 2);
    }

    void dividesLayersAmongUnequalNodes()
    {
        QByteArray mixed = kSpec;
        mixed.replace("{\"host\": \"a\", \"slots\": 8}",
                      "{\"host\": \"a\", \"slots\": 8, \"hardware\": \"hgx-h100\"},"
                      "{\"host\": \"b\", \"slots\": 8, \"hardware\": \"p4d.24xlarge\"}");
        mixed.replace("{\"data\": 8}", "{\"data\": 8, \"pipeline\": 2, \"placement\": \"PDT\"}");
        const QString spec = m_folder.write("mixed.json", mixed);
        const QString out = m_folder.path("divided.json");
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
        QVERIFY(
            ask({"partition", m_folder.write("spec.json", kSpec)}).err.contains("cluster.nodes[0].hardware"));
    }

    void takesTheHardwareOfTheSpecification()
    {
        QByteArray named = kSpec;
        named.replace("\"slots\": 8}", "\"slots\": 8, \"hardware\": \"p4d.24xlarge\"}");
        const QString spec = m_folder.write("named.json", named);
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
        const QString file = m_folder.path("halves-found.json");
        QCOMPARE(ask({"search", m_folder.write("halves.json", halves), "--spec-out", file}).status, 0);
        QFile found(file);
        QVERIFY(found.open(QIODevice::ReadOnly));
        const QJsonArray nodes = QJsonDocument::fromJson(found.readAll())["cluster"]["nodes"].toArray();
        QCOMPARE(nodes.size(), 2);
        for (const QJsonValue& node : nodes)
            QCOMPARE(node["slots"].toInt(), 4);
    }

    void saysWhyNoLayersGoByTime()
    {
        QByteArray big = kSpec;
        big.replace("gpt2-xl", "gpt-175b");
        big.replace(R"("layout": {"data": 8})", R"("layout": {"data": 1, "pipeline": 8})");
        big.replace(R"("accumulation": 8)", R"("accumulation": 64)");
        const QStringList command{"partition", m_folder.write("deep.json", big), "--hardware", "p3.16xlarge"};
        QVERIFY(ask(command).out.contains("not by time: "));
        const QJsonDocument json = QJsonDocument::fromJson(ask(command + QStringList{"--json"}).out);
        QVERIFY(!json["not_by_time"].toString().isEmpty());
    }

private:
    PlanningFolder m_folder;
};

QTEST_GUILESS_MAIN(TestLayoutCommands)
#include "tst_layout_commands.moc"
