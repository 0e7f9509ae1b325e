#include "app/workspace/focus_ring.h"

#include <QAbstractButton>
#include <QAbstractScrollArea>
#include <QAbstractSlider>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QDockWidget>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QProxyStyle>

#include "app/base/theme.h"

namespace trainyard {

namespace {

constexpr int kPen = 2; ///< pixels

/// The frame lies over the widget, so that it is seen also where the widget fills what it lies in.
class InnerFrameStyle : public QProxyStyle {
public:
    int pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const override
    {
        const bool isMargin = metric == PM_FocusFrameHMargin || metric == PM_FocusFrameVMargin;
        return isMargin ? 0 : QProxyStyle::pixelMetric(metric, option, widget);
    }
    int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                  QStyleHintReturn* returned) const override
    {
        return hint == SH_FocusFrame_Mask ? 0 : QProxyStyle::styleHint(hint, option, widget, returned);
    }
};

class Frame : public QFocusFrame {
public:
    explicit Frame(QWidget* parent) : QFocusFrame(parent) { setStyle(&m_style); }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(coloursOf(palette()).accent, kPen));
        painter.drawRoundedRect(rect().adjusted(1, 1, -1, -1), metrics::kRadius, metrics::kRadius);
    }

private:
    InnerFrameStyle m_style;
};

template <typename... Kinds>
bool isOneOf(const QWidget& widget)
{
    return (qobject_cast<const Kinds*>(&widget) || ...);
}

bool needsRing(const QWidget& widget)
{
    if (widget.isWindow() ||
        isOneOf<QAbstractButton, QAbstractSlider, QAbstractSpinBox, QComboBox, QLineEdit>(widget))
        return false;
    if (isOneOf<QAbstractScrollArea, QLabel>(widget))
        return true;
    return QByteArrayView(widget.metaObject()->className()).startsWith("trainyard::");
}

} // namespace

FocusRing::FocusRing(QWidget& window) : QObject(&window), m_window(window)
{
    connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) { moveTo(now); });
    qApp->installEventFilter(this);
}

bool FocusRing::eventFilter(QObject*, QEvent* event)
{
    if (event->type() == QEvent::KeyPress)
        useKeys(true);
    else if (event->type() == QEvent::MouseButtonPress)
        useKeys(false);
    return false;
}

void FocusRing::useKeys(bool keys)
{
    if (keys == m_usesKeys)
        return;
    m_usesKeys = keys;
    moveTo(QApplication::focusWidget());
}

bool FocusRing::isOurs(const QWidget& widget) const
{
    return widget.window() == &m_window || qobject_cast<const QDockWidget*>(widget.window());
}

void FocusRing::moveTo(QWidget* focus)
{
    delete m_frame;
    if (!m_usesKeys || !focus || !isOurs(*focus) || !needsRing(*focus))
        return;
    m_frame = new Frame(focus->window());
    m_frame->setAttribute(Qt::WA_TransparentForMouseEvents);
    m_frame->setWidget(focus);
    m_frame->raise(); // Qt puts it under what it frames
}

} // namespace trainyard
