#pragma once

#include <functional>

#include <QList>
#include <QString>

class QAction;
class QWidget;

namespace trainyard {

/// Something that the user can have done by its name.
struct Command {
    QString name;
    QString keys;              ///< empty = none
    std::function<void()> run; ///< does nothing once what it stands for is gone
};

/// The enabled ones of these actions.
QList<Command> commandsOf(const QList<QAction*>& actions);
/// The buttons within `page` that are seen and enabled, by their accessible names.
QList<Command> commandsOfButtons(const QWidget& page);
/// The first one of each name, with the first keys that one of them has.
QList<Command> withoutRepetition(const QList<Command>& commands);

} // namespace trainyard
