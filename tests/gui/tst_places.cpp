#include <algorithm>

#include <QAccessible>
#include <QApplication>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QScreen>
#include <QSignalSpy>
#include <QTest>
#include <QTextBrowser>

#include "app/hosts/add_host_bar.h"
#include "app/hosts/host_key_strip.h"
#include "app/hosts/hosts_page.h"
#include "app/shell/command_palette.h"
#include "app/shell/help_window.h"
#include "app/shell/shortcut_sheet.h"
#include "app/widgets/table_view.h"
#include "app/workspace/message_bar.h"
#include "app/workspace/page_frame.h"
#include "tests/gui/page_fixture.h"
#include "tests/support/patience.h"

using namespace trainyard;
using namespace trainyard::test;

namespace {

/// What a screen reader says of a control: its accessible name, or the text that a button shows.
QString spokenName(QWidget* widget)
{
    const auto* interface = QAccessible::queryAccessibleInterface(widget);
    return interface ? interface->text(QAccessible::Name) : QString();
}

} // namespace

/// Drives the window and its page of hosts as a user does, with keys and the mouse; hosts are this machine,
/// through the real agent.
class TestPlaces : public QObject {
    Q_OBJECT

private slots:
    void init() { m_desk.start(); }
    void cleanup() { m_desk.end(); }

    void theWindowLeavesRoomForItsTitleBar()
    {
        const MainWindow& window = m_desk.window();
        QVERIFY(window.height() < window.screen()->availableGeometry().height());
    }

    void keysLeadToThePlaces()
    {
        MainWindow& window = m_desk.window();
        for (const auto& [key, title] :
             {std::pair{Qt::Key_3, "Design"}, {Qt::Key_2, "Data"}, {Qt::Key_1, "Hosts"}}) {
            QTest::keyClick(&window, key, Qt::ControlModifier);
            QCOMPARE(window.currentPage()->title(), title);
        }
    }

    void thePaletteRunsWhatIsTyped()
    {
        MainWindow& window = m_desk.window();
        QTest::keyClick(&window, Qt::Key_K, Qt::ControlModifier);
        auto* palette = window.findChild<CommandPalette*>();
        QVERIFY(palette->isVisible());
        auto* filter = palette->findChild<QLineEdit*>();
        QTest::keyClicks(filter, "go to data");
        QTest::keyClick(filter, Qt::Key_Return);
        QVERIFY(!palette->isVisible());
        QCOMPARE(window.currentPage()->title(), "Data");
    }

    void thePaletteFindsWordsInAnyOrder()
    {
        MainWindow& window = m_desk.window();
        QTest::keyClick(&window, Qt::Key_K, Qt::ControlModifier);
        const auto* list = window.findChild<CommandPalette*>()->findChild<QListWidget*>();
        auto* filter = window.findChild<CommandPalette*>()->findChild<QLineEdit*>();
        QTest::keyClicks(filter, "data go to");
        QCOMPARE(list->count(), 1);
        QCOMPARE(list->item(0)->text(), "Go to Data");
        QTest::keyClicks(filter, " nowhere");
        QVERIFY(!list->isVisible());
        QTest::keyClick(filter, Qt::Key_Escape);
    }

    void thePalettePressesTheButtonsOfThePlace()
    {
        MainWindow& window = m_desk.window();
        QTest::keyClick(&window, Qt::Key_1, Qt::ControlModifier);
        auto* bar = window.findChild<AddHostBar*>();
        QVERIFY(!bar->isVisible());
        QTest::keyClick(&window, Qt::Key_K, Qt::ControlModifier);
        auto* filter = window.findChild<CommandPalette*>()->findChild<QLineEdit*>();
        QTest::keyClicks(filter, "add host");
        QTest::keyClick(filter, Qt::Key_Return);
        QVERIFY(bar->isVisible());
    }

    void thePaletteReachesTheButtonsOfOtherPages()
    {
        MainWindow& window = m_desk.window();
        QTest::keyClick(&window, Qt::Key_4, Qt::ControlModifier);
        QTest::keyClick(&window, Qt::Key_K, Qt::ControlModifier);
        auto* filter = window.findChild<CommandPalette*>()->findChild<QLineEdit*>();
        QTest::keyClicks(filter, "add host");
        QTest::keyClick(filter, Qt::Key_Return);
        QCOMPARE(window.currentPage()->title(), "Hosts");
        QVERIFY(window.findChild<AddHostBar*>()->isVisible());
    }

    void thePaletteReachesMenus()
    {
        MainWindow& window = m_desk.window();
        QTest::keyClick(&window, Qt::Key_1, Qt::ControlModifier);
        QTest::keyClick(&window, Qt::Key_K, Qt::ControlModifier);
        const auto* list = window.findChild<CommandPalette*>()->findChild<QListWidget*>();
        auto* filter = window.findChild<CommandPalette*>()->findChild<QLineEdit*>();
        QTest::keyClicks(filter, "import mlflow");
        QCOMPARE(list->count(), 1);
        QCOMPARE(list->item(0)->text(), "Runs: Import runs: Folder of TensorBoard, MLflow or W&B…");
        QTest::keyClick(filter, Qt::Key_Escape);
    }

    void thePaletteOpensAHostByItsName()
    {
        MainWindow& window = m_desk.window();
        QTest::keyClick(&window, Qt::Key_3, Qt::ControlModifier);
        QTest::keyClick(&window, Qt::Key_K, Qt::ControlModifier);
        const auto* list = window.findChild<CommandPalette*>()->findChild<QListWidget*>();
        auto* filter = window.findChild<CommandPalette*>()->findChild<QLineEdit*>();
        const auto texts = [list] {
            QStringList texts;
            for (int row = 0; row < list->count(); ++row)
                texts << list->item(row)->text();
            return texts;
        };
        const QString name = "Host: " + m_desk.session().hosts().names().first();
        QVERIFY(!texts().contains(name)); // only what is typed
        QTest::keyClicks(filter, name);
        QCOMPARE(texts(), QStringList{name});
        QTest::keyClick(filter, Qt::Key_Return);
        QCOMPARE(window.currentPage()->title(), "Hosts");
    }

    void helpIsFoundByItsWords()
    {
        MainWindow& window = m_desk.window();
        QTest::keyClick(&window, Qt::Key_F1, Qt::ShiftModifier);
        auto* help = window.findChild<HelpWindow*>();
        QVERIFY(help->isVisible());
        auto* list = help->findChild<QListWidget*>();
        const int all = list->count();
        QTest::keyClicks(help->findChild<QLineEdit*>(), "straggler");
        QVERIFY(list->count() < all);
        QCOMPARE(list->item(0)->text(), "Straggler");
        QVERIFY(help->findChild<QTextBrowser*>()->toPlainText().contains("slower than the others"));
        help->close();
    }

    void theSheetTellsTheKeysOfThePlace()
    {
        MainWindow& window = m_desk.window();
        const auto texts = [&window] {
            QTest::keyClick(&window, Qt::Key_Slash, Qt::ControlModifier);
            auto* sheet = window.findChild<ShortcutSheet*>();
            QStringList texts;
            for (const QLabel* label : sheet->findChildren<QLabel*>())
                texts << label->text();
            QTest::keyClick(sheet, Qt::Key_Escape);
            return texts;
        };
        QTest::keyClick(&window, Qt::Key_3, Qt::ControlModifier);
        const QStringList ofDesign = texts();
        QVERIFY(ofDesign.contains("D P T") && ofDesign.contains("Ctrl+K") &&
                !ofDesign.contains("Smoothing off and on"));
        QTest::keyClick(&window, Qt::Key_5, Qt::ControlModifier);
        const QStringList ofCompare = texts();
        QVERIFY(!ofCompare.contains("D P T") && ofCompare.contains("Smoothing off and on"));
    }

    void theSchemeTogglesAndIsRemembered()
    {
        const QColor before = QApplication::palette().color(QPalette::Window);
        QTest::keyClick(&m_desk.window(), Qt::Key_L, Qt::ControlModifier | Qt::ShiftModifier);
        const QColor after = QApplication::palette().color(QPalette::Window);
        QVERIFY(before != after);
        m_desk.open();
        QCOMPARE(QApplication::palette().color(QPalette::Window), after);
    }

    void everyControlHasAnAccessibleName()
    {
        QStringList nameless;
        for (auto* widget : m_desk.window().findChildren<QWidget*>()) {
            const bool control = qobject_cast<QAbstractButton*>(widget) || qobject_cast<QLineEdit*>(widget) ||
                                 qobject_cast<QComboBox*>(widget) ||
                                 qobject_cast<QAbstractSpinBox*>(widget) ||
                                 qobject_cast<QAbstractItemView*>(widget);
            // Parts that Qt puts inside its own controls speak with the control's name.
            const bool inner = widget->objectName().startsWith("qt_") ||
                               qobject_cast<QAbstractSpinBox*>(widget->parentWidget()) ||
                               qobject_cast<QComboBox*>(widget->parentWidget()) ||
                               qobject_cast<QLineEdit*>(widget->parentWidget()) ||
                               widget->inherits("QComboBoxListView") || widget->inherits("QHeaderView") ||
                               widget->inherits("QTableCornerButton");
            if (control && !inner && spokenName(widget).isEmpty())
                nameless << QString("%1 in %2")
                                .arg(widget->metaObject()->className(),
                                     widget->parentWidget()->metaObject()->className());
        }
        QVERIFY2(nameless.isEmpty(), qPrintable(nameless.join('\n')));
    }

    void aHostIsAddedRemovedAndBroughtBack()
    {
        auto& page = m_desk.goTo<HostsPage>();
        click(page, "Add host…");
        auto* field = page.findChild<AddHostBar*>()->findChild<QLineEdit*>();
        QTest::keyClicks(field, "-bad");
        QTest::keyClick(field, Qt::Key_Return);
        QCOMPARE(m_desk.session().hosts().rowCount(), 1); // said in the bar, not taken
        replaceText(field, "no-such-host.invalid");
        QTest::keyClick(field, Qt::Key_Return);
        QCOMPARE(m_desk.session().hosts().rowCount(), 2);
        click(page, "Remove");
        QCOMPARE(m_desk.session().hosts().rowCount(), 1);
        click(page, "Undo");
        QCOMPARE(m_desk.session().hosts().names().back(), "no-such-host.invalid");

        m_desk.open(); // the list is on the disk
        QCOMPARE(m_desk.session().hosts().rowCount(), 2);
    }

    void refuseIsTheAnswerOfAHastyReturnKey()
    {
        auto& page = m_desk.goTo<HostsPage>();
        auto* strip = page.findChild<HostKeyStrip*>();
        QSignalSpy answered(strip, &HostKeyStrip::answered);
        strip->ask("gpu-11", {"gpu-11", "10.0.0.11 port 22", {}, "ssh-ed25519", "SHA256:abc"});
        QVERIFY(strip->isVisible());
        QVERIFY(strip->text().contains("SHA256:abc"));
        AWAIT(QApplication::focusWidget());
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Space);
        QCOMPARE(answered.count(), 1);
        QCOMPARE(answered.front().at(1).toBool(), false);
        QVERIFY(!strip->isVisible());
    }

    void thisMachineIsChecked()
    {
        if (!nodeProgramsAreBuilt())
            QSKIP("the node executables are not built: no agent to ask");
        auto& page = m_desk.goTo<HostsPage>();
        click(page, "Check now");
        AWAIT(m_desk.session().hosts().at(0).report.has_value());
        QVERIFY(!m_desk.session().hosts().at(0).report->facts.hostName.isEmpty());
        QVERIFY(m_desk.session().hosts().at(0).state != HostState::NotReached);
    }

    void linksAreTriedBetweenSelectedHosts()
    {
        auto& page = m_desk.goTo<HostsPage>();
        HostListModel& hosts = m_desk.session().hosts();
        for (const char* name : {"no-such-host-1.invalid", "no-such-host-2.invalid"}) {
            HostEntry host;
            host.name = name;
            QVERIFY(hosts.add(host).ok());
        }
        auto* links = buttonIn(page, "Check links");
        const auto tables = page.findChildren<TableView*>();
        auto* table = *std::ranges::find(tables, QString("Hosts"), &QWidget::accessibleName);
        table->selectRow(1);
        QVERIFY(!links->isEnabled()); // one host has no link
        table->selectAll();
        QVERIFY(links->isEnabled());
        links->click();
        QVERIFY(!links->isEnabled()); // one check at a time
        auto* strip = page.findChild<PageFrame*>()->messageBar();
        AWAIT(!m_desk.session().hostChecks().cluster().isRunning());
        QVERIFY2(strip->text().contains("cannot form a cluster"), qPrintable(strip->text()));
        QCOMPARE(hosts.at(1).state, HostState::NotReached);
        QVERIFY(links->isEnabled());
    }

    /// By the real worker; plans find the hardware afterwards.
    void thisMachineIsMeasuredForPlans()
    {
        if (!nodeProgramsAreBuilt())
            QSKIP("the node executables are not built: nothing to measure with");
        auto& page = m_desk.goTo<HostsPage>();
        HostChecks& checks = m_desk.session().hostChecks();
        click(page, "Check now");
        AWAIT(!checks.isChecking(thisMachine()));
        QVERIFY(m_desk.session().hosts().at(0).state != HostState::Blocked);
        auto* calibrate = buttonIn(page, "Calibrate");
        QVERIFY(calibrate->isEnabled());
        calibrate->click();
        QVERIFY(!calibrate->isEnabled()); // one at a time
        AWAIT(!m_desk.session().hostCalibration().isRunning());
        auto* strip = page.findChild<PageFrame*>()->messageBar();
        QVERIFY2(strip->text().contains("localhost"), qPrintable(strip->text()));
        const auto node = m_desk.session().hardware().find("localhost");
        QVERIFY2(node.ok(), node.ok() ? "" : node.error().text().c_str());
        QVERIFY(node->calibration.has_value());
        QVERIFY(calibrate->isEnabled());
    }

private:
    PageFixture m_desk;
};

QTEST_MAIN(TestPlaces)
#include "tst_places.moc"
