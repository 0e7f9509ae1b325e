#include "app/designer/phase_row_delegate.h"

#include <utility>

#include <QHeaderView>
#include <QPainter>
#include <QStyle>
#include <QTableView>

#include "app/widgets/table_view.h"

namespace trainyard {

namespace {

constexpr int kCellPadding = 11; ///< pixels at each side, as in headers

QRect withoutPadding(const QRect& cell)
{
    return cell.adjusted(kCellPadding, 0, -kCellPadding, 0);
}

} // namespace

QString PhaseRowDelegate::shownName(const QTableView& view, int row)
{
    const int width = view.horizontalHeader()->length() - 2 * kCellPadding;
    return view.fontMetrics().elidedText(view.model()->index(row, 0).data().toString(), Qt::ElideMiddle,
                                         width);
}

/// Each cell paints its own part of the name, so that the view may repaint cells one by one.
void PhaseRowDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                             const QModelIndex& index) const
{
    const auto* view = qobject_cast<const QTableView*>(option.widget);
    if (!view || option.rect.height() <= TableView::kRowHeight)
        return TonedDelegate::paint(painter, option, index);
    QStyleOptionViewItem cell = option;
    initStyleOption(&cell, index);
    const QString figure = std::exchange(cell.text, QString());
    view->style()->drawControl(QStyle::CE_ItemViewItem, &cell, painter, view);

    painter->save();
    painter->setClipRect(option.rect);
    painter->setFont(cell.font);
    painter->setPen(cell.palette.color(QPalette::Text));
    const int half = option.rect.height() / 2;
    const QRect name(view->columnViewportPosition(0), option.rect.top(), view->horizontalHeader()->length(),
                     half);
    painter->drawText(withoutPadding(name), Qt::AlignLeft | Qt::AlignVCenter, shownName(*view, index.row()));
    if (index.column() > 0) {
        const QRect below = withoutPadding(option.rect.adjusted(0, half, 0, 0));
        painter->drawText(below, Qt::AlignLeft | Qt::AlignVCenter,
                          cell.fontMetrics.elidedText(figure, Qt::ElideRight, below.width()));
    }
    painter->restore();
}

} // namespace trainyard
