#include <QTest>

#include "engine/spec/sweep.h"
#include "tests/auto/spec/problem_text.h"

using namespace trainyard;

namespace {

std::vector<Variation> variations(const QStringList& texts)
{
    std::vector<Variation> list;
    for (const QString& text : texts)
        list.push_back(parseVariation(text.toStdString()).value());
    return list;
}

QStringList rates(const std::vector<SweepPoint>& points)
{
    QStringList list;
    for (const SweepPoint& point : points)
        list << QString::number(point.spec.optimizer.learningRate);
    return list;
}

QString problem(const Result<std::vector<SweepPoint>>& points)
{
    return points.ok() ? QString() : QString::fromStdString(points.error().text());
}

} // namespace

class TestSweep : public QObject {
    Q_OBJECT

private slots:
    void goesThroughEveryCombination()
    {
        const auto points =
            gridSweep(validSpec(),
                      variations({"optimizer.learning_rate=1e-3,3e-4", "optimizer.kind=adamw,lamb"}))
                .value();
        QCOMPARE(points.size(), std::size_t{4});
        QCOMPARE(rates(points), (QStringList{"0.001", "0.001", "0.0003", "0.0003"}));
        QVERIFY(points[1].spec.optimizer.kind == OptimizerKind::Lamb);
        QCOMPARE(QString::fromStdString(textOf(points[3].changes)),
                 "optimizer.learning_rate 3e-4, optimizer.kind lamb");
    }

    void drawsTheSameForTheSameSeed()
    {
        const auto list = variations({"optimizer.learning_rate=1e-4..1e-2", "optimizer.weight_decay=0,0.1"});
        const auto points = randomSweep(validSpec(), list, 200, 7).value();
        QCOMPARE(rates(points), rates(randomSweep(validSpec(), list, 200, 7).value()));
        QVERIFY(rates(points) != rates(randomSweep(validSpec(), list, 200, 8).value()));
        int low = 0, decayed = 0;
        for (const SweepPoint& point : points) {
            QVERIFY(point.spec.optimizer.learningRate >= 1e-4 && point.spec.optimizer.learningRate <= 1e-2);
            low += point.spec.optimizer.learningRate < 1e-3; // half of the range's logarithm
            decayed += point.spec.optimizer.weightDecay > 0;
        }
        QVERIFY2(low > 70 && low < 130, qPrintable(QString::number(low)));
        QVERIFY2(decayed > 70 && decayed < 130, qPrintable(QString::number(decayed)));
    }

    void setsAnElementOfAListAndAValueOfAPreset()
    {
        RunSpec spec = validSpec();
        spec.model.preset = "bert-tiny";
        const auto points =
            gridSweep(spec, variations({"cluster.nodes[0].slots=3", "model.layers=5"})).value();
        QCOMPARE(points[0].spec.cluster.nodes[0].slotCount, 3);
        QCOMPARE(points[0].spec.model.layers, 5);
        const auto models = gridSweep(spec, variations({"model.preset=bert-tiny,bert-mini"})).value();
        QCOMPARE(models[1].spec.model.hidden, 256);
        QCOMPARE(models[1].spec.model.vocabulary, spec.model.vocabulary);
    }

    void saysWhatCannotBeVaried_data()
    {
        QTest::addColumn<QStringList>("texts");
        QTest::addColumn<QString>("message");
        QTest::addRow("unknown field") << QStringList{"optimizer.learnig_rate=1"} << "learnig_rate";
        QTest::addRow("wrong type") << QStringList{"launch.steps=many"} << "with launch.steps many: ";
        QTest::addRow("cannot work") << QStringList{"model.heads=7"} << "with model.heads 7: ";
        QTest::addRow("twice") << QStringList{"launch.steps=1,2", "launch.steps=3"}
                               << "launch.steps is varied twice";
        QTest::addRow("range") << QStringList{"optimizer.learning_rate=1e-4..1e-2"}
                               << "no grid can go through";
        QTest::addRow("none") << QStringList{} << "at least one field";
        QTest::addRow("a value is no section") << QStringList{"launch.steps.more=1"} << "launch.steps.more";
    }
    void saysWhatCannotBeVaried()
    {
        QFETCH(QStringList, texts);
        QFETCH(QString, message);
        const QString said = problem(gridSweep(validSpec(), variations(texts)));
        QVERIFY2(said.contains(message), qPrintable(said));
    }

    void refusesMoreRunsThanAnybodyMeant()
    {
        QString many = "model.seed=0"; // any field: it is not looked at
        for (int i = 1; i <= kMaxSweepRuns; ++i)
            many += "," + QString::number(i);
        QVERIFY(problem(gridSweep(validSpec(), variations({many}))).contains("1001 runs"));
        QVERIFY(!randomSweep(validSpec(), variations({"launch.steps=1,2"}), 0, 1).ok());
    }

    void refusesTextsWithoutValues_data()
    {
        QTest::addColumn<QString>("text");
        for (const char* text :
             {"", "launch.steps", "launch.steps=", "=5", "launch.steps=1,,2", "x=5..1", "x=a..b"})
            QTest::addRow("\"%s\"", text) << QString(text);
    }
    void refusesTextsWithoutValues()
    {
        QFETCH(QString, text);
        QVERIFY(!parseVariation(text.toStdString()).ok());
    }
};

QTEST_APPLESS_MAIN(TestSweep)
#include "tst_sweep.moc"
