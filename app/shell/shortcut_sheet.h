#pragma once

#include <QFrame>
#include <QList>

class QAction;
class QGridLayout;

namespace trainyard {

/// Ctrl+/: what the keys do, over the window; any key or click closes it.
class ShortcutSheet : public QFrame {
    Q_OBJECT
public:
    explicit ShortcutSheet(QWidget* window);

    /// The shortcuts of these actions, then the keys that a place handles itself.
    void open(const QList<QAction*>& actions);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;

private:
    void addLine(const QString& keys, const QString& text);

    QWidget* m_content = nullptr;
    QGridLayout* m_grid = nullptr;
};

} // namespace trainyard
