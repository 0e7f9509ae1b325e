#include <QAction>
#include <QLabel>
#include <QMenu>
#include <QMessageBox>
#include <QTest>

#include "app/runs/run_store.h"
#include "app/shell/tour.h"
#include "app/workspace/page.h"
#include "tests/gui/page_fixture.h"
#include "tests/support/patience.h"

using namespace trainyard;
using namespace trainyard::test;

/// The tour by keys alone.
class TestTour : public QObject {
    Q_OBJECT

private slots:
    void init() { m_desk.start(); }
    void cleanup() { m_desk.end(); }

    void leadsThroughThePlacesByTheReturnKey()
    {
        tour().begin();
        QStringList pages;
        for (QString page = title(); pages.size() < 4; page = title()) {
            pages << page;
            QTest::keyClick(buttonIn(tour(), "Next"), Qt::Key_Space);
        }
        QCOMPARE(pages, (QStringList{"Hosts", "Data", "Design", "Runs"}));
        QVERIFY(!tour().accessibleDescription().isEmpty());
        QVERIFY(m_desk.window().rect().contains(tour().geometry()));
        QTest::keyClick(buttonIn(tour(), "Next"), Qt::Key_Space);
        QVERIFY(buttonIn(tour(), "Start the demo"));
        QVERIFY(!buttonIn(tour(), "Next"));
    }

    void endsInARunningDemo()
    {
        if (!nodeProgramsAreBuilt())
            QSKIP("nothing to prepare and to train with: the node half is not built");
        tour().begin();
        while (QPushButton* next = buttonIn(tour(), "Next"))
            QTest::keyClick(next, Qt::Key_Space);
        QTest::keyClick(buttonIn(tour(), "Start the demo"), Qt::Key_Space);
        QVERIFY(!tour().isVisible());
        const RunListModel& runs = m_desk.session().runStore().list();
        AWAIT_EQUAL(runs.rowCount(), 1);
        AWAIT_EQUAL(title(), "Runs");
        const auto step = [&] { return runs.entryAt(0).step; };
        AWAIT(step() > 0);
    }

    void escapeLeavesItForGood()
    {
        m_desk.desk().offerTour();
        QVERIFY(tour().isVisible());
        QTest::keyClick(&m_desk.window(), Qt::Key_Escape);
        QVERIFY(!tour().isVisible());
        m_desk.open();
        m_desk.desk().offerTour();
        QVERIFY(!tour().isVisible());
        for (QAction* action : m_desk.window().actions()) {
            if (action->text() == "Take the tour")
                action->trigger();
        }
        QVERIFY(tour().isVisible());
    }

    void theHelpMenuBeginsIt()
    {
        QTest::keyClick(&m_desk.window(), Qt::Key_F1);
        choose("Take the tour");
        QVERIFY(tour().isVisible());
    }

    void theHelpMenuTellsVersionAndFolder()
    {
        QTest::keyClick(&m_desk.window(), Qt::Key_F1);
        choose("About Trainyard");
        const auto* about = m_desk.window().findChild<QMessageBox*>();
        QVERIFY(about && about->isVisible());
        QVERIFY(about->text().contains(QApplication::applicationVersion()));
        QVERIFY(about->informativeText().contains(
            QString::fromStdString(m_desk.session().dataFolder().string())));
    }

    void isNotOfferedWhereWorkWasDone()
    {
        HostEntry host;
        host.name = "gpu-03";
        QVERIFY(m_desk.session().hosts().add(host).ok());
        m_desk.desk().offerTour();
        QVERIFY(!tour().isVisible());
    }

private:
    Tour& tour() { return *m_desk.window().findChild<Tour*>(); }
    /// In the menu that is open.
    static void choose(const QString& command)
    {
        auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
        QVERIFY(menu);
        for (QAction* action : menu->actions()) {
            if (action->text() == command)
                menu->setActiveAction(action);
        }
        QTest::keyClick(menu, Qt::Key_Return);
    }
    QString title() { return m_desk.window().currentPage()->title(); }

    PageFixture m_desk;
};

QTEST_MAIN(TestTour)
#include "tst_tour.moc"
