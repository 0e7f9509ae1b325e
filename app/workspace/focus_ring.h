#pragma once

#include <QFocusFrame>
#include <QPointer>

namespace trainyard {

/// A ring around the widget in focus where the style sheet draws none: lists, tables, charts, and whatever
/// else is scrolled or painted. From the first key on; who goes on with the mouse sees where it is.
class FocusRing : public QObject {
    Q_OBJECT
public:
    /// For this window, which owns the ring, and its floating panels; dialogs show the focus as Qt does.
    explicit FocusRing(QWidget& window);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void useKeys(bool keys);
    bool isOurs(const QWidget& widget) const;
    void moveTo(QWidget* focus);

    QWidget& m_window;
    QPointer<QFocusFrame> m_frame;
    bool m_usesKeys = false; ///< the user, not the mouse
};

} // namespace trainyard
