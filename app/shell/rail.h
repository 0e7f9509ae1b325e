#pragma once

#include <vector>

#include <QFrame>
#include <QList>

class QToolButton;
class QVBoxLayout;

namespace trainyard {

class Place;

/// The places as a column of buttons at the left edge; below them what belongs to the whole window.
class Rail : public QFrame {
    Q_OBJECT
public:
    explicit Rail(QWidget* parent = nullptr);

    void addPlace(const Place& place, const QKeySequence& shortcut);
    /// Below the places.
    void addFooter(QToolButton* button);
    void setCurrent(int index);

signals:
    void chosen(int index);

private:
    QVBoxLayout* m_places;
    QVBoxLayout* m_footer;
    std::vector<QToolButton*> m_buttons;
};

} // namespace trainyard
