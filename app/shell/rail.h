#pragma once

#include <vector>

#include <QFrame>
#include <QList>

class QToolButton;
class QVBoxLayout;

namespace trainyard {

class Page;

/// The pages as a column of buttons on the left edge; below them the buttons of the whole window.
class Rail : public QFrame {
    Q_OBJECT
public:
    explicit Rail(QWidget* parent = nullptr);

    void addPage(const Page& page, const QKeySequence& shortcut);
    /// Below the pages.
    void addFooter(QToolButton* button);
    void setCurrent(int index);

signals:
    void chosen(int index);

private:
    QVBoxLayout* m_pages;
    QVBoxLayout* m_footer;
    std::vector<QToolButton*> m_buttons;
};

} // namespace trainyard
