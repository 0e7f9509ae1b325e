#include "app/widgets/delegates.h"

#include <QPainter>

#include "app/base/theme.h"
#include "app/base/tone.h"

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

/// A style sheet's padding is taken off where text is painted, but not where it is measured: text that fills
/// its cell would wrap and find no second line. Lines that fill a row keep off its borders.
QSize TonedDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    QStyleOptionViewItem inner = option;
    inner.rect.adjust(metrics::kGap, 0, -metrics::kGap, 0);
    return QStyledItemDelegate::sizeHint(inner, index) + QSize(0, metrics::kGap);
}

void TonedDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const
{
    QStyledItemDelegate::initStyleOption(option, index);
    const auto tone = static_cast<Tone>(index.data(kToneRole).toInt());
    const QColor colour = textColour(tone, coloursOf(option->palette));
    option->palette.setColor(QPalette::Text, colour);
    option->palette.setColor(QPalette::HighlightedText, colour);
}

} // namespace trainyard
