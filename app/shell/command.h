#pragma once

#include <functional>

#include <QList>
#include <QString>

class QAction;
class QMenu;
class QWidget;

namespace trainyard {

/// A command that the user can run by name.
struct Command {
    QString name;
    QString keys;              ///< empty = none
    std::function<void()> run; ///< does nothing once its target is destroyed
    bool isItem = false;       ///< a run, a host: not a command, and listed only when words are typed
};

/// Returns the enabled actions.
QList<Command> commandsOf(const QList<QAction*>& actions);
/// Returns the enabled buttons within `page` that are visible when it is, by accessible name, and what their
/// menus offer.
QList<Command> commandsOfButtons(const QWidget& page);
/// Returns the enabled entries of a menu and its submenus.
QList<Command> commandsOfMenu(const QMenu& menu);
/// Returns the same commands under "title: name".
QList<Command> withTitle(const QString& title, QList<Command> commands);
/// Returns the first command of each name, with the first shortcut among its duplicates, and all items.
QList<Command> withoutRepetition(const QList<Command>& commands);

} // namespace trainyard
