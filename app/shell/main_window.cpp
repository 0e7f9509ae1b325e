#include "app/shell/main_window.h"

#include <algorithm>

#include <QAction>
#include <QCloseEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QMessageBox>
#include <QScreen>
#include <QSettings>
#include <QStackedWidget>
#include <QStatusBar>
#include <QStyle>
#include <QToolButton>

#include "app/shell/appearance.h"
#include "app/shell/command_palette.h"
#include "app/shell/help_window.h"
#include "app/shell/rail.h"
#include "app/shell/shortcut_sheet.h"
#include "app/widgets/roles.h"
#include "app/widgets/state_chip.h"
#include "app/widgets/symbol_icon.h"
#include "app/workspace/focus_ring.h"
#include "app/workspace/page.h"

namespace trainyard {

namespace {
constexpr QSize kFirstSize(1280, 800);
constexpr QSize kSmallest(1120, 640);
const QString kGeometryKey = QStringLiteral("window/geometry");
const QString kPageKey = QStringLiteral("window/place");

/// On a small screen the status bar stays in view below a title bar.
QSize firstSize(const QWidget& window)
{
    const int titleBar = window.style()->pixelMetric(QStyle::PM_TitleBarHeight, nullptr, &window);
    const int room = window.screen()->availableGeometry().height() - titleBar;
    return {kFirstSize.width(), std::min(kFirstSize.height(), room)};
}

bool wantsToClose(const QString& loss, QWidget* parent)
{
    QMessageBox box(QMessageBox::Warning, MainWindow::tr("Close the window?"), loss, QMessageBox::NoButton,
                    parent);
    box.setTextFormat(Qt::PlainText);
    auto* close = box.addButton(MainWindow::tr("Close"), QMessageBox::DestructiveRole);
    auto* stay = box.addButton(MainWindow::tr("Keep open"), QMessageBox::RejectRole);
    box.setDefaultButton(stay);
    box.setEscapeButton(stay);
    box.exec();
    return box.clickedButton() == close;
}
} // namespace

MainWindow::MainWindow(Appearance& appearance, QSettings& settings, QWidget* parent)
    : QMainWindow(parent)
    , m_appearance(appearance)
    , m_settings(settings)
    , m_layouts(settings)
    , m_rail(new Rail)
    , m_stack(new QStackedWidget)
    , m_status(makeLabel({}, "muted"))
    , m_runChip(new StateChip(tr("Run")))
    , m_help(new QMenu(tr("Help"), this))
    , m_palette(new CommandPalette(this))
    , m_sheet(new ShortcutSheet(this))
{
    setWindowTitle(tr("Trainyard"));
    setMinimumSize(kSmallest);
    resize(firstSize(*this));
    auto* centre = new QWidget;
    auto* row = new QHBoxLayout(centre);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    row->addWidget(m_rail);
    row->addWidget(m_stack, 1);
    setCentralWidget(centre);
    m_status->setContentsMargins(metrics::kGap, 0, 0, 0);
    m_status->setAccessibleName(tr("Status"));
    statusBar()->setSizeGripEnabled(false);
    statusBar()->addWidget(m_status, 1);
    statusBar()->addPermanentWidget(m_runChip);
    statusBar()->setFixedHeight(metrics::kControlHeight);
    connect(m_rail, &Rail::chosen, this, &MainWindow::setCurrent);
    new FocusRing(*this);
    addWindowActions();
    addHelpButton();
    addSchemeButton();
}

QAction* MainWindow::addWindowAction(const QString& text, const QKeySequence& keys, std::function<void()> run)
{
    auto* action = new QAction(text, this);
    action->setShortcut(keys);
    connect(action, &QAction::triggered, this, [run = std::move(run)] { run(); });
    addAction(action);
    return action;
}

void MainWindow::addWindowActions()
{
    addWindowAction(tr("Refresh"), QKeySequence(Qt::Key_F5), [this] {
        if (Page* page = currentPage())
            page->refresh();
    });
    m_help->addAction(addWindowAction(tr("Help and glossary"), QKeySequence(Qt::SHIFT | Qt::Key_F1),
                                      [this] { openHelp(); }));
    m_help->addAction(
        addWindowAction(tr("Commands"), QKeySequence(Qt::CTRL | Qt::Key_K), [this] { openPalette(); }));
    m_help->addAction(addWindowAction(tr("Keyboard shortcuts"), QKeySequence(Qt::CTRL | Qt::Key_Slash),
                                      [this] { openSheet(); }));
    m_help->addSeparator();
    addWindowAction(tr("Light or dark"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_L),
                    [this] { m_appearance.toggle(); });
    addWindowAction(tr("Follow the system's light or dark setting"), {},
                    [this] { m_appearance.choose(std::nullopt); });
    addWindowAction(tr("Quit"), QKeySequence(Qt::CTRL | Qt::Key_Q), [this] { close(); });
}

void MainWindow::addHelp(const QString& text, std::function<void()> run)
{
    m_help->addAction(addWindowAction(text, {}, std::move(run)));
}

void MainWindow::addHelpButton()
{
    auto* button = new QToolButton;
    button->setAccessibleName(tr("Help"));
    button->setToolTip(tr("Help (F1)"));
    button->setIcon(symbolIcon(QStringLiteral("help")));
    button->setIconSize({20, 20});
    button->setMenu(m_help);
    button->setPopupMode(QToolButton::InstantPopup);
    addWindowAction(tr("Help"), QKeySequence(Qt::Key_F1),
                    [this, button] { m_help->popup(button->mapToGlobal(button->rect().topRight())); });
    m_rail->addFooter(button);
}

void MainWindow::addSchemeButton()
{
    auto* button = new QToolButton;
    button->setAccessibleName(tr("Light or dark"));
    button->setToolTip(tr("Light or dark (Ctrl+Shift+L)"));
    button->setIconSize({20, 20});
    const auto update = [this, button] {
        button->setIcon(symbolIcon(m_appearance.scheme() == ColourScheme::Dark ? QStringLiteral("sun")
                                                                               : QStringLiteral("moon")));
    };
    connect(button, &QToolButton::clicked, &m_appearance, &Appearance::toggle);
    connect(&m_appearance, &Appearance::changed, button, update);
    update();
    m_rail->addFooter(button);
}

void MainWindow::addPage(Page* page)
{
    const int index = m_stack->addWidget(page);
    if (PanelArea* panels = page->panels())
        m_layouts.watch(page->iconName(), *panels);
    const QKeySequence keys(Qt::CTRL | static_cast<Qt::Key>(Qt::Key_1 + index));
    m_rail->addPage(*page, keys);
    addWindowAction(tr("Go to %1").arg(page->title()), keys, [this, index] { setCurrent(index); });
    connect(page, &Page::statusTextChanged, this, [this, page](const QString& text) {
        if (page == currentPage())
            m_status->setText(text);
    });
}

Page* MainWindow::currentPage() const
{
    return qobject_cast<Page*>(m_stack->currentWidget());
}

void MainWindow::showPage(Page* page)
{
    setCurrent(m_stack->indexOf(page));
}

void MainWindow::setCurrent(int index)
{
    if (index < 0 || index >= m_stack->count())
        return;
    m_stack->setCurrentIndex(index);
    m_rail->setCurrent(index);
    m_status->clear();
    currentPage()->activate();
}

void MainWindow::showStatus(const QString& text)
{
    m_status->setText(text);
}

void MainWindow::restore()
{
    restoreGeometry(m_settings.value(kGeometryKey).toByteArray());
    setCurrent(std::clamp(m_settings.value(kPageKey, 0).toInt(), 0, m_stack->count() - 1));
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    const QString loss = m_lossWhenClosed ? m_lossWhenClosed() : QString();
    if (!loss.isEmpty() && !wantsToClose(loss, this)) {
        event->ignore();
        return;
    }
    m_settings.setValue(kGeometryKey, saveGeometry());
    m_settings.setValue(kPageKey, m_stack->currentIndex());
    QMainWindow::closeEvent(event);
}

/// What is seen comes first.
void MainWindow::openPalette()
{
    m_pageMenus.clear();
    QList<Command> commands = commandsOfPage(*currentPage()) + commandsOf(actions()) + commandsOfOtherPages();
    if (m_items)
        commands << m_items();
    m_palette->open(commands);
}

QList<Command> MainWindow::commandsOfPage(Page& page)
{
    QMenu& menu = *m_pageMenus.emplace_back(std::make_unique<QMenu>());
    page.fillMenu(menu);
    return commandsOfButtons(page) + commandsOf(page.actions()) + commandsOfMenu(menu);
}

/// Each goes to its page first.
QList<Command> MainWindow::commandsOfOtherPages()
{
    QList<Command> all;
    for (int i = 0; i < m_stack->count(); ++i) {
        auto* page = qobject_cast<Page*>(m_stack->widget(i));
        if (page == currentPage())
            continue;
        for (Command command : withTitle(page->title(), commandsOfPage(*page))) {
            command.run = [this, page, run = command.run] {
                showPage(page);
                run();
            };
            all << command;
        }
    }
    return all;
}

/// Made when it is first asked for: the window starts without it.
void MainWindow::openHelp()
{
    if (!m_helpWindow)
        m_helpWindow = new HelpWindow(this);
    m_helpWindow->open();
}

void MainWindow::openSheet()
{
    const Page& page = *currentPage();
    const KeyHint leave{tr("Esc"), tr("Close a panel, message or menu")};
    m_sheet->open({{tr("Everywhere"), keyHintsOf(actions()) << leave},
                   {page.title(), keyHintsOf(page.actions()) + page.keyHints()}});
}

} // namespace trainyard
