#pragma once

#include <QFrame>
#include <QPointer>

class QLabel;
class QPushButton;

namespace trainyard {

class MainWindow;

/// A short tour of the window. Each step is a card next to a highlighted widget of its page; the window stays
/// usable. The last step offers the demo. Esc leaves from anywhere.
class Tour : public QFrame {
    Q_OBJECT
public:
    /// Over `window`, which owns it; hidden until begin().
    explicit Tour(MainWindow& window);

    void begin();
    void leave();

signals:
    /// The user left the tour, at any step.
    void left();
    /// The user started the demo; the tour is over.
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
