#include "app/widgets/item_walk.h"

#include <algorithm>

#include <QKeyEvent>
#include <QPainter>
#include <QWidget>

#include "app/base/theme.h"

namespace trainyard {

namespace {

std::optional<int> stepOf(int key)
{
    switch (key) {
    case Qt::Key_Left:
    case Qt::Key_Up:
        return -1;
    case Qt::Key_Right:
    case Qt::Key_Down:
        return 1;
    default:
        return std::nullopt;
    }
}

} // namespace

std::optional<Walk> walkOf(const QKeyEvent& event, std::optional<int> current, int count)
{
    const bool isHeld = event.modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier);
    if (isHeld || count < 1)
        return std::nullopt;
    const int last = count - 1;
    if (const auto step = stepOf(event.key())) {
        const int first = *step > 0 ? 0 : last;
        return Walk{current ? std::clamp(*current + *step, 0, last) : first};
    }
    if (event.key() == Qt::Key_Home)
        return Walk{0};
    if (event.key() == Qt::Key_End)
        return Walk{last};
    return event.key() == Qt::Key_Escape && current ? std::optional(Walk{}) : std::nullopt;
}

void paintFocusRing(QPainter& painter, const QWidget& widget, const QRectF& area)
{
    if (!widget.hasFocus())
        return;
    painter.setBrush(Qt::NoBrush);
    painter.setPen(coloursOf(widget.palette()).accent);
    painter.drawRect(area);
}

} // namespace trainyard
