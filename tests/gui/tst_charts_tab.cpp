#include <QComboBox>
#include <QLineEdit>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <QUndoStack>

#include <qcustomplot.h>

#include "app/charts/chart_toolbar.h"
#include "app/charts/curve_chart.h"
#include "app/monitor/charts_tab.h"
#include "app/monitor/evaluation_panel.h"
#include "app/monitor/metric_charts.h"
#include "app/monitor/pinned_table.h"
#include "app/runs/open_run.h"
#include "tests/gui/picture.h"
#include "tests/support/patience.h"
#include "tests/support/sample_run/sample_run.h"

using namespace trainyard;

namespace {

constexpr int kSteps = 200;
constexpr int kImported = 300;

std::vector<Record> recordsOf(int first, int last)
{
    std::vector<Record> records;
    for (int step = first; step <= last; ++step)
        records.push_back(
            {1, std::uint64_t(step), {0, step * 1'000'000'000LL}, support::sampleStep({}, step)});
    return records;
}

RecordedRun measured()
{
    RecordedRun run;
    run.facts.id = "20261121T091505Z-bert-tiny-0001";
    run.series.apply("steps", recordsOf(1, kSteps));
    return run;
}

/// A run of another tool, with very many series.
RecordedRun imported()
{
    RecordedRun run;
    run.facts.id = "imported";
    run.facts.import.emplace();
    SeriesTable table{"imported-1", {kStepSeries, kWallSeries}, {}};
    SeriesColumn steps, walls;
    for (int i = 1; i <= 50; ++i) {
        steps.append(i);
        walls.append(1e9 + i);
    }
    table.values = {steps, walls};
    for (int i = 0; i < kImported; ++i) {
        table.names.append(QString("layer %1/norm").arg(i, 3, 10, QChar('0')));
        table.values.append(steps);
    }
    run.facts.import->tables = {table};
    return run;
}

} // namespace

class TestChartsTab : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { support::applyScheme(ColourScheme::Light); }

    void init()
    {
        m_run = std::make_unique<OpenRun>(measured());
        m_undo.clear();
        m_tab = std::make_unique<ChartsTab>(m_undo);
        m_tab->resize(1200, 800);
        m_tab->QWidget::show();
        QVERIFY(QTest::qWaitForWindowActive(m_tab.get(), kPatienceMs));
        m_tab->show(*m_run);
        chart("Loss")->setFocus();
    }

    void cleanup()
    {
        m_tab.reset();
        m_run.reset();
    }

    void tellsTheTimeUnderTheCursor()
    {
        QSignalSpy times(m_tab.get(), &ChartsTab::cursorTimeChanged);
        chart("Loss")->replotNow();
        chart("Loss")->setFocus();
        QTest::keyClick(chart("Loss"), Qt::Key_Home);
        QCOMPARE(times.takeLast().first().toLongLong(), 1000);
        m_tab->showTime(7500);
        QCOMPARE(times.takeLast().first().toLongLong(), 7000);
    }

    void pinsTheValuesOfEveryChart()
    {
        auto* pinned = m_tab->findChild<PinnedTable*>();
        QVERIFY(!pinned->isVisible());
        m_tab->showTime(50'000);
        QTest::keyClick(chart("Loss"), Qt::Key_P);
        m_tab->showTime(60'000);
        QTest::keyClick(chart("Gradient norm"), Qt::Key_P);
        QVERIFY(pinned->isVisible());
        QCOMPARE(pinned->values().rowCount(), 2);
        const double loss = m_run->series().steps().column(StepColumn::Loss)[59];
        QVERIFY2(pinned->shownText().contains(QString::number(loss, 'g', QLocale::FloatingPointShortest)),
                 qPrintable(pinned->shownText()));
        QVERIFY(pinned->shownText().startsWith("step\tLoss\t"));
        support::savePictures(*m_tab, "charts-pinned");
    }

    void marksWhereAPhaseBegins()
    {
        QVERIFY(chart("Loss")->borders().isEmpty());
        RecordedRun phased = measured();
        phased.facts.spec.emplace();
        phased.facts.spec->phases = {{.name = "short", .steps = 120}, {.name = "long", .steps = 80}};
        phased.facts.spec->launch.steps = kSteps;
        m_run = std::make_unique<OpenRun>(std::move(phased));
        m_tab->show(*m_run);
        for (const char* name : {"Loss", "Learning rate", "Gradient norm", "Sequences/s"}) {
            const QList<ChartBorder>& borders = chart(name)->borders();
            QCOMPARE(borders.size(), 1);
            QCOMPARE(borders[0].x, 120.5);
            QCOMPARE(borders[0].label, "phase 2: long");
        }
        chart("Loss")->replotNow();
        const auto labels = [this] {
            QStringList texts;
            auto* plot = chart("Loss")->findChild<QCustomPlot*>();
            for (int i = 0; i < plot->itemCount(); ++i) {
                if (const auto* text = qobject_cast<QCPItemText*>(plot->item(i)))
                    texts << text->text();
            }
            return texts;
        };
        QCOMPARE(labels(), QStringList{"phase 2: long"});
        chart("Loss")->replotNow(); // not once more
        QCOMPARE(labels(), QStringList{"phase 2: long"});
        QVERIFY(chart("Loss")->accessibleDescription().contains("phase 2: long begins at step 12"));
        support::savePictures(*m_tab, "charts-phases");
    }

    void showsHeldOutLossOverTheTrainingLoss()
    {
        auto* table = m_tab->findChild<EvaluationPanel*>();
        QVERIFY(!table->isVisibleTo(m_tab.get()));
        std::vector<Record> evaluations;
        for (const int step : {50, 100, 150})
            evaluations.push_back({1,
                                   std::uint64_t(kSteps + step),
                                   {0, step * 1'000'000'000LL},
                                   support::sampleEvaluation({}, step)});
        m_run->apply("steps", evaluations);
        m_tab->show(*m_run);
        const QList<Curve> curves = chart("Loss")->curves();
        QCOMPARE(curves.size(), 2);
        QCOMPARE(curves[1].x.toList(), (QList<double>{50, 100, 150}));
        QCOMPARE(curves[1].y[2], support::sampleEvaluation({}, 150).loss);
        QVERIFY(table->isVisibleTo(m_tab.get()));
        QCOMPARE(table->findChild<QTableView*>()->model()->rowCount(), 3);
        m_tab->showTime(100'000);
        QTest::keyClick(chart("Loss"), Qt::Key_P);
        const QString pinned = m_tab->findChild<PinnedTable*>()->shownText();
        QVERIFY2(pinned.startsWith("step\tLoss\tHeld-out loss\t"), qPrintable(pinned));
        auto* further = m_tab->findChild<MetricCharts*>();
        further->findChild<QLineEdit*>()->setText("held-out masked accuracy");
        scrollTo(further);
        AWAIT_EQUAL(further->charts().size(), 1);
        QCOMPARE(further->charts().first()->title(), QString("Held-out masked-LM accuracy"));
        QCOMPARE(further->charts().first()->curves().first().x.toList(), (QList<double>{50, 100, 150}));
        support::savePictures(*m_tab, "charts-held-out");
    }

    void changesOfTheViewAreUndoneOneByOne()
    {
        auto* toolbar = m_tab->findChild<ChartToolbar*>();
        auto* pinned = m_tab->findChild<PinnedTable*>();
        chart("Loss")->replotNow();
        QTest::keyClick(chart("Loss"), Qt::Key_Home);
        QTest::keyClick(chart("Loss"), Qt::Key_Plus);
        QTest::keyClick(chart("Loss"), Qt::Key_Plus); // the same gesture
        QCOMPARE(m_undo.count(), 1);
        QTest::keyClick(chart("Loss"), Qt::Key_L);
        QTest::keyClick(chart("Loss"), Qt::Key_P);
        QCOMPARE(m_undo.count(), 3);
        toolbar->findChild<QComboBox*>()->activated(int(ChartAxis::Tokens));
        QCOMPARE(toolbar->options().axis, ChartAxis::Tokens);
        QCOMPARE(pinned->values().rowCount(), 0);
        QCOMPARE(m_undo.count(), 4);
        m_undo.undo();
        QCOMPARE(toolbar->options().axis, ChartAxis::Step);
        QCOMPARE(pinned->values().rowCount(), 1);
        m_undo.undo();
        QCOMPARE(pinned->values().rowCount(), 0);
        QVERIFY(toolbar->options().logarithmic);
        m_undo.undo();
        QVERIFY(!toolbar->options().logarithmic);
        QVERIFY(!chart("Loss")->options().logarithmic);
        auto* reset = buttonOf(*toolbar, "Show all");
        QVERIFY(reset->isVisible());
        m_undo.undo();
        QVERIFY(!reset->isVisible()); // nothing is zoomed
        while (m_undo.canRedo())
            m_undo.redo();
        QCOMPARE(toolbar->options().axis, ChartAxis::Tokens);
        QCOMPARE(m_undo.count(), 4);
    }

    void whatIsUndoneOfAnotherRunLeavesItsZoomAndPins()
    {
        chart("Loss")->replotNow();
        QTest::keyClick(chart("Loss"), Qt::Key_P);
        QTest::keyClick(chart("Loss"), Qt::Key_Home);
        QTest::keyClick(chart("Loss"), Qt::Key_Plus);
        OpenRun other(imported());
        m_tab->reset();
        m_tab->show(other);
        QCOMPARE(m_undo.count(), 2);
        m_undo.undo();
        m_undo.undo();
        m_undo.redo();
        m_undo.redo();
        QVERIFY(!buttonOf(*m_tab->findChild<ChartToolbar*>(), "Show all")->isVisible());
        QCOMPARE(m_tab->findChild<PinnedTable*>()->values().rowCount(), 0);
        m_tab->reset();
    }

    void aRunOfATaskIsTitledByItsLoss()
    {
        RecordedRun recorded = measured();
        recorded.facts.spec.emplace().model.task.kind = TaskKind::Classify;
        OpenRun classifier(std::move(recorded));
        m_tab->reset();
        m_tab->show(classifier);
        QVERIFY(chart("Classification loss")->isVisible());
        for (const ChartPanel* panel : m_tab->findChildren<ChartPanel*>())
            QVERIFY2(!panel->title().contains("sentence") && !panel->title().contains("Masked"),
                     qPrintable(panel->title()));
        m_tab->reset();
        m_tab->show(*m_run);
        QVERIFY(chart("Loss")->isVisible());
        m_tab->reset();
    }

    void furtherMetricsAreFoundByName()
    {
        auto* further = m_tab->findChild<MetricCharts*>();
        further->findChild<QLineEdit*>()->setText("loss sentence");
        scrollTo(further);
        AWAIT_EQUAL(further->charts().size(), 1);
        QCOMPARE(further->charts().first()->title(), QString("Next-sentence loss"));
        support::savePictures(*m_tab, "charts-further");
    }

    void aLiveRunIsFollowedWithoutStartingOver()
    {
        m_run->apply("steps", recordsOf(kSteps + 1, kSteps + 50));
        m_tab->show(*m_run);
        AWAIT_EQUAL(chart("Loss")->curves().first().x.last(), double(kSteps + 50));
    }

    void pausedChartsStandStill()
    {
        QTest::keyClick(chart("Loss"), Qt::Key_Space);
        m_run->apply("steps", recordsOf(kSteps + 1, kSteps + 50));
        m_tab->show(*m_run);
        QCOMPARE(chart("Loss")->curves().first().x.last(), double(kSteps));
        QTest::keyClick(chart("Loss"), Qt::Key_Space);
        QCOMPARE(chart("Loss")->curves().first().x.last(), double(kSteps + 50));
    }

    void onlyARunThatGoesOnCanBeHeld()
    {
        QVERIFY(hold()->isVisible());
        m_run->apply("run", {{1, 1, {0, 0}, StateRecord{RunState::Finished, "", kSteps, 1000, false}}});
        m_tab->show(*m_run);
        QVERIFY(!hold()->isVisible());
    }

    void anotherRunIsNotHeld()
    {
        hold()->click();
        QCOMPARE(hold()->text(), QString("▶ Resume"));
        m_tab->reset();
        m_tab->show(*m_run);
        QCOMPARE(hold()->text(), QString("‖ Pause"));
        QVERIFY(!hold()->isChecked());
    }

    void chartsOfThousandsOfSeriesAreMadeInViewOnly()
    {
        OpenRun other(imported());
        m_tab->reset();
        m_tab->show(other);
        auto* further = m_tab->findChild<MetricCharts*>();
        QVERIFY(!chart("Loss")->isVisible()); // it has none
        AWAIT(!further->charts().isEmpty());
        const auto made = further->charts().size();
        QVERIFY2(made < 40, qPrintable(QString::number(made)));
        support::savePictures(*m_tab, "charts-imported");
        const QString first = further->charts().first()->title();
        QScrollBar* bar = m_tab->findChild<QScrollArea*>()->verticalScrollBar();
        bar->setValue(bar->maximum());
        AWAIT_EQUAL(further->charts().last()->title(), QString("layer 299/norm"));
        QVERIFY(further->charts().first()->title() != first); // those out of view are gone
        QVERIFY(further->charts().size() < 40);
        m_tab->reset();
    }

private:
    CurveChart* chart(const QString& title) const
    {
        for (CurveChart* chart : m_tab->findChildren<CurveChart*>()) {
            if (chart->title() == title)
                return chart;
        }
        return nullptr;
    }
    static QToolButton* buttonOf(const QWidget& widget, const QString& text)
    {
        for (QToolButton* button : widget.findChildren<QToolButton*>()) {
            if (button->text() == text)
                return button;
        }
        return nullptr;
    }
    QToolButton* hold() const
    {
        for (auto* button : m_tab->findChildren<QToolButton*>()) {
            if (button->toolTip().startsWith("Freeze the charts"))
                return button;
        }
        return nullptr;
    }
    void scrollTo(QWidget* widget) const { m_tab->findChild<QScrollArea*>()->ensureWidgetVisible(widget); }

    QUndoStack m_undo;
    std::unique_ptr<OpenRun> m_run;
    std::unique_ptr<ChartsTab> m_tab;
};

QTEST_MAIN(TestChartsTab)
#include "tst_charts_tab.moc"
