#include "app/widgets/toned_delegate.h"

#include "app/base/theme.h"
#include "app/base/tone.h"

namespace trainyard {

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
