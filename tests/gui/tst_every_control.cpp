#include <algorithm>

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QAccessible>
#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDockWidget>
#include <QFocusFrame>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSlider>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include "app/widgets/elided_label.h"
#include "app/workspace/page.h"
#include "app/workspace/panel_area.h"
#include "tests/gui/pictures/picture.h"
#include "tests/gui/pictures/picture_runs.h"
#include "tests/support/patience.h"

using namespace trainyard;
using namespace trainyard::pictures;

namespace {

constexpr QSize kMinPromised(1280, 800);
constexpr int kMaxStops = 400; ///< of the Tab key in one page
constexpr int kRingMargin = 4; ///< pixels around a widget where its focus may be painted

template <typename... Kinds>
bool isOneOf(const QWidget& widget)
{
    return (qobject_cast<const Kinds*>(&widget) || ...);
}

/// Qt's own parts of a control, and the ring around it: they speak with its name and take its focus.
bool isInner(const QWidget& widget)
{
    const QWidget* parent = widget.parentWidget();
    return widget.objectName().startsWith("qt_") || isOneOf<QScrollBar, QFocusFrame>(widget) ||
           (parent && isOneOf<QAbstractSpinBox, QComboBox, QLineEdit>(*parent)) ||
           widget.inherits("QComboBoxListView");
}

QList<QWidget*> visibleIn(const QWidget& page)
{
    QList<QWidget*> found;
    for (auto* widget : page.findChildren<QWidget*>()) {
        if (widget->isVisible() && !isInner(*widget) && PanelArea::isSeen(*widget))
            found << widget;
    }
    return found;
}

bool takesTab(const QWidget& widget)
{
    return widget.isEnabled() && (widget.focusPolicy() & Qt::TabFocus) && !widget.focusProxy();
}

QString spoken(QWidget& widget, QAccessible::Text what)
{
    const auto* interface = QAccessible::queryAccessibleInterface(&widget);
    return interface ? interface->text(what) : QString();
}

/// Of a choice, Qt speaks the value.
bool hasName(QWidget& widget)
{
    return isOneOf<QComboBox>(widget) ? !widget.accessibleName().isEmpty()
                                      : !spoken(widget, QAccessible::Name).isEmpty();
}

/// A field whose value means something that its name alone may not tell, or a picture without words.
bool needsHelp(const QWidget& widget)
{
    if (const auto* tool = qobject_cast<const QToolButton*>(&widget))
        return tool->toolButtonStyle() == Qt::ToolButtonIconOnly && tool->text().isEmpty();
    return isOneOf<QLineEdit, QAbstractSpinBox, QComboBox, QSlider, QCheckBox>(widget);
}

bool hasHelp(QWidget& widget)
{
    return !widget.toolTip().isEmpty() || !spoken(widget, QAccessible::Description).isEmpty();
}

QString nameOf(QWidget& widget)
{
    const QString name = spoken(widget, QAccessible::Name);
    return QString("%1 \"%2\" in %3")
        .arg(widget.metaObject()->className(), name.left(40),
             widget.parentWidget()->metaObject()->className());
}

/// What one sees of the widget and of what is painted around it.
QImage look(const QWidget& widget)
{
    QWidget* window = widget.window();
    QRect area(widget.mapTo(window, QPoint()), widget.size());
    area = area.marginsAdded({kRingMargin, kRingMargin, kRingMargin, kRingMargin});
    return window->grab(area & window->rect()).toImage();
}

/// Widgets that lie in something that scrolls sideways may be wider than it.
bool isCutAtASide(const QWidget& widget)
{
    for (const QWidget* around = widget.parentWidget(); around; around = around->parentWidget()) {
        const QRect box(widget.mapTo(around, QPoint()), widget.size());
        if (box.left() < 0 || box.right() > around->width())
            return true;
        if (const auto* scroll = qobject_cast<const QAbstractScrollArea*>(around);
            scroll && scroll->horizontalScrollBarPolicy() != Qt::ScrollBarAlwaysOff)
            return false;
        if (around->isWindow())
            return false;
    }
    return false;
}

bool isTextCut(const QWidget& widget)
{
    if (isOneOf<ElidedLabel>(widget))
        return false;
    if (const auto* label = qobject_cast<const QLabel*>(&widget); label && !label->text().isEmpty())
        return label->wordWrap() ? label->height() < label->heightForWidth(label->width())
                                 : label->width() < label->sizeHint().width();
    if (const auto* button = qobject_cast<const QAbstractButton*>(&widget);
        button && !button->text().isEmpty())
        return button->width() < button->sizeHint().width();
    return false;
}

QSet<QString> cutIn(const QWidget& page)
{
    QSet<QString> found;
    for (QWidget* widget : visibleIn(page)) {
        if (isTextCut(*widget))
            found.insert(nameOf(*widget) + " has too little room for its text");
        else if (isCutAtASide(*widget))
            found.insert(nameOf(*widget) + " is cut at a side");
    }
    return found;
}

/// What Tab reaches in this page, in its order.
QList<QWidget*> tabStops(QWidget& page)
{
    QList<QWidget*> stops;
    QApplication::setActiveWindow(page.window());
    page.setFocus();
    for (int i = 0; i < kMaxStops; ++i) {
        QTest::keyClick(page.window()->focusWidget() ? page.window()->focusWidget() : page.window(),
                        Qt::Key_Tab);
        QWidget* now = QApplication::focusWidget();
        if (!now || (!stops.isEmpty() && now == stops.front()))
            break;
        if (page.isAncestorOf(now)) {
            if (!stops.isEmpty() && now == stops.back())
                continue; // the links of a text, one after the other
            if (stops.contains(now))
                break;
            stops << now;
        }
    }
    return stops;
}

/// Scrolls as Tab does.
void bringIntoView(QWidget& widget)
{
    for (QWidget* around = widget.parentWidget(); around; around = around->parentWidget()) {
        if (auto* area = qobject_cast<QScrollArea*>(around))
            area->ensureWidgetVisible(&widget);
    }
}

/// The panel, or what else of the page, that the widget lies in.
const QWidget* sectionOf(const QWidget& widget)
{
    for (const QWidget* around = &widget; around; around = around->parentWidget()) {
        if (qobject_cast<const QDockWidget*>(around))
            return around;
    }
    return nullptr;
}

} // namespace

/// Every control in every state of which there is a picture, in the smallest window that is promised.
class TestEveryControl : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_data = std::make_unique<QTemporaryDir>();
        qputenv("TRAINYARD_DATA", m_data->path().toLocal8Bit());
        writeRuns(m_data->path());
    }

    void cleanup()
    {
        m_desk.reset();
        m_data.reset();
    }

    void ofAnEmptyDesk()
    {
        m_data = std::make_unique<QTemporaryDir>();
        openDesk();
        look(emptyPictures());
    }

    void ofHostsDataAndDesign()
    {
        openDesk();
        fillDesk(*m_desk);
        look(placePictures());
    }

    void ofRunsCompareAndReports()
    {
        openDesk();
        look(runPictures());
    }

private:
    void openDesk()
    {
        m_desk = std::make_unique<DeskWindow>(*qApp, m_data->path().toStdString());
        m_desk->window().resize(kMinPromised);
        m_desk->window().show();
        QVERIFY(QTest::qWaitForWindowExposed(&m_desk->window(), kPatienceMs));
        m_desk->window().activateWindow();
    }

    void look(const QList<Picture>& pictures)
    {
        m_problems.clear();
        for (const Picture& picture : pictures) {
            picture.arrange(*m_desk);
            QCoreApplication::processEvents();
            QWidget& page = *m_desk->window().currentPage();
            checkRoom(page);
            checkWords(page);
            checkTabs(page, picture.name);
            checkRings(page);
        }
        QStringList told = m_problems.values();
        told.sort();
        for (const QString& problem : told)
            qWarning("%s", qPrintable(problem));
        QCOMPARE(told.size(), 0);
    }

    void checkWords(QWidget& page)
    {
        for (QWidget* widget : visibleIn(page)) {
            if (!takesTab(*widget))
                continue;
            if (!hasName(*widget))
                complain(*widget, "has no name");
            else if (needsHelp(*widget) && !hasHelp(*widget))
                complain(*widget, "has no help");
        }
    }

    /// Layouts settle in steps.
    void checkRoom(QWidget& page)
    {
        QSet<QString> cut;
        const auto isAllInSight = [&] {
            cut = cutIn(page);
            return cut.isEmpty();
        };
        (void)QTest::qWaitFor(isAllInSight);
        m_problems.unite(cut);
    }

    void checkTabs(QWidget& page, const QString& picture)
    {
        const QList<QWidget*> stops = tabStops(page);
        for (QWidget* widget : visibleIn(page)) {
            const auto* button = qobject_cast<QAbstractButton*>(widget);
            const bool isOneOfGroup =
                button && button->isCheckable() && !button->isChecked() && button->group();
            if (takesTab(*widget) && !isOneOfGroup && !stops.contains(widget))
                complain(*widget, "is not reached by Tab in " + picture);
        }
        QList<const QWidget*> left;
        const QWidget* section = nullptr;
        for (QWidget* stop : stops) {
            const QWidget* now = sectionOf(*stop);
            if (now == section)
                continue;
            if (now && left.contains(now))
                complain(*stop, "comes after Tab has left its panel in " + picture);
            left << section;
            section = now;
        }
    }

    void checkRings(QWidget& page)
    {
        for (QWidget* widget : visibleIn(page)) {
            const QString kind = widget->metaObject()->className() + widget->property("role").toString();
            if (!takesTab(*widget) || m_ringed.contains(kind))
                continue;
            if (QWidget* focus = QApplication::focusWidget())
                focus->clearFocus();
            bringIntoView(*widget);
            const QImage before = ::look(*widget);
            widget->setFocus(Qt::TabFocusReason);
            if (!widget->hasFocus())
                continue;
            if (::look(*widget) == before)
                complain(*widget, "does not show that it has the focus");
            else
                m_ringed << kind;
        }
    }

    void complain(QWidget& widget, const QString& what) { m_problems.insert(nameOf(widget) + ' ' + what); }

    std::unique_ptr<QTemporaryDir> m_data;
    std::unique_ptr<DeskWindow> m_desk;
    QSet<QString> m_problems;
    QSet<QString> m_ringed; ///< kinds of widgets that show their focus
};

QTEST_MAIN(TestEveryControl)
#include "tst_every_control.moc"
