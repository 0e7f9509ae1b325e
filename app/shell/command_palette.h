#pragma once

#include <QFrame>

#include "app/shell/command.h"

class QLabel;
class QLineEdit;
class QListWidget;

namespace trainyard {

/// Ctrl+K: runs any available command by name, and opens runs, hosts and data sets by theirs. Words narrow
/// the list, Enter runs, Esc closes.
class CommandPalette : public QFrame {
    Q_OBJECT
public:
    explicit CommandPalette(QWidget* window);

    void open(const QList<Command>& commands);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void fill(const QString& filter);
    void run();

    QLineEdit* m_filter;
    QListWidget* m_list;
    QLabel* m_nothing;
    QList<Command> m_commands;
    QList<Command> m_shown; ///< as the rows of the list
};

} // namespace trainyard
