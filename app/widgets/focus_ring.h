#pragma once

#include <QFocusFrame>
#include <QPointer>

namespace trainyard {

/// A ring around the widget in focus where the style sheet draws none: lists, tables, charts, and whatever
/// else is scrolled or painted.
class FocusRing : public QObject {
    Q_OBJECT
public:
    /// For this window, which owns the ring, and its floating panels; dialogs show the focus as Qt does.
    explicit FocusRing(QWidget& window);

private:
    bool isOurs(const QWidget& widget) const;
    void moveTo(QWidget* focus);

    QWidget& m_window;
    QPointer<QFocusFrame> m_frame;
};

} // namespace trainyard
