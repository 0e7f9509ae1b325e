#pragma once

#include <QWidget>

class QHBoxLayout;
class QLabel;
class QVBoxLayout;

namespace trainyard {

class MessageBar;

/// The frame of every page: title and sub-title on the left, actions on the right, below them the message
/// bar, then the content.
class PageFrame : public QWidget {
    Q_OBJECT
public:
    explicit PageFrame(const QString& title, QWidget* parent = nullptr);

    void setSubtitle(const QString& text);
    /// Buttons at the right of the title, in the order of the calls.
    void addAction(QWidget* widget);
    MessageBar* messageBar() const { return m_messageBar; }
    /// Where the page puts its content; takes all the remaining room.
    QVBoxLayout* content() const { return m_content; }

private:
    QLabel* m_subtitle;
    QHBoxLayout* m_header;
    MessageBar* m_messageBar;
    QVBoxLayout* m_content;
};

} // namespace trainyard
