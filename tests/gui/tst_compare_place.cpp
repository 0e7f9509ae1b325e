#include <QComboBox>
#include <QLabel>
#include <QTabWidget>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>

#include "app/charts/chart_legend.h"
#include "app/charts/curve_chart.h"
#include "app/history/compare_page.h"
#include "app/runs/run_store.h"
#include "tests/gui/picture.h"
#include "tests/support/patience.h"
#include "tests/support/sample_run/sample_run.h"

using namespace trainyard;

namespace {

QList<support::SampleRun> study()
{
    QList<support::SampleRun> runs;
    for (const int ranks : {1, 2, 4, 8}) {
        support::SampleRun run;
        run.name = QStringLiteral("bert-tiny-%1r").arg(ranks);
        run.worldSize = ranks;
        run.seed = unsigned(ranks);
        run.startNs += std::int64_t(ranks) * 60'000'000'000;
        run.learningRate = ranks == 8 ? 2e-3 : 1e-3;
        runs.append(run);
    }
    return runs;
}

int columnOf(const QTableView& table, const QString& heading)
{
    for (int column = 0; column < table.model()->columnCount(); ++column) {
        if (table.model()->headerData(column, Qt::Horizontal).toString() == heading)
            return column;
    }
    return -1;
}

} // namespace

class TestComparePlace : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { support::applyScheme(ColourScheme::Light); }

    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        QDir(m_folder->path()).mkdir("runs");
        m_history = RunDatabase::open(m_folder->filePath("history.db")).value();
    }

    void cleanup()
    {
        m_page.reset();
        m_store.reset();
        m_history.reset();
    }

    void saysWhatItIsForWhileThereAreNoRuns()
    {
        open({});
        QVERIFY(!chart()->isVisible());
        support::savePictures(*m_page, "compare-empty");
    }

    void laysTheChosenRunsOverEachOther()
    {
        open(study());
        m_page->setChosen({});
        support::savePictures(*m_page, "compare-none-chosen");
        chooseAll();
        QCOMPARE(chart()->curves().size(), 4);
        QCOMPARE(chart()->curves()[0].x.size(), 400);
        support::savePictures(*m_page, "compare");
        tabs()->setCurrentIndex(1);
        support::savePictures(*m_page, "compare-differences");
        tabs()->setCurrentIndex(2);
        support::savePictures(*m_page, "compare-scaling");
        m_page->resize(2560, 1440);
        support::savePictures(*m_page, "compare-2560");
    }

    void runsOfATaskAreComparedByItsLoss()
    {
        QList<support::SampleRun> runs = study();
        for (support::SampleRun& run : runs)
            run.task = TaskKind::Classify;
        open(runs);
        chooseAll();
        QCOMPARE(chart()->title(), "Classification loss");
        const auto* metric = m_page->findChild<QComboBox*>("comparedFigure");
        QVERIFY(metric->findText("Masked-LM loss") < 0);
        QVERIFY(metric->findText("Next-sentence loss") < 0);
    }

    void showsTheTwoNewestRunsOnTheFirstVisit()
    {
        open(study());
        QCOMPARE(chart()->curves().size(), 2);
        m_page->setChosen({});
        m_page->activate();
        QCOMPARE(chart()->curves().size(), 0);
    }

    void showsWhatDiffers()
    {
        open(study());
        chooseAll();
        tabs()->setCurrentIndex(1);
        QStringList fields;
        const QAbstractItemModel* model = visibleTable()->model();
        for (int row = 0; row < model->rowCount(); ++row)
            fields.append(model->index(row, 0).data().toString());
        QVERIFY(fields.contains("Data parallel"));
        QVERIFY(fields.contains("Learning rate"));
        QVERIFY(!fields.contains("Hidden size"));
    }

    void showsAScalingStudy()
    {
        open(study());
        chooseAll();
        tabs()->setCurrentIndex(2);
        QCOMPARE(visibleTable()->model()->rowCount(), 4);
        m_page->setChosen({m_history->runs().first().id});
        QVERIFY(!visibleTable());
    }

    void switchesTheMetric()
    {
        open(study());
        chooseAll();
        auto* metric = m_page->findChild<QComboBox*>("comparedFigure");
        metric->setCurrentIndex(3);
        emit metric->activated(3);
        QCOMPARE(chart()->accessibleName(), QString("Learning rate"));
        QCOMPARE(chart()->curves()[0].y.size(), 400);
    }

    void groupsRepetitionsIntoOneCurve()
    {
        QList<support::SampleRun> seeds;
        for (int i = 1; i <= 3; ++i) {
            support::SampleRun run;
            run.name = QStringLiteral("bert-tiny-s%1").arg(i);
            run.seed = unsigned(i);
            run.startNs += std::int64_t(i) * 60'000'000'000;
            run.reached = i == 3 ? 250 : 400;
            seeds.append(run);
        }
        open(seeds);
        chooseAll();
        QCOMPARE(chart()->curves().size(), 3);
        auto* groupBy = m_page->findChild<QComboBox*>("groupBy");
        groupBy->setFocus();
        QTest::keyClick(groupBy, Qt::Key_Down);
        AWAIT_EQUAL(chart()->curves().size(), 1);
        const Curve& curve = chart()->curves().first();
        QCOMPARE(curve.name, QString("bert-tiny"));
        QCOMPARE(curve.x.size(), 400);
        for (qsizetype i = 0; i < 250; ++i)
            QVERIFY(curve.lower[i] < curve.y[i] && curve.y[i] < curve.upper[i]);
        QVERIFY(hasText("bert-tiny: all 3 runs until step 250, 2 at the end"));
        QCOMPARE(visibleTable()->model()->rowCount(), 1);
        support::savePictures(*m_page, "compare-groups");
    }

    void equalCurvesSayThatTheyAreEqual()
    {
        support::SampleRun first;
        first.name = "one-rank";
        support::SampleRun second = first;
        second.name = "two-ranks";
        second.startNs += 60'000'000'000;
        support::SampleRun other = second;
        other.name = "other-seed";
        other.seed = 9;
        other.startNs += 60'000'000'000;
        open({first, second, other});
        chooseAll();
        QStringList same;
        for (const Curve& curve : chart()->curves())
            same.append(curve.sameAs);
        same.removeAll(QString());
        QCOMPARE(same.size(), 1);
        QVERIFY(same.first() == "one-rank" || same.first() == "two-ranks");
        const auto* legend = m_page->findChild<ChartLegend*>();
        QVERIFY2(legend->accessibleName().contains("(same as " + same.first()), qPrintable(legend->accessibleName()));
        support::savePictures(*m_page, "compare-same");
    }

    void sortsFinalMetricsByTheirValue()
    {
        open(study());
        chooseAll();
        QTableView* metrics = visibleTable();
        const int speed = columnOf(*metrics, "seq/s");
        metrics->sortByColumn(speed, Qt::AscendingOrder);
        QCOMPARE(metrics->model()->index(0, 0).data().toString(), QString("bert-tiny-1r"));
        metrics->sortByColumn(speed, Qt::DescendingOrder);
        QCOMPARE(metrics->model()->index(0, 0).data().toString(), QString("bert-tiny-8r"));
        QVERIFY(metrics->model()->index(0, speed).data().toString().startsWith("★"));
    }

    void aRunWhoseFolderIsGoneIsNamedAndTheOthersStay()
    {
        open(study());
        QStringList ids = allIds();
        QVERIFY(QDir(m_store->folderOf(ids[1])).removeRecursively());
        auto fresh = std::make_unique<RunStore>(*m_history, m_folder->filePath("runs"), nullptr);
        m_page = std::make_unique<ComparePage>(*fresh);
        m_store = std::move(fresh);
        m_page->show();
        m_page->setChosen(ids);
        QCOMPARE(chart()->curves().size(), 3);
    }

private:
    void open(const QList<support::SampleRun>& runs)
    {
        for (const support::SampleRun& run : runs)
            QVERIFY(!support::writeSampleRun(m_folder->filePath("runs"), run).isEmpty());
        m_store = std::make_unique<RunStore>(*m_history, m_folder->filePath("runs"), nullptr);
        m_page = std::make_unique<ComparePage>(*m_store);
        m_page->resize(1200, 770);
        m_page->show();
        m_page->activate();
    }

    QStringList allIds() const
    {
        QStringList ids;
        for (const RunEntry& entry : m_history->runs())
            ids.prepend(entry.id);
        return ids;
    }
    bool hasText(const QString& text) const
    {
        for (const QLabel* label : m_page->findChildren<QLabel*>()) {
            if (label->isVisible() && label->text() == text)
                return true;
        }
        return false;
    }
    void chooseAll() { m_page->setChosen(allIds()); }
    CurveChart* chart() const { return m_page->findChild<CurveChart*>("comparedCurves"); }
    QTabWidget* tabs() const { return m_page->findChild<QTabWidget*>(); }
    QTableView* visibleTable() const
    {
        for (QTableView* view : m_page->findChildren<QTableView*>()) {
            if (view->isVisible())
                return view;
        }
        return nullptr;
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<RunDatabase> m_history;
    std::unique_ptr<RunStore> m_store;
    std::unique_ptr<ComparePage> m_page;
};

QTEST_MAIN(TestComparePlace)
#include "tst_compare_place.moc"
