#include <QSignalSpy>
#include <QSlider>
#include <QTest>

#include "app/charts/chart_toolbar.h"
#include "tests/gui/linked_charts.h"
#include "tests/gui/picture.h"
#include "tests/support/patience.h"

using namespace trainyard;
using namespace trainyard::test;

/// Charts that share a cursor and a zoom, driven by keys and the mouse, and their tool bar.
class TestChartGestures : public QObject, private LinkedCharts {
    Q_OBJECT

private slots:
    void initTestCase() { support::applyScheme(ColourScheme::Light); }
    void init() { open(); }
    void cleanup() { close(); }

    void saysWhatIsShown()
    {
        m_link->setZoom(ChartSpan{20, 60});
        replot();
        QVERIFY2(m_first->accessibleDescription().contains("Shown: step 20 to step 60"),
                 qPrintable(m_first->accessibleDescription()));
    }

    void keysZoomAndMoveAlong()
    {
        m_link->setCursor(50);
        QTest::keyClick(m_first, Qt::Key_Plus);
        QVERIFY(m_link->zoom().has_value());
        const double width = m_link->zoom()->to - m_link->zoom()->from;
        QVERIFY(width < 80);
        QTest::keyClick(m_first, Qt::Key_Right, Qt::ShiftModifier);
        QVERIFY(std::fabs(m_link->zoom()->to - m_link->zoom()->from - width) < 1e-9);
        for (int i = 0; i < 20; ++i)
            QTest::keyClick(m_first, Qt::Key_Right, Qt::ShiftModifier);
        QCOMPARE(m_link->zoom()->to, 100.0);
        QTest::keyClick(m_first, Qt::Key_End);
        QCOMPARE(*m_link->cursor(), 100.0);
        QTest::keyClick(m_first, Qt::Key_0);
        QVERIFY(!m_link->zoom());
        QTest::keyClick(m_first, Qt::Key_Home);
        QCOMPARE(*m_link->cursor(), 1.0);
    }

    void oneCursorForAllChartsSnapsToTheData()
    {
        QTest::mouseMove(plot(m_first), pixelOf(m_first, 40.3));
        AWAIT(m_link->cursor().has_value());
        QCOMPARE(*m_link->cursor(), 40.0);
        QVERIFY(m_second->accessibleDescription().startsWith("step 40"));
    }

    void arrowsMoveTheCursorByOneStep()
    {
        m_link->setCursor(40);
        QTest::keyClick(m_first, Qt::Key_Right);
        QCOMPARE(*m_link->cursor(), 41.0);
        QTest::keyClick(m_first, Qt::Key_Left);
        QTest::keyClick(m_first, Qt::Key_Left);
        QCOMPARE(*m_link->cursor(), 39.0);
    }

    void draggingABoxZoomsAllCharts()
    {
        QTest::mousePress(plot(m_first), Qt::LeftButton, {}, pixelOf(m_first, 20));
        QTest::mouseMove(plot(m_first), pixelOf(m_first, 40));
        QTest::mouseMove(plot(m_first), pixelOf(m_first, 60));
        QTest::mouseRelease(plot(m_first), Qt::LeftButton, {}, pixelOf(m_first, 60));
        replot();
        for (CurveChart* chart : {m_first, m_second}) {
            QVERIFY2(std::fabs(plot(chart)->xAxis->range().lower - 20) < 0.5,
                     qPrintable(QString::number(plot(chart)->xAxis->range().lower)));
            QVERIFY(std::fabs(plot(chart)->xAxis->range().upper - 60) < 0.5);
        }
        QTest::mouseDClick(plot(m_second), Qt::LeftButton, {}, pixelOf(m_second, 30));
        replot();
        QCOMPARE(plot(m_first)->xAxis->range().upper, 100.0);
    }

    void aClickIsNoZoom()
    {
        QTest::mouseClick(plot(m_first), Qt::LeftButton, {}, pixelOf(m_first, 20));
        QVERIFY(!m_link->zoom());
    }

    void ctrlAndWheelZoomAroundThePointer()
    {
        turnWheel(Qt::ControlModifier, pixelOf(m_first, 50));
        QVERIFY(m_link->zoom().has_value());
        QVERIFY(m_link->zoom()->from > 1 && m_link->zoom()->to < 100);
        QVERIFY(m_link->zoom()->from < 50 && m_link->zoom()->to > 50);
    }

    void theBareWheelIsLeftToThePage()
    {
        QVERIFY(!turnWheel(Qt::NoModifier, pixelOf(m_first, 50)));
        QVERIFY(!m_link->zoom());
    }

    void theToolbarHasKeys()
    {
        auto* toolbar = new ChartToolbar(m_window.get());
        m_window->layout()->addWidget(toolbar);
        QSignalSpy changed(toolbar, &ChartToolbar::optionsChanged);
        m_first->setFocus();
        QVERIFY(QTest::qWaitForWindowActive(m_window.get(), kPatienceMs));
        QTest::keyClick(m_first, Qt::Key_L);
        QVERIFY(toolbar->options().logarithmic);
        QTest::keyClick(m_first, Qt::Key_O);
        QVERIFY(toolbar->options().hideOutliers);
        QTest::keyClick(m_first, Qt::Key_S);
        QCOMPARE(toolbar->options().smoothing.weight, 0.0);
        QTest::keyClick(m_first, Qt::Key_S);
        QCOMPARE(toolbar->options().smoothing.weight, 0.6);
        toolbar->findChild<QSlider*>()->setValue(100);
        QCOMPARE(toolbar->options().smoothing.weight, 0.99);
        QCOMPARE(changed.count(), 5);
    }
};

QTEST_MAIN(TestChartGestures)
#include "tst_chart_gestures.moc"
