#include "app/shell/command.h"

#include <QAction>
#include <QHash>
#include <QMenu>
#include <QPointer>
#include <QPushButton>

namespace trainyard {

namespace {

/// "&File" is "File", and "W&&B" is "W&B".
QString withoutMnemonic(const QString& text)
{
    QString plain;
    for (qsizetype i = 0; i < text.size(); ++i) {
        if (text[i] == u'&' && ++i == text.size())
            break;
        plain += text[i];
    }
    return plain;
}

QString nameOf(const QPushButton& button)
{
    return withoutMnemonic(button.accessibleName().isEmpty() ? button.text() : button.accessibleName());
}

} // namespace

QList<Command> commandsOf(const QList<QAction*>& actions)
{
    QList<Command> commands;
    for (QAction* action : actions) {
        if (action->isEnabled())
            commands << Command{withoutMnemonic(action->text()),
                                action->shortcut().toString(QKeySequence::NativeText),
                                [action = QPointer(action)] {
                                    if (action)
                                        action->trigger();
                                }};
    }
    return commands;
}

QList<Command> commandsOfButtons(const QWidget& page)
{
    QList<Command> commands;
    for (QPushButton* button : page.findChildren<QPushButton*>()) {
        if (!button->isVisibleTo(&page) || !button->isEnabledTo(&page) || nameOf(*button).isEmpty())
            continue;
        if (button->menu())
            commands << withTitle(nameOf(*button), commandsOfMenu(*button->menu()));
        else
            commands << Command{nameOf(*button), {}, [button = QPointer(button)] {
                                    if (button)
                                        button->click();
                                }};
    }
    return commands;
}

QList<Command> commandsOfMenu(const QMenu& menu)
{
    QList<Command> commands;
    for (QAction* action : menu.actions()) {
        if (action->menu())
            commands << withTitle(withoutMnemonic(action->text()), commandsOfMenu(*action->menu()));
        else if (!action->isSeparator())
            commands << commandsOf({action});
    }
    return commands;
}

QList<Command> withTitle(const QString& title, QList<Command> commands)
{
    for (Command& command : commands)
        command.name = title + QStringLiteral(": ") + command.name;
    return commands;
}

QList<Command> withoutRepetition(const QList<Command>& commands)
{
    QHash<QString, qsizetype> rows;
    QList<Command> once;
    for (const Command& command : commands) {
        if (command.isItem) {
            once << command;
            continue;
        }
        if (!rows.contains(command.name)) {
            rows[command.name] = once.size();
            once << command;
        }
        QString& keys = once[rows[command.name]].keys;
        keys = keys.isEmpty() ? command.keys : keys;
    }
    return once;
}

} // namespace trainyard
