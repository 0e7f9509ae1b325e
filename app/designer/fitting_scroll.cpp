#include "app/designer/fitting_scroll.h"

#include <algorithm>

#include <QEvent>

namespace trainyard {

FittingScroll::FittingScroll(QWidget* content, int most, QWidget* parent) : QScrollArea(parent), m_most(most)
{
    setWidget(content); // from now on its events pass here
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::NoFocus);
}

QSize FittingScroll::minimumSizeHint() const
{
    const int width = viewport()->width();
    const int needed =
        widget()->hasHeightForWidth() ? widget()->heightForWidth(width) : widget()->sizeHint().height();
    return {0, std::clamp(needed, 0, m_most)};
}

/// Text that is wrapped is higher in a narrower column.
void FittingScroll::resizeEvent(QResizeEvent* event)
{
    QScrollArea::resizeEvent(event);
    updateGeometry();
}

bool FittingScroll::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == widget() && event->type() == QEvent::LayoutRequest)
        updateGeometry();
    return QScrollArea::eventFilter(watched, event);
}

} // namespace trainyard
