#pragma once

#include <functional>
#include <optional>
#include <vector>

#include <QMainWindow>
#include <QTimer>

class QDockWidget;
class QMenu;
class QPushButton;
class QUndoStack;

namespace trainyard {

class PanelBar;

/// The panels of a place. Each can be dragged beside another one or onto it, which makes tabs, floated as a
/// window of its own, closed, and shown again by the menu "Panels" or a command of its name. Every change by
/// the user can be undone. Narrow and wide windows have a layout each. The keys of what the area lies in work
/// in floating panels too.
class PanelArea : public QMainWindow {
    Q_OBJECT
public:
    /// Who tells what a panel is when it is not one of several tabs.
    enum class Heading {
        Own, ///< the panel itself
        Bar, ///< the bar above it
    };
    /// Who scrolls to what does not fit in height.
    enum class Scrolling {
        Area, ///< the area, around all of the panel
        Own,  ///< the panel itself, within
    };
    enum class SizeClass { Narrow, Wide };
    /// Puts all panels, none of which is in the area yet, where they belong at first.
    using Arrange = std::function<void(PanelArea&, SizeClass)>;

    /// `undo` takes the changes of the layout; it must outlive the area.
    explicit PanelArea(QUndoStack& undo, QWidget* parent = nullptr);
    ~PanelArea() override;

    /// `id` names the panel in stored layouts. The area owns `content`.
    QDockWidget* addPanel(const QString& id, const QString& title, QWidget* content, Heading heading,
                          Scrolling scrolling = Scrolling::Area);
    /// Once, after the last panel.
    void setFirstLayout(Arrange arrange);
    QDockWidget* panel(const QString& id) const;
    QStringList panelIds() const;

    /// Opens the panel that this is or that it lies in, if it was closed, and brings it before the other
    /// tabs.
    void showPanel(const QWidget& inside);
    /// Whether any part of what lies in a panel can be seen: it is open, and its tab is the current one.
    static bool isSeen(const QWidget& content);
    void resetLayout();

    /// "Panels": which are open, and the way back to the first layout.
    QPushButton* makeMenuButton();
    /// For the palette: one to show each panel, and what else can be done without a mouse.
    const QList<QAction*>& commands() const { return m_commands; }

    SizeClass sizeClass() const { return m_sizeClass.value_or(SizeClass::Narrow); }
    QByteArray layoutState() const;
    /// False = it was stored for other panels or is damaged; then nothing has changed.
    bool setLayoutState(const QByteArray& state);

signals:
    /// By the user.
    void layoutChanged();
    /// The area lies in the first layout of its new class.
    void sizeClassChanged();
    /// A panel may be seen now that could not be seen before.
    void panelShown();

protected:
    bool event(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    QMenu* createPopupMenu() override;

private:
    struct Panel {
        QDockWidget* dock;
        PanelBar* bar;
        Heading heading;
    };
    void addCommands();
    void addCommand(const QString& text, std::function<void()> run);
    QDockWidget* panelInFocus() const;
    void fillMenu(QMenu& menu);
    void setOpen(QDockWidget& dock, bool open);
    void arrangeFirst();
    void chooseSizeClass();
    void settle();
    void takeKeysAlong();
    void hideWhatIsBehind();
    void updateBars();
    void updateTabBars();
    void noteChange();
    int stateVersion() const;

    QUndoStack& m_undo;
    std::vector<Panel> m_panels;
    QList<QAction*> m_commands;
    QDockWidget* m_askedFor = nullptr; ///< the last one by showPanel(): stays in sight in another layout
    Arrange m_arrange;
    std::optional<SizeClass> m_sizeClass; ///< nothing until the area was shown
    QByteArray m_state;                   ///< before the change by the user that is going on
    bool m_byUser = false;                ///< since the last settle()
    QTimer m_settle;
};

} // namespace trainyard
