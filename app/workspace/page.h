#pragma once

#include <QList>
#include <QString>
#include <QUndoStack>
#include <QWidget>

class QKeySequence;
class QAction;
class QMenu;

namespace trainyard {

class PanelArea;

/// One entry of the list of keyboard shortcuts.
struct KeyHint {
    QString keys; ///< as the user reads them: "Ctrl+F"
    QString effect;
};

/// The entries of all actions with a shortcut.
QList<KeyHint> keyHintsOf(const QList<QAction*>& actions);
/// The keys that every page of charts has (ChartToolbar, ChartPanel).
QList<KeyHint> chartKeyHints();

/// One of the pages of the window. The shell shows it in its rail and calls it when the user arrives, wants
/// a refresh, or leaves with Esc; a page never reaches into the shell.
class Page : public QWidget {
    Q_OBJECT
public:
    /// `icon` names a file of resources/icons, without folder and extension.
    Page(QString title, QString icon, QWidget* parent = nullptr);

    const QString& title() const { return m_title; }
    const QString& iconName() const { return m_icon; }

    /// What can be undone here besides the document that the page edits: how its panels lie, how its charts
    /// are shown, what is written about runs.
    QUndoStack& workspace() { return m_workspace; }
    /// The panels that this page consists of; null = it has none.
    virtual PanelArea* panels() const { return nullptr; }

    /// Keys that widgets of this page handle themselves, besides those of its actions.
    virtual QList<KeyHint> keyHints() const { return {}; }

    /// Adds what the menus of this page offer now, for finding it by name.
    virtual void fillMenu(QMenu& /*menu*/) {}

    /// The page has just become the visible one.
    virtual void activate() {}
    /// F5: look at the world again.
    virtual void refresh() {}

signals:
    /// One line for the window's status bar while this page is visible; empty = nothing to say.
    void statusTextChanged(const QString& text);

protected:
    /// Undo and redo of the workspace as actions of this page; the texts go on with what is undone.
    void addWorkspaceActions(const QString& undo, const QKeySequence& undoKeys, const QString& redo,
                             const QKeySequence& redoKeys);

private:
    QString m_title;
    QString m_icon;
    QUndoStack m_workspace;
};

} // namespace trainyard
