#include <cmath>

#include <QJsonArray>
#include <QJsonDocument>
#include <QTest>

#include "tests/integration/planning_folder.h"

using namespace trainyard::test;

/// The curve that `scaling` predicts.
class TestScalingCommand : public QObject {
    Q_OBJECT

private slots:
    // A global batch of 64 in micro-batches of 1 is shared by 64 ranks at most.
    void namesTheSizesThatItLeavesOut()
    {
        const QStringList command{
            "scaling", m_folder.write("spec.json", kSpec), "--predict", "p4d.24xlarge", "--nodes", "16"};
        const QJsonDocument json = QJsonDocument::fromJson(ask(command + QStringList{"--json"}).out);
        QCOMPARE(json["sizes"].toArray().size(), 4);
        QCOMPARE(json["left_out"].toArray().size(), 1);
        QCOMPARE(json["left_out"][0]["ranks"].toInt(), 128);
        QVERIFY(ask(command).out.contains("skipped 128 ranks"));
    }

    void saysWhichSizesHaveNoMemory()
    {
        QByteArray big = kSpec;
        big.replace("gpt2-xl", "gpt-175b");
        const QStringList command{
            "scaling", m_folder.write("big.json", big), "--predict", "p3.16xlarge", "--ranks", "8"};
        const QJsonDocument json = QJsonDocument::fromJson(ask(command + QStringList{"--json"}).out);
        QCOMPARE(json["sizes"][0]["fits"], QJsonValue(false));
        QVERIFY(ask(command).out.contains("does not fit"));
    }

    void drawsAScalingCurve()
    {
        const Answer answer = ask({"scaling", m_folder.write("spec.json", kSpec), "--ranks", "8,16,32",
                                   "--predict", "p4d.24xlarge", "--efficiency", "1", "--json"});
        QCOMPARE(answer.status, 0);
        const QJsonDocument json = QJsonDocument::fromJson(answer.out);
        QCOMPARE(json["sizes"].toArray().size(), 3);
        QCOMPARE(json["sizes"][0]["efficiency"].toDouble(), 1.0);
        QVERIFY(json["sizes"][2]["efficiency"].toDouble() < 1);
        QCOMPARE(json["bound"]["first_ranks_below"].toInt(), 16);
    }

    void beginsTheCurveWithWhatWasMeasured()
    {
        const QString spec = m_folder.write("spec.json", kSpec);
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
        const QString spec = m_folder.write("large.json", large);
        const QJsonDocument json = QJsonDocument::fromJson(
            ask({"scaling", spec, "--predict", "dl1.24xlarge", "--nodes", "4", "--json"}).out);
        QCOMPARE(json["sizes"].toArray().size(), 3);
        QVERIFY(!json["published"].toArray().isEmpty());
        const Answer text = ask({"scaling", spec, "--predict", "dl1.24xlarge", "--nodes", "4"});
        QVERIFY2(text.out.contains(": BERT Large") && text.out.contains("efficiency"), text.out.constData());
        QCOMPARE(ask({"scaling", spec}).status, 2);
    }

private:
    PlanningFolder m_folder;
};

QTEST_GUILESS_MAIN(TestScalingCommand)
#include "tst_scaling_command.moc"
