#pragma once

#include <QPoint>
#include <QString>

class QAbstractItemView;
class QWidget;

namespace trainyard::test {

/// What a user does with keys and the mouse: only with what she sees and what is enabled, found by the name
/// that a screen reader says. Waits for what is to come; what does not come fails the test, and the caller
/// returns with MUST of patience.h.
class Hand {
public:
    /// The window must outlive the hand.
    explicit Hand(QWidget& window) : m_window(window) {}

    /// Ctrl and the digit of the page.
    void goTo(int page);
    void press(const QString& button);
    /// Into a text field, in page of what it holds; Tab leaves it.
    void write(const QString& field, const QString& text);
    /// The entry of a combo box that begins so, with the keyboard.
    void choose(const QString& box, const QString& entry);
    /// Clicks the row of a list or table whose first column begins so.
    void pickRow(const QString& view, const QString& beginning);
    /// The tab with this title, of whatever tab bar shows it.
    void openTab(const QString& title);
    /// Answers the file dialog that `button` opens.
    void saveAs(const QString& button, const QString& file);

    bool sees(const QString& text) const;
    bool canPress(const QString& button) const;

private:
    QWidget* find(const QString& name, const char* className) const;

    QWidget& m_window;
};

} // namespace trainyard::test
