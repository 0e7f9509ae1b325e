#include <algorithm>

#include <QAction>
#include <QDockWidget>
#include <QLineEdit>
#include <QSettings>
#include <QTabBar>
#include <QTemporaryDir>
#include <QTest>
#include <QUndoStack>
#include <QVBoxLayout>

#include "app/shell/layout_memory.h"
#include "app/workspace/panel_area.h"
#include "tests/gui/picture.h"
#include "tests/support/patience.h"

using namespace trainyard;

namespace {

constexpr QSize kNarrow(1000, 600);
constexpr QSize kWide(2000, 1200);

/// Three panels: one above, two as tabs below; side by side where the window is wide.
class Sample {
public:
    explicit Sample(QSettings* settings = nullptr, QSize size = kNarrow, const QString& askedFor = {})
        : area(undo)
    {
        QDockWidget* above = add("above");
        QDockWidget* left = add("left");
        QDockWidget* right = add("right");
        if (settings)
            layouts.emplace(*settings).watch("sample", area);
        area.setFirstLayout([=](PanelArea& panels, PanelArea::SizeClass sizeClass) {
            panels.addDockWidget(Qt::LeftDockWidgetArea, above);
            panels.splitDockWidget(above, left, Qt::Vertical);
            if (sizeClass == PanelArea::SizeClass::Wide)
                panels.splitDockWidget(left, right, Qt::Horizontal);
            else
                panels.tabifyDockWidget(left, right);
            for (QDockWidget* dock : {above, left, right})
                dock->show();
            left->raise();
        });
        area.resize(size);
        area.show();
        if (!askedFor.isEmpty())
            area.showPanel(content(askedFor));
        (void)QTest::qWaitForWindowExposed(&area, kPatienceMs);
        QCoreApplication::processEvents();
    }

    QWidget& content(const QString& id) { return *contents.value(id); }
    bool isSeen(const QString& id) { return PanelArea::isSeen(content(id)); }
    void run(const QString& command)
    {
        for (QAction* action : area.commands()) {
            if (action->text() == command)
                return action->trigger();
        }
        QFAIL(qPrintable("no command " + command));
    }

    QUndoStack undo;
    QMap<QString, QWidget*> contents;
    PanelArea area;
    std::optional<LayoutMemory> layouts;

private:
    QDockWidget* add(const QString& id)
    {
        auto* content = new QWidget;
        auto* column = new QVBoxLayout(content);
        column->addWidget(new QLineEdit(id));
        contents[id] = content;
        return area.addPanel(id, id.at(0).toUpper() + id.mid(1), content, PanelArea::Heading::Bar);
    }
};

} // namespace

/// Panels by their commands, with undo and with memory.
class TestPanelArea : public QObject {
    Q_OBJECT

private slots:
    void onlyTheCurrentTabIsSeen()
    {
        Sample sample;
        QVERIFY(sample.isSeen("above"));
        QVERIFY(sample.isSeen("left"));
        QVERIFY(!sample.isSeen("right"));
        sample.area.showPanel(sample.content("right"));
        AWAIT(sample.isSeen("right"));
        QVERIFY(!sample.isSeen("left"));
        QVERIFY(!sample.undo.canUndo()); // looking at another tab changes no layout
        support::savePictures(sample.area, "panel-area");
    }

    void wideWindowsHaveALayoutOfTheirOwn()
    {
        Sample sample(nullptr, kWide);
        QVERIFY(sample.isSeen("left"));
        QVERIFY(sample.isSeen("right"));
        sample.area.resize(kNarrow);
        AWAIT(!sample.isSeen("right"));
        QVERIFY(sample.isSeen("left"));
    }

    void whatWasAskedForStaysInSightInAnotherLayout()
    {
        Sample sample(nullptr, kWide);
        sample.area.showPanel(sample.content("right"));
        sample.area.resize(kNarrow);
        AWAIT(!sample.isSeen("left"));
        AWAIT(sample.isSeen("right"));
    }

    void whatIsAskedForAtOnceIsSeenToo()
    {
        Sample sample(nullptr, kNarrow, "right");
        QVERIFY(!sample.isSeen("left"));
        QVERIFY(sample.isSeen("right"));
    }

    void aCommandShowsAPanelAndGoesThere()
    {
        Sample sample;
        sample.run("Show panel Right");
        AWAIT(sample.isSeen("right"));
        AWAIT(sample.content("right").isAncestorOf(QApplication::focusWidget()));
    }

    void aClosedPanelComesBackByItsCommandAndByUndo()
    {
        Sample sample;
        sample.run("Show panel Above");
        AWAIT(sample.content("above").isAncestorOf(QApplication::focusWidget()));
        sample.run("Close the panel in focus");
        QVERIFY(!sample.isSeen("above"));
        AWAIT_EQUAL(sample.undo.count(), 1);
        sample.undo.undo();
        AWAIT(sample.isSeen("above"));
        sample.undo.redo();
        AWAIT(!sample.isSeen("above"));
        sample.run("Show panel Above");
        AWAIT(sample.isSeen("above"));
    }

    void keysOfWhatIsAroundWorkInAFloatingPanel()
    {
        Sample sample;
        QAction around(QStringLiteral("Around"));
        around.setShortcut(QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_J));
        around.setShortcutContext(Qt::WidgetWithChildrenShortcut);
        int triggered = 0;
        connect(&around, &QAction::triggered, this, [&triggered] { ++triggered; });
        sample.area.addAction(&around);
        QDockWidget* dock = sample.area.panel("left");
        dock->setFloating(true);
        AWAIT(dock->actions().contains(&around));
        dock->activateWindow();
        auto* field = sample.content("left").findChild<QLineEdit*>();
        field->setFocus();
        AWAIT(QApplication::focusWidget() == field);
        QTest::keyClick(field, Qt::Key_J, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(triggered, 1);
        dock->setFloating(false);
        sample.area.activateWindow();
        AWAIT(QApplication::activeWindow() == &sample.area);
        QTest::keyClick(field, Qt::Key_J, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(triggered, 2); // once, though panel and area both know it
    }

    void aPanelFloatsAndTheFirstLayoutBringsItBack()
    {
        Sample sample;
        sample.run("Show panel Left");
        AWAIT(sample.content("left").isAncestorOf(QApplication::focusWidget()));
        sample.run("Float or dock the panel in focus");
        QVERIFY(sample.area.panel("left")->isFloating());
        AWAIT_EQUAL(sample.undo.count(), 1);
        sample.run("Reset the layout of the panels");
        QVERIFY(!sample.area.panel("left")->isFloating());
        AWAIT(sample.isSeen("left"));
        AWAIT_EQUAL(sample.undo.count(), 2);
        sample.undo.undo();
        QVERIFY(sample.area.panel("left")->isFloating());
    }

    void theLayoutIsRememberedForEachSize()
    {
        const QTemporaryDir folder;
        QSettings settings(folder.filePath("window.ini"), QSettings::IniFormat);
        {
            Sample sample(&settings);
            sample.run("Show panel Above");
            AWAIT(sample.content("above").isAncestorOf(QApplication::focusWidget()));
            sample.run("Close the panel in focus");
            AWAIT_EQUAL(sample.undo.count(), 1);
        }
        Sample narrow(&settings);
        QVERIFY(!narrow.isSeen("above"));
        Sample wide(&settings, kWide);
        QVERIFY(wide.isSeen("above"));
    }

    void aLayoutOfOtherPanelsIsLeftAlone()
    {
        const QTemporaryDir folder;
        QSettings settings(folder.filePath("window.ini"), QSettings::IniFormat);
        for (const QByteArray& state : {QByteArray("no layout"), QMainWindow().saveState(7)}) {
            settings.setValue("panels/sample-narrow", state);
            Sample sample(&settings);
            QVERIFY(sample.isSeen("above"));
            QVERIFY(sample.isSeen("left"));
        }
    }

    void tabBarsSpeakAndTakeTheFocus()
    {
        Sample sample;
        const auto bars = sample.area.findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly);
        const auto found = std::ranges::find_if(bars, &QTabBar::isVisible);
        QVERIFY(found != bars.end());
        QTabBar* tabs = *found;
        QVERIFY(!tabs->accessibleName().isEmpty());
        tabs->setFocus();
        QTest::keyClick(tabs, Qt::Key_Right);
        AWAIT(sample.isSeen("right"));
    }
};

QTEST_MAIN(TestPanelArea)
#include "tst_panel_area.moc"
