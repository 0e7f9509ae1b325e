#include "tests/gui/hand.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAccessible>
#include <QApplication>
#include <QComboBox>
#include <QElapsedTimer>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QTabBar>
#include <QTest>
#include <QTimer>

#include "tests/support/patience.h"

namespace trainyard::test {

namespace {

/// Of a combo box Qt's own answer is what it shows.
QString spokenName(QWidget& widget)
{
    if (!widget.accessibleName().isEmpty())
        return widget.accessibleName();
    const auto* interface = QAccessible::queryAccessibleInterface(&widget);
    return interface ? interface->text(QAccessible::Name) : QString();
}

/// The row whose first column shows or speaks such a text, or -1.
int rowOf(const QAbstractItemModel& model, const QString& beginning)
{
    for (int row = 0; row < model.rowCount(); ++row) {
        for (const int role : {Qt::DisplayRole, Qt::AccessibleTextRole}) {
            if (model.index(row, 0).data(role).toString().startsWith(beginning))
                return row;
        }
    }
    return -1;
}

int tabOf(const QTabBar& bar, const QString& title)
{
    for (int tab = 0; tab < bar.count(); ++tab) {
        if (bar.tabText(tab).remove('&') == title)
            return tab;
    }
    return -1;
}

} // namespace

QWidget* Hand::find(const QString& name, const char* className) const
{
    for (QWidget* widget : m_window.findChildren<QWidget*>()) {
        if (widget->inherits(className) && widget->isVisible() && spokenName(*widget) == name)
            return widget;
    }
    return nullptr;
}

void Hand::goTo(int page)
{
    QTest::keyClick(&m_window, Qt::Key(Qt::Key_0 + page), Qt::ControlModifier);
}

bool Hand::canPress(const QString& button) const
{
    const QWidget* found = find(button, "QAbstractButton");
    return found && found->isEnabled();
}

void Hand::press(const QString& button)
{
    QTRY_VERIFY2_WITH_TIMEOUT(canPress(button), qPrintable("no button to press: " + button), kPatienceMs);
    QTest::mouseClick(find(button, "QAbstractButton"), Qt::LeftButton);
}

void Hand::write(const QString& field, const QString& text)
{
    const auto editor = [&]() -> QWidget* {
        for (const char* kind : {"QLineEdit", "QPlainTextEdit", "QAbstractSpinBox", "QComboBox"}) {
            if (QWidget* found = find(field, kind))
                return found;
        }
        return nullptr;
    };
    QTRY_VERIFY2_WITH_TIMEOUT(editor(), qPrintable("no field to write into: " + field), kPatienceMs);
    QWidget* target = editor();
    target->setFocus(Qt::MouseFocusReason);
    QTest::keyClick(target, Qt::Key_A, Qt::ControlModifier);
    QTest::keyClicks(target, text);
    QTest::keyClick(target, Qt::Key_Tab);
}

void Hand::choose(const QString& box, const QString& entry)
{
    QTRY_VERIFY2_WITH_TIMEOUT(find(box, "QComboBox"), qPrintable("no choice: " + box), kPatienceMs);
    auto* combo = qobject_cast<QComboBox*>(find(box, "QComboBox"));
    const int wanted = combo->findText(entry, Qt::MatchStartsWith);
    QVERIFY2(wanted >= 0, qPrintable(box + " has no entry " + entry));
    combo->setFocus(Qt::MouseFocusReason);
    QTest::keyClick(combo, Qt::Key_Home);
    for (int steps = combo->count(); combo->currentIndex() != wanted && steps > 0; --steps)
        QTest::keyClick(combo, Qt::Key_Down);
    QCOMPARE(combo->currentIndex(), wanted);
}

void Hand::pickRow(const QString& view, const QString& beginning)
{
    QTRY_VERIFY2_WITH_TIMEOUT(find(view, "QAbstractItemView"), qPrintable("no list: " + view), kPatienceMs);
    auto* list = qobject_cast<QAbstractItemView*>(find(view, "QAbstractItemView"));
    QTRY_VERIFY2_WITH_TIMEOUT(rowOf(*list->model(), beginning) >= 0,
                              qPrintable(view + " has no row " + beginning), kPatienceMs);
    const QModelIndex index = list->model()->index(rowOf(*list->model(), beginning), 0);
    list->scrollTo(index);
    QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, list->visualRect(index).center());
}

void Hand::openTab(const QString& title)
{
    for (QTabBar* bar : m_window.findChildren<QTabBar*>()) {
        if (const int tab = tabOf(*bar, title); bar->isVisible() && tab >= 0) {
            QTest::mouseClick(bar, Qt::LeftButton, {}, bar->tabRect(tab).center());
            QCOMPARE(bar->currentIndex(), tab);
            return;
        }
    }
    QFAIL(qPrintable("no tab " + title));
}

void Hand::saveAs(const QString& button, const QString& file)
{
    // Qt's dialog takes the first Return for the folder that the first letter of a path names, and writes a
    // name of its own into a field without the focus.
    QTimer answer;
    QElapsedTimer open;
    open.start();
    QObject::connect(&answer, &QTimer::timeout, &answer, [&file, &open] {
        auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
        auto* name = dialog ? dialog->findChild<QLineEdit*>("fileNameEdit") : nullptr;
        if (!name)
            return;
        if (open.elapsed() > kPatienceMs) {
            qWarning() << "the dialog keeps" << name->text() << "with the focus at"
                       << QApplication::focusWidget();
            return dialog->reject();
        }
        if (!name->hasFocus()) {
            dialog->activateWindow();
            return name->setFocus();
        }
        if (name->text() != file) {
            QTest::keyClick(name, Qt::Key_A, Qt::ControlModifier);
            QTest::keyClicks(name, file);
        }
        QTest::keyClick(name, Qt::Key_Return);
    });
    answer.start(50);
    press(button);
    m_window.activateWindow(); // some platforms leave none active
}

bool Hand::sees(const QString& text) const
{
    const QChar breakHere(0x200b); // in paths
    for (const QLabel* label : m_window.findChildren<QLabel*>()) {
        if (label->isVisible() && label->text().remove(breakHere).contains(text))
            return true;
    }
    return false;
}

} // namespace trainyard::test
