#include <algorithm>

#include <QApplication>
#include <QListView>
#include <QTabWidget>
#include <QTest>
#include <QWheelEvent>

#include "app/charts/pipeline_gantt.h"
#include "app/designer/alternatives_panel.h"
#include "app/designer/design_page.h"
#include "app/designer/plan_panels.h"
#include "app/designer/scaling_chart.h"
#include "app/designer/spec_form.h"
#include "app/designer/step_time_bar.h"
#include "app/widgets/table_view.h"
#include "engine/spec/presets.h"
#include "tests/gui/page_fixture.h"
#include "tests/support/patience.h"

using namespace trainyard;
using namespace trainyard::test;

namespace {

/// BERT Large in four stages on two nodes of eight devices.
RunSpec pipelined()
{
    RunSpec spec;
    spec.model = *modelPreset("bert-large");
    spec.cluster.nodes = {{"a", 8, 0, "hgx-a100"}, {"b", 8, 0, "hgx-a100"}};
    spec.layout.data = 4;
    spec.layout.pipeline = 4;
    spec.batch = {1024, 16, 16};
    spec.precision.compute = ComputeType::BFloat16;
    spec.dataset.path = "/data/set";
    return spec;
}

void turnWheel(QWidget& widget, const QPointF& at, int notches)
{
    QWheelEvent event(at, widget.mapToGlobal(at), {}, QPoint(0, 120 * notches), Qt::NoButton, Qt::NoModifier,
                      Qt::NoScrollPhase, false);
    QApplication::sendEvent(&widget, &event);
}

} // namespace

/// What the page tells of a design before it runs, driven as a user does.
class TestDesignPlanView : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_desk.start();
        m_page = &m_desk.goTo<DesignPage>();
        document().reset(pipelined());
    }
    void cleanup() { m_desk.end(); }

    void aFoundLayoutIsOneStepOfUndo()
    {
        auto* panel = m_page->findChild<AlternativesPanel*>();
        auto* list = panel->findChild<QListView*>();
        click(*panel, "Search for alternatives");
        AWAIT(list->model()->rowCount() > 0);
        QTest::keyClick(list, Qt::Key_Down);
        QVERIFY(list->currentIndex().isValid());
        click(*panel, "Apply alternative");
        const RunSpec applied = document().spec();
        QVERIFY(applied.layout != pipelined().layout || applied.batch != pipelined().batch);
        QVERIFY(document().isValid());
        QCOMPARE(document().undoStack().count(), 1);
        document().undoStack().undo();
        QVERIFY(document().spec() == pipelined());
    }

    void aSearchIsCancelledByItsButton()
    {
        auto* panel = m_page->findChild<AlternativesPanel*>();
        click(*panel, "Search for alternatives");
        click(*panel, "Cancel search");
        QVERIFY(buttonIn(*panel, "Search for alternatives")->isEnabled());
        QCOMPARE(panel->findChild<QListView*>()->model()->rowCount(), 0);
    }

    void aSavedDesignIsComparedSwappedAndLetGo()
    {
        click(*m_page, "Save for comparison");
        document().edit("Micro-batch", "batch.micro", [](RunSpec& spec) {
            spec.batch.micro = 32;
            spec.batch.accumulation = 8;
        });
        const RunSpec edited = document().spec();
        auto* plan = m_page->findChild<PlanPanels*>();
        QVERIFY(plan->kept()->spec == pipelined());
        const auto tables = m_page->findChildren<TableView*>();
        auto* metrics =
            *std::ranges::find(tables, QStringLiteral("Metrics of both designs"), &QWidget::accessibleName);
        QVERIFY(metrics->isVisible());
        AWAIT(metrics->model()->rowCount() > 10);
        click(*m_page, "Swap designs");
        QVERIFY(document().spec() == pipelined());
        QVERIFY(plan->kept()->spec == edited);
        document().undoStack().undo();
        QVERIFY(document().spec() == edited);
        QVERIFY(plan->kept()->spec == pipelined());
        document().undoStack().redo();
        QVERIFY(document().spec() == pipelined());
        QVERIFY(plan->kept()->spec == edited);
        click(*m_page, "Clear comparison");
        QVERIFY(!plan->kept().has_value());
    }

    void unknownHardwareLeadsToItsField()
    {
        document().edit("Hardware", "cluster.nodes",
                        [](RunSpec& spec) { spec.cluster.nodes[1].hardware.clear(); });
        QVERIFY(!buttonIn(*m_page, "Search for alternatives")->isEnabled());
        click(*m_page, "Choose the hardware");
        auto* form = m_page->findChild<SpecForm*>();
        QVERIFY(form->isAncestorOf(QApplication::focusWidget()));
        document().undoStack().undo();
        QVERIFY(!buttonIn(*m_page, "Choose the hardware"));
    }

    void thePipelineIsWalkedAndZoomed()
    {
        auto* gantt = m_page->findChild<PipelineGantt*>();
        AWAIT(gantt->shownTo() > 0);
        const double whole = gantt->shownTo();
        QTest::keyClick(gantt, Qt::Key_Right);
        QVERIFY2(gantt->accessibleDescription().startsWith("stage 0 · forward of micro-batch 0"),
                 qPrintable(gantt->accessibleDescription()));
        QTest::keyClick(gantt, Qt::Key_Down);
        QVERIFY(gantt->accessibleDescription().startsWith("stage 1"));
        const QPointF right(gantt->width() - 10, gantt->height() / 3.0);
        turnWheel(*gantt, right, 4);
        QVERIFY(gantt->shownTo() - gantt->shownFrom() < whole / 2);
        QVERIFY(gantt->shownFrom() > 0);
        QTest::keyClick(gantt, Qt::Key_Home);
        QCOMPARE(gantt->shownTo() - gantt->shownFrom(), whole);
    }

    void theScalingIsReadOutSizeBySize()
    {
        auto* chart = m_page->findChild<ScalingChart*>();
        AWAIT(!chart->presentReadOut().isEmpty());
        QVERIFY(chart->presentReadOut().startsWith("16 devices"));
        QTest::keyClick(chart, Qt::Key_Right);
        QVERIFY(chart->accessibleDescription().startsWith("8 devices"));
    }

    void aCauseOfTheStepIsBroughtOut()
    {
        auto* bar = m_page->findChild<StepTimeBar*>();
        QTest::keyClick(bar, Qt::Key_Right);
        QCOMPARE(bar->current(), CommonCause::Compute);
        QVERIFY(bar->accessibleDescription().contains("matrix products"));
    }

    void invalidDesignsHaveNoTime()
    {
        document().edit("Heads", "model.heads", [](RunSpec& spec) { spec.model.heads = 0; });
        QCOMPARE(m_page->findChild<PipelineGantt*>()->shownTo(), 0.0);
        document().undoStack().undo();
        AWAIT(m_page->findChild<PipelineGantt*>()->shownTo() > 0);
    }

private:
    SpecDocument& document() { return m_desk.session().document(); }

    PageFixture m_desk;
    DesignPage* m_page = nullptr;
};

QTEST_MAIN(TestDesignPlanView)
#include "tst_design_plan_view.moc"
