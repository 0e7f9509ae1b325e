#include "app/widgets/detail_delegate.h"

#include <QPainter>

#include "app/base/theme.h"

namespace trainyard {

namespace {
constexpr int kHeight = 3 * metrics::kGap;
constexpr int kBetween = 3 * metrics::kGap;
} // namespace

QSize DetailDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const QString detail = index.data(kDetailRole).toString();
    const int beside = detail.isEmpty() ? 0 : kBetween + option.fontMetrics.horizontalAdvance(detail);
    return {QStyledItemDelegate::sizeHint(option, index).width() + beside, kHeight};
}

void DetailDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                           const QModelIndex& index) const
{
    QStyledItemDelegate::paint(painter, option, index);
    painter->setPen(coloursOf(option.palette).muted);
    painter->setFont(option.font);
    painter->drawText(option.rect.adjusted(0, 0, -metrics::kPanelPadding, 0),
                      Qt::AlignRight | Qt::AlignVCenter, index.data(kDetailRole).toString());
}

} // namespace trainyard
