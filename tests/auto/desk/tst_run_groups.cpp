#include <cmath>

#include <QAbstractItemModelTester>
#include <QTemporaryDir>
#include <QTest>

#include "app/base/tone.h"
#include "app/history/model/metric_table_model.h"
#include "app/history/model/run_groups.h"
#include "app/runs/open_run.h"
#include "app/series/aggregated_curve.h"
#include "tests/support/sample_run/sample_run.h"

using namespace trainyard;

namespace {

support::SampleRun groupedSample(const QString& name, int worldSize, double learningRate)
{
    support::SampleRun run;
    run.name = name;
    run.worldSize = worldSize;
    run.learningRate = learningRate;
    return run;
}

QStringList names(const QList<RunGroup>& groups)
{
    QStringList all;
    for (const RunGroup& group : groups)
        all.append(QStringLiteral("%1: %2").arg(group.name).arg(group.runs.size()));
    return all;
}

const std::function<QStringList(const QString&)> kNoTags = [](const QString&) { return QStringList(); };

} // namespace

class TestRunGroups : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_runs.clear();
    }

    void repetitionsShareAllButTheSeed()
    {
        const auto runs = open({groupedSample("bert-s1", 2, 1e-3), groupedSample("bert-s2", 2, 1e-3),
                                groupedSample("bert-s3", 2, 2e-3)});
        QCOMPARE(names(groupRuns(runs, {Grouping::By::Repetitions}, kNoTags)),
                 (QStringList{"bert (1): 2", "bert (2): 1"}));
    }

    void groupsByAFieldAndNamesItsValue()
    {
        const auto runs =
            open({groupedSample("a", 2, 1e-3), groupedSample("b", 4, 1e-3), groupedSample("c", 2, 2e-3)});
        QCOMPARE(names(groupRuns(runs, {Grouping::By::Field, "optimizer.learning_rate"}, kNoTags)),
                 (QStringList{"optimizer.learning_rate = 0.001: 2", "optimizer.learning_rate = 0.002: 1"}));
        QCOMPARE(names(groupRuns(runs, {Grouping::By::Field, "no.such"}, kNoTags)),
                 (QStringList{"without no.such: 3"}));
        QVERIFY(differingFields(runs).contains("optimizer.learning_rate"));
    }

    void aRunWithTwoTagsIsInTwoGroups()
    {
        const auto runs =
            open({groupedSample("a", 2, 1e-3), groupedSample("b", 4, 1e-3), groupedSample("c", 2, 2e-3)});
        const QString first = runs.first()->id();
        const QString last = runs.last()->id();
        const auto tags = [&](const QString& id) {
            return id == first ? QStringList{"x", "y"} : id == last ? QStringList{"y"} : QStringList();
        };
        QCOMPARE(names(groupRuns(runs, {Grouping::By::Tag}, tags)),
                 (QStringList{"x: 1", "y: 2", "no tag: 1"}));
    }

    void withoutGroupingEachRunIsAlone()
    {
        const auto runs = open({groupedSample("a", 2, 1e-3), groupedSample("b", 4, 1e-3)});
        QCOMPARE(names(groupRuns(runs, {}, kNoTags)), (QStringList{"a: 1", "b: 1"}));
    }

    /// Values by hand: of 1, 2 and 6 the mean is 3, s = sqrt(7), s/sqrt(3) = 1.5275, t(2) = 4.303.
    void givesTheUsualSpreads_data()
    {
        QTest::addColumn<int>("spread");
        QTest::addColumn<double>("lower");
        QTest::addColumn<double>("upper");
        QTest::newRow("none") << int(Spread::None) << 3.0 << 3.0;
        QTest::newRow("least and most") << int(Spread::MinMax) << 1.0 << 6.0;
        QTest::newRow("standard deviation")
            << int(Spread::StandardDeviation) << 3 - 2.6457513 << 3 + 2.6457513;
        QTest::newRow("standard error") << int(Spread::StandardError) << 3 - 1.5275252 << 3 + 1.5275252;
        QTest::newRow("confidence") << int(Spread::Confidence95) << 3 - 6.572941 << 3 + 6.572941;
    }

    void givesTheUsualSpreads()
    {
        QFETCH(int, spread);
        const auto curve = aggregate({{{7}, {1}}, {{7}, {2}}, {{7}, {6}}}, Middle::Mean, Spread(spread));
        QCOMPARE(curve.middle.toList(), (QList<double>{3}));
        QFETCH(double, lower);
        QFETCH(double, upper);
        QVERIFY(std::abs(curve.lower.last() - lower) < 1e-6);
        QVERIFY(std::abs(curve.upper.last() - upper) < 1e-6);
    }

    void theMedianIgnoresAnOutlier()
    {
        QCOMPARE(
            aggregate({{{7}, {1}}, {{7}, {2}}, {{7}, {600}}}, Middle::Median, Spread::None).middle.last(),
            2.0);
        QCOMPARE(aggregate({{{7}, {1}}, {{7}, {2}}, {{7}, {4}}, {{7}, {600}}}, Middle::Median, Spread::None)
                     .middle.last(),
                 3.0);
    }

    void alignsRunsOfDifferentRhythm()
    {
        const auto curve =
            aggregate({{{0, 10, 20}, {0, 10, 20}}, {{0, 5, 20}, {2, 7, 22}}}, Middle::Mean, Spread::MinMax);
        QCOMPARE(curve.x.toList(), (QList<double>{0, 5, 10, 20}));
        QCOMPARE(curve.middle.toList(), (QList<double>{1, 6, 11, 21}));
        QCOMPARE(curve.upper.toList(), (QList<double>{2, 7, 12, 22}));
    }

    void saysHowFarAllRunsReach()
    {
        const auto curve =
            aggregate({{{1, 2, 3, 4}, {1, 1, 1, 1}}, {{1, 2}, {3, 3}}}, Middle::Mean, Spread::MinMax);
        QCOMPARE(curve.middle.toList(), (QList<double>{2, 2, 1, 1}));
        QCOMPARE(curve.allUntil, 2.0);
        QCOMPARE(curve.fewest, 1);
        QCOMPARE(curve.runs, 2);
    }

    void leavesOutWhatIsNotFinite()
    {
        const double nan = std::nan("");
        const auto curve =
            aggregate({{{1, 2}, {nan, nan}}, {{1, 2}, {3, nan}}}, Middle::Mean, Spread::MinMax);
        QCOMPARE(curve.middle.first(), 3.0);
        QVERIFY(std::isnan(curve.middle.last()));
        QVERIFY(aggregate({}, Middle::Mean, Spread::None).x.isEmpty());
        QVERIFY(aggregate({{{}, {}}}, Middle::Mean, Spread::None).x.isEmpty());
    }

    /// Values of the table of t for 95 % that every textbook prints.
    void knowsStudentsDistribution()
    {
        QCOMPARE(studentQuantile975(4), 2.776);
        for (const auto& [freedom, t] : {std::pair{40, 2.021}, {60, 2.000}, {120, 1.980}})
            QVERIFY(std::abs(studentQuantile975(freedom) - t) < 6e-4);
    }

    void marksTheBestOfEachMetric()
    {
        auto slow = groupedSample("slow", 2, 1e-3);
        slow.secondsPerStep = 2;
        auto failed = groupedSample("failed", 2, 1e-3);
        failed.reached = 20;
        failed.state = RunState::Failed;
        const auto runs = open({groupedSample("fast", 2, 1e-3), slow, failed});
        MetricTableModel model;
        QAbstractItemModelTester tester(&model);
        model.setGroups(groupRuns(runs, {}, kNoTags), Middle::Mean, Spread::None);
        QCOMPARE(model.rowCount(), 3);
        const auto bestOf = [&](const QString& title) {
            for (int column = 0; column < model.columnCount(); ++column) {
                for (int row = 0; row < model.rowCount(); ++row) {
                    const QModelIndex cell = model.index(row, column);
                    if (model.headerData(column, Qt::Horizontal).toString() == title &&
                        cell.data(kToneRole).toInt() == int(Tone::Good))
                        return model.index(row, 0).data().toString();
                }
            }
            return QString();
        };
        QVERIFY(bestOf("seq/s") == "fast" || bestOf("seq/s") == "failed");
        QVERIFY(bestOf("Last loss") != "failed");
        QCOMPARE(bestOf("Step"), QString()); // more is not better
        model.setGroups(groupRuns(runs, {Grouping::By::Tag}, kNoTags), Middle::Mean, Spread::MinMax);
        QCOMPARE(model.rowCount(), 1);
        QVERIFY(model.index(0, 1).data().toString().startsWith("3 runs"));
        model.setGroups({}, Middle::Mean, Spread::None);
        QCOMPARE(model.rowCount(), 0);
    }

    void showsLastAndBestHeldOutLossAndItsStep()
    {
        auto overfitted = groupedSample("overfitted", 2, 1e-3);
        overfitted.evaluateEvery = 40;
        overfitted.overfitsAt = 200;
        auto longer = overfitted;
        longer.name = "well";
        longer.overfitsAt = 0;
        const auto runs = open({overfitted, longer, groupedSample("not evaluated", 2, 1e-3)});
        MetricTableModel model;
        QAbstractItemModelTester tester(&model);
        model.setGroups(groupRuns(runs, {}, kNoTags), Middle::Mean, Spread::None);
        const auto cell = [&](int row, const QString& title) {
            for (int column = 0; column < model.columnCount(); ++column) {
                if (model.headerData(column, Qt::Horizontal).toString() == title)
                    return model.index(row, column);
            }
            return QModelIndex();
        };
        const auto number = [&](int row, const QString& title) {
            return cell(row, title).data(MetricTableModel::SortRole).toDouble();
        };
        QCOMPARE(number(0, "Best at step"), 200.0);
        QCOMPARE(number(0, "Best held-out"), support::sampleEvaluation(overfitted, 200).loss);
        QCOMPARE(number(0, "Last held-out"), support::sampleEvaluation(overfitted, 400).loss);
        QCOMPARE(number(1, "Best at step"), 400.0);
        QVERIFY(cell(1, "Last held-out").data().toString().startsWith("★"));
        QVERIFY(std::isnan(number(2, "Best held-out")));
        QCOMPARE(cell(2, "Best at step").data().toString(), QString("–"));
    }

private:
    QList<const OpenRun*> open(const QList<support::SampleRun>& samples)
    {
        QList<const OpenRun*> runs;
        for (support::SampleRun run : samples) {
            run.startNs += std::int64_t(m_runs.size()) * 1'000'000'000;
            m_runs.push_back(std::make_unique<OpenRun>(
                readRunFolder(support::writeSampleRun(m_folder->path(), run)).value()));
            runs.append(m_runs.back().get());
        }
        return runs;
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::vector<std::unique_ptr<OpenRun>> m_runs;
};

QTEST_GUILESS_MAIN(TestRunGroups)
#include "tst_run_groups.moc"
