#include "app/workspace/panel_area.h"

#include <algorithm>

#include <QAction>
#include <QApplication>
#include <QDockWidget>
#include <QEvent>
#include <QLayout>
#include <QMenu>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QTabBar>
#include <QUndoCommand>
#include <QUndoStack>

#include "app/base/theme.h"
#include "app/widgets/roles.h"
#include "app/workspace/panel_bar.h"

namespace trainyard {

namespace {

constexpr int kWideFrom = 1600; ///< pixels of the area's width
constexpr int kStillDraggingMs = 100;
constexpr int kMinHeight = 96; ///< of what is scrolled, pixels

/// Already done when it is pushed.
class LayoutChange : public QUndoCommand {
public:
    LayoutChange(PanelArea& area, QByteArray before, QByteArray after)
        : QUndoCommand(PanelArea::tr("layout of the panels"))
        , m_area(area)
        , m_before(std::move(before))
        , m_after(std::move(after))
    {
    }
    void undo() override { apply(m_before); }
    void redo() override
    {
        if (m_done)
            apply(m_after);
        m_done = true;
    }

private:
    void apply(const QByteArray& state)
    {
        m_area.setLayoutState(state);
        emit m_area.layoutChanged();
    }

    PanelArea& m_area;
    QByteArray m_before;
    QByteArray m_after;
    bool m_done = false;
};

/// As wide as its content needs; what does not fit in height is scrolled to, and nothing is squeezed.
class PanelScroll : public QScrollArea {
public:
    explicit PanelScroll(QWidget* content)
    {
        setWidget(content);
        setWidgetResizable(true);
        setFrameShape(QFrame::NoFrame);
        setFocusPolicy(Qt::NoFocus);
        setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        viewport()->setAutoFillBackground(false);
        content->setAutoFillBackground(false);
    }
    QSize sizeHint() const override { return widget()->sizeHint(); }
    QSize minimumSizeHint() const override
    {
        const QSize least = widget()->minimumSizeHint().expandedTo(widget()->minimumSize());
        const int bar = least.height() > kMinHeight ? verticalScrollBar()->sizeHint().width() : 0;
        return {least.width() + bar, std::min(least.height(), kMinHeight)};
    }
};

/// Takes as much room as when it is seen, so that the layout stays when another tab comes to the front.
void keepRoom(QWidget& content)
{
    QSizePolicy policy = content.sizePolicy();
    policy.setRetainSizeWhenHidden(true);
    content.setSizePolicy(policy);
}

void focusInside(QWidget& panel)
{
    for (auto* widget : panel.findChildren<QWidget*>()) {
        if (widget->isVisible() && widget->isEnabled() && (widget->focusPolicy() & Qt::TabFocus))
            return widget->setFocus(Qt::ShortcutFocusReason);
    }
}

} // namespace

PanelArea::PanelArea(QUndoStack& undo, QWidget* parent) : QMainWindow(parent), m_undo(undo)
{
    setWindowFlags(Qt::Widget);
    setRole(this, "page");
    setDockOptions(AllowNestedDocks | AllowTabbedDocks | GroupedDragging);
    setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
    m_settle.setSingleShot(true);
    m_settle.setInterval(0);
    connect(&m_settle, &QTimer::timeout, this, &PanelArea::settle);
}

PanelArea::~PanelArea()
{
    // Docks tell that they go when the members of this class are gone already.
    for (const Panel& panel : m_panels)
        panel.dock->disconnect(this);
}

QDockWidget* PanelArea::addPanel(const QString& id, const QString& title, QWidget* content, Heading heading,
                                 Scrolling scrolling)
{
    auto* dock = new QDockWidget(title, this);
    auto* bar = new PanelBar(title);
    dock->setObjectName(id);
    dock->setAccessibleName(title);
    dock->setTitleBarWidget(bar);
    dock->setWidget(scrolling == Scrolling::Area ? new PanelScroll(content) : content);
    keepRoom(*dock->widget());
    dock->hide();
    m_panels.push_back({dock, bar, heading});
    const auto moved = [this] {
        noteChange();
        m_settle.start();
    };
    connect(dock, &QDockWidget::dockLocationChanged, this, moved);
    connect(dock, &QDockWidget::topLevelChanged, this, moved);
    connect(dock, &QDockWidget::visibilityChanged, this, [this, dock](bool visible) {
        m_settle.start();
        if (!visible)
            return;
        dock->widget()->show();
        emit panelShown();
    });
    connect(bar, &PanelBar::floatRequested, dock, [dock] { dock->setFloating(!dock->isFloating()); });
    connect(bar, &PanelBar::closeRequested, this, [this, dock] { setOpen(*dock, false); });
    return dock;
}

void PanelArea::setFirstLayout(Arrange arrange)
{
    m_arrange = std::move(arrange);
    addCommands();
    arrangeFirst();
}

QDockWidget* PanelArea::panel(const QString& id) const
{
    return findChild<QDockWidget*>(id);
}

QStringList PanelArea::panelIds() const
{
    QStringList ids;
    for (const Panel& panel : m_panels)
        ids << panel.dock->objectName();
    return ids;
}

void PanelArea::showPanel(const QWidget& inside)
{
    const auto found = std::ranges::find_if(m_panels, [&inside](const Panel& panel) {
        return panel.dock == &inside || panel.dock->isAncestorOf(&inside);
    });
    if (found == m_panels.end())
        return;
    m_askedFor = found->dock;
    if (found->dock->isHidden())
        setOpen(*found->dock, true);
    layout()->activate(); // a tab comes to the front only once it is in its bar
    found->dock->raise();
    found->dock->widget()->show();
    emit panelShown();
}

bool PanelArea::isSeen(const QWidget& content)
{
    return content.isVisible() && !content.visibleRegion().isEmpty();
}

void PanelArea::setOpen(QDockWidget& dock, bool open)
{
    noteChange();
    dock.setVisible(open);
    m_settle.start();
}

void PanelArea::arrangeFirst()
{
    for (const Panel& panel : m_panels) {
        panel.dock->setFloating(false);
        removeDockWidget(panel.dock);
    }
    m_arrange(*this, sizeClass());
    m_byUser = false;
    updateBars();
}

void PanelArea::resetLayout()
{
    m_state = layoutState();
    arrangeFirst();
    m_byUser = true;
    m_settle.start();
}

void PanelArea::addCommand(const QString& text, std::function<void()> run)
{
    auto* action = new QAction(text, this);
    connect(action, &QAction::triggered, this, [run = std::move(run)] { run(); });
    m_commands << action;
}

void PanelArea::addCommands()
{
    for (const Panel& panel : m_panels) {
        addCommand(tr("Show panel %1").arg(panel.dock->windowTitle()), [this, dock = panel.dock] {
            showPanel(*dock);
            focusInside(*dock->widget());
        });
    }
    addCommand(tr("Float or dock the panel in focus"), [this] {
        if (QDockWidget* dock = panelInFocus())
            dock->setFloating(!dock->isFloating());
    });
    addCommand(tr("Close the panel in focus"), [this] {
        if (QDockWidget* dock = panelInFocus())
            setOpen(*dock, false);
    });
    addCommand(tr("Reset the layout of the panels"), [this] { resetLayout(); });
}

QDockWidget* PanelArea::panelInFocus() const
{
    for (const Panel& panel : m_panels) {
        if (panel.dock->isAncestorOf(QApplication::focusWidget()))
            return panel.dock;
    }
    return nullptr;
}

QPushButton* PanelArea::makeMenuButton()
{
    auto* button = makeButton(tr("&Panels"));
    button->setToolTip(tr("Show or hide panels, or reset their layout"));
    auto* menu = new QMenu(button);
    connect(menu, &QMenu::aboutToShow, this, [this, menu] { fillMenu(*menu); });
    button->setMenu(menu);
    return button;
}

QMenu* PanelArea::createPopupMenu()
{
    auto* menu = new QMenu(this);
    fillMenu(*menu);
    return menu;
}

void PanelArea::fillMenu(QMenu& menu)
{
    menu.clear();
    for (const Panel& panel : m_panels) {
        QAction* action = menu.addAction(panel.dock->windowTitle());
        action->setCheckable(true);
        action->setChecked(!panel.dock->isHidden());
        connect(action, &QAction::triggered, this,
                [this, dock = panel.dock](bool open) { open ? showPanel(*dock) : setOpen(*dock, false); });
    }
    menu.addSeparator();
    connect(menu.addAction(tr("Reset layout")), &QAction::triggered, this, &PanelArea::resetLayout);
}

/// The user begins to change the layout, or has just changed a part of it.
void PanelArea::noteChange()
{
    m_byUser = true;
}

/// After a change, when no mouse button is down any more: a panel on its way is no layout yet.
void PanelArea::settle()
{
    if (QApplication::mouseButtons() != Qt::NoButton)
        return m_settle.start(kStillDraggingMs);
    updateBars();
    takeKeysAlong();
    hideWhatIsBehind();
    emit panelShown();
    const QByteArray state = layoutState();
    const QByteArray before = std::exchange(m_state, state);
    if (!std::exchange(m_byUser, false) || before.isEmpty() || before == state)
        return;
    m_undo.push(new LayoutChange(*this, before, state));
    emit layoutChanged();
}

/// For Qt, the keys of a widget and its children end at the border of its window, and a floating panel is a
/// window.
void PanelArea::takeKeysAlong()
{
    for (const QWidget* around = this; around; around = around->parentWidget()) {
        for (QAction* action : around->actions()) {
            if (action->shortcut().isEmpty() || action->shortcutContext() != Qt::WidgetWithChildrenShortcut)
                continue;
            for (const Panel& panel : m_panels) {
                if (!panel.dock->actions().contains(action))
                    panel.dock->addAction(action);
            }
        }
    }
}

/// For Qt, panels behind other tabs are visible; Tab would lead into them.
void PanelArea::hideWhatIsBehind()
{
    for (const Panel& panel : m_panels) {
        const QRect place = panel.dock->geometry();
        const bool isBehind = place.right() < 0 || place.bottom() < 0; // where Qt puts them
        panel.dock->widget()->setVisible(panel.dock->isFloating() || !isBehind);
    }
}

void PanelArea::updateBars()
{
    for (const Panel& panel : m_panels) {
        const auto beside = tabifiedDockWidgets(panel.dock);
        const bool tabbed =
            std::ranges::any_of(beside, [](const QDockWidget* other) { return !other->isHidden(); });
        if (panel.dock->isFloating())
            panel.bar->setFace(PanelBar::Face::Title);
        else if (tabbed)
            panel.bar->setFace(PanelBar::Face::None);
        else
            panel.bar->setFace(panel.heading == Heading::Own ? PanelBar::Face::Grip : PanelBar::Face::Title);
    }
    updateTabBars();
}

/// The window makes and keeps the bars itself.
void PanelArea::updateTabBars()
{
    for (auto* tabs : findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly)) {
        tabs->setAccessibleName(tr("Panels"));
        tabs->setToolTip(tr("Arrow keys choose a panel; drag one to move it"));
        tabs->setElideMode(Qt::ElideNone);
        tabs->setExpanding(false);
        tabs->setDrawBase(false);
    }
}

int PanelArea::stateVersion() const
{
    QStringList ids = panelIds();
    ids.sort();
    return qChecksum(ids.join(QLatin1Char(' ')).toUtf8());
}

QByteArray PanelArea::layoutState() const
{
    return saveState(stateVersion());
}

bool PanelArea::setLayoutState(const QByteArray& state)
{
    const bool restored = restoreState(state, stateVersion());
    if (restored)
        m_state = state;
    m_byUser = false;
    m_settle.stop();
    updateBars();
    return restored;
}

void PanelArea::chooseSizeClass()
{
    const SizeClass now = width() >= kWideFrom ? SizeClass::Wide : SizeClass::Narrow;
    if (m_sizeClass == now || !m_arrange)
        return;
    m_sizeClass = now;
    arrangeFirst();
    emit sizeClassChanged();
    if (m_askedFor)
        showPanel(*m_askedFor);
    m_settle.start();
}

bool PanelArea::event(QEvent* event)
{
    // A separator is moved by the mouse on the area itself; there is no signal for it.
    if (event->type() == QEvent::MouseButtonPress)
        m_state = layoutState();
    const bool handled = QMainWindow::event(event);
    if (event->type() == QEvent::MouseButtonRelease) {
        noteChange();
        m_settle.start();
    }
    return handled;
}

void PanelArea::resizeEvent(QResizeEvent* event)
{
    QMainWindow::resizeEvent(event);
    if (isVisible())
        QTimer::singleShot(0, this, &PanelArea::chooseSizeClass);
}

void PanelArea::showEvent(QShowEvent* event)
{
    QMainWindow::showEvent(event);
    chooseSizeClass();
}

} // namespace trainyard
