#pragma once

#include <QFocusFrame>
#include <QPointer>

namespace trainyard {

/// A ring around the focused widget where the style sheet draws none: lists, tables, charts and other
/// scrolled or painted widgets. Appears with the first key, so mouse users do not see it.
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
