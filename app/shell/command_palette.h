#pragma once

#include <QFrame>
#include <QList>

class QAction;
class QLabel;
class QLineEdit;
class QListWidget;

namespace trainyard {

/// Ctrl+K: every action of the window by name. Words narrow the list, Enter does it, Esc leaves.
class CommandPalette : public QFrame {
    Q_OBJECT
public:
    explicit CommandPalette(QWidget* window);

    void open(const QList<QAction*>& actions);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void fill(const QString& filter);
    void run();

    QLineEdit* m_filter;
    QListWidget* m_list;
    QLabel* m_nothing;
    QList<QAction*> m_actions;
    QList<QAction*> m_shown;
};

} // namespace trainyard
