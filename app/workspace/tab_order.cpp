#include "app/workspace/tab_order.h"

#include <QWidget>

namespace trainyard {

namespace {

bool takesTab(const QWidget& widget)
{
    return (widget.focusPolicy() & Qt::TabFocus) && !widget.focusProxy();
}

} // namespace

void reachAfter(QWidget& before, const QList<QWidget*>& boxes)
{
    const Qt::FocusPolicy policy = before.focusPolicy();
    before.setFocusPolicy(Qt::TabFocus); // Qt puts nothing after a widget that takes no focus
    QWidget* last = &before;
    for (QWidget* box : boxes) {
        for (QWidget* widget : QList<QWidget*>{box} + box->findChildren<QWidget*>()) {
            const bool isElsewhere = widget->window() != before.window(); // a list that pops up
            if (isElsewhere || widget == &before || !takesTab(*widget))
                continue;
            QWidget::setTabOrder(last, widget);
            last = widget;
        }
    }
    before.setFocusPolicy(policy);
}

} // namespace trainyard
