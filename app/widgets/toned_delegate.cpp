#include "app/widgets/toned_delegate.h"

#include "app/models/theme.h"
#include "app/models/tone.h"

namespace trainyard {

void TonedDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const
{
    QStyledItemDelegate::initStyleOption(option, index);
    const auto tone = static_cast<Tone>(index.data(kToneRole).toInt());
    const QColor colour = textColour(tone, coloursOf(option->palette));
    option->palette.setColor(QPalette::Text, colour);
    option->palette.setColor(QPalette::HighlightedText, colour);
}

} // namespace trainyard
