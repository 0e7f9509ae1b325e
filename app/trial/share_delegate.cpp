#include "app/trial/share_delegate.h"

#include <algorithm>

#include <QPainter>

#include "app/base/theme.h"
#include "app/trial/model/answer_table_model.h"

namespace trainyard {

namespace {

constexpr int kTextWidth = 64; ///< pixels, before the bar
constexpr int kBarHeight = 10;
constexpr double kMinBar = 1; ///< so that a small share is seen

} // namespace

void ShareDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                          const QModelIndex& index) const
{
    QStyledItemDelegate::paint(painter, option, index);
    const QVariant given = index.data(AnswerTableModel::ShareRole);
    if (!given.isValid())
        return;
    const double share = std::clamp(given.toDouble(), 0.0, 1.0);
    const QRect cell = option.rect.adjusted(kTextWidth + metrics::kGap, 0, -metrics::kPanelPadding, 0);
    if (cell.width() <= 0)
        return;
    const QRectF bar(cell.left(), cell.center().y() - kBarHeight / 2.0,
                     std::max(kMinBar, share * cell.width()), kBarHeight);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(Qt::NoPen);
    painter->setBrush(coloursOf(option.palette).accent);
    painter->drawRoundedRect(bar, 2, 2);
    painter->restore();
}

} // namespace trainyard
