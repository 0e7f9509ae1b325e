#pragma once

#include <QFrame>
#include <QPointer>

class QLabel;
class QPushButton;

namespace trainyard {

class MainWindow;

/// A walk through the window in a few steps. Each is a card beside a widget of the page that it tells of,
/// which gets a ring; the window stays usable meanwhile. The last step offers the demo. Esc leaves from
/// anywhere.
class Tour : public QFrame {
    Q_OBJECT
public:
    /// Over `window`, which owns it; hidden until begin().
    explicit Tour(MainWindow& window);

    void begin();
    void leave();

signals:
    /// By the user, at whatever step.
    void left();
    /// The user wants to see the demo; the tour is over.
    void demoRequested();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QLayout* makeButtons();
    void showStep(int step);
    void next();
    void placeBesideTarget();
    QWidget* findTarget() const;

    MainWindow& m_window;
    int m_step = 0;
    QPointer<QWidget> m_target;
    QWidget* m_ring;
    QLabel* m_heading;
    QLabel* m_count;
    QLabel* m_sentence;
    QPushButton* m_back;
    QPushButton* m_next;
};

} // namespace trainyard
