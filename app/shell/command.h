#pragma once

#include <functional>

#include <QList>
#include <QString>

class QAction;
class QWidget;

namespace trainyard {

/// A command that the user can run by name.
struct Command {
    QString name;
    QString keys;              ///< empty = none
    std::function<void()> run; ///< does nothing once its target is destroyed
};

/// Returns the enabled actions.
QList<Command> commandsOf(const QList<QAction*>& actions);
/// Returns the visible, enabled buttons within `page`, by accessible name.
QList<Command> commandsOfButtons(const QWidget& page);
/// Returns the first command of each name, with the first shortcut among its duplicates.
QList<Command> withoutRepetition(const QList<Command>& commands);

} // namespace trainyard
