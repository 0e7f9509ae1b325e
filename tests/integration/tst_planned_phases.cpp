#include <algorithm>
#include <cmath>

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include "tests/integration/planning_folder.h"

using namespace trainyard::test;

/// Plans of phases, mixed data sets and growing batches, and the published recipes.
class TestPlannedPhases : public QObject {
    Q_OBJECT

private slots:
    void plansEveryPhaseAndAllOfThem()
    {
        QByteArray phased = kSpec;
        phased.replace(R"("dataset": {)", R"("phases": [
            {"name": "short", "steps": 30},
            {"steps": 10, "batch": {"global": 32, "accumulation": 4}, "memory": {"recompute": "none"}}],
            "dataset": {)");
        const QString spec = m_folder.write("phases.json", phased);
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
        const Answer whole =
            ask(QStringList{"plan", m_folder.write("whole.json", kSpec), "--json"} + options);
        const Answer answer =
            ask(QStringList{"plan", m_folder.write("mixed.json", mixed), "--json"} + options);
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
        const Answer text = ask(QStringList{"plan", m_folder.write("mixed.json", mixed)} + options);
        QVERIFY2(text.out.contains("the batch grows from 8 to 64 sequences"), text.out);
        QVERIFY2(text.out.contains("/e") && text.out.contains("30"), text.out);
    }

    void namesThePhaseThatDoesNotFit()
    {
        QByteArray phased = kSpec;
        phased.replace(R"("dataset": {)", R"("phases": [{"steps": 3},
            {"steps": 3, "batch": {"global": 256, "micro": 32, "accumulation": 1}, "memory": {"recompute": "none"}}],
            "dataset": {)");
        const Answer answer = ask({"plan", m_folder.write("phases.json", phased), "--hardware",
                                   "p4d.24xlarge", "--seq-len", "1024", "--json"});
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
        const QString file = m_folder.path("recipe.json");
        const Answer recipe =
            ask({"recipe", "bert-large-lamb", "--data", "/data/128", "--data", "/data/512", "--out", file});
        QVERIFY2(recipe.status == 0, qPrintable(recipe.err));
        const Answer plan = ask({"plan", file, "--hardware", "hgx-a100", "--json"});
        QVERIFY2(plan.status == 0, qPrintable(plan.err));
        QCOMPARE(QJsonDocument::fromJson(plan.out)["phases"].toArray().size(), 2);
        QCOMPARE(ask({"recipe", "bert-large-lamb", "--data", "/data/128"}).status, 2);
        QCOMPARE(ask({"recipe", "no-such"}).status, 2);
    }

private:
    PlanningFolder m_folder;
};

QTEST_GUILESS_MAIN(TestPlannedPhases)
#include "tst_planned_phases.moc"
