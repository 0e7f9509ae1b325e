#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <QMainWindow>
#include <QMenu>

#include "app/shell/command.h"
#include "app/shell/layout_memory.h"

class QAction;
class QLabel;
class QSettings;
class QStackedWidget;

namespace trainyard {

class Appearance;
class CommandPalette;
class HelpWindow;
class Page;
class Rail;
class ShortcutSheet;
class StateChip;

/// The window: a rail of pages, the current page, a status bar. It only arranges; pages act on their own.
class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    /// `settings` stores geometry, page and panel layouts. Both must outlive the window.
    MainWindow(Appearance& appearance, QSettings& settings, QWidget* parent = nullptr);

    /// Adds a page at the end of the rail; the window owns it. Ctrl+1 is the first one.
    void addPage(Page* page);
    void showPage(Page* page);
    Page* currentPage() const;
    /// Adds a command to the window and its Help menu.
    void addHelp(const QString& text, std::function<void()> run);
    /// Restores geometry and page, once all pages exist.
    void restore();
    void showStatus(const QString& text);
    /// `items` returns what the user may open by its name besides commands: runs, hosts, data sets.
    void offerItems(std::function<QList<Command>()> items) { m_items = std::move(items); }
    /// `loss` describes what closing the window would interrupt, empty = nothing; the user is asked before
    /// closing.
    void askBeforeClosing(std::function<QString()> loss) { m_lossWhenClosed = std::move(loss); }
    /// Shows the active run next to the status; hidden without one.
    StateChip& runChip() { return *m_runChip; }

protected:
    void closeEvent(QCloseEvent* event) override;

private:
    void addWindowActions();
    void addHelpButton();
    void addSchemeButton();
    void setCurrent(int index);
    QAction* addWindowAction(const QString& text, const QKeySequence& keys, std::function<void()> run);
    void openPalette();
    QList<Command> commandsOfPage(Page& page);
    QList<Command> commandsOfOtherPages();
    void openHelp();
    void openSheet();

    Appearance& m_appearance;
    QSettings& m_settings;
    LayoutMemory m_layouts;
    Rail* m_rail;
    QStackedWidget* m_stack;
    QLabel* m_status;
    StateChip* m_runChip;
    QMenu* m_help;
    CommandPalette* m_palette;
    ShortcutSheet* m_sheet;
    HelpWindow* m_helpWindow = nullptr; ///< until it is opened
    std::function<QString()> m_lossWhenClosed;
    std::function<QList<Command>()> m_items;
    std::vector<std::unique_ptr<QMenu>>
        m_pageMenus; ///< what the pages' menus offered when the palette opened
};

} // namespace trainyard
