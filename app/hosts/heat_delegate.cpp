#include "app/hosts/heat_delegate.h"

#include <QPainter>

#include "app/base/theme.h"
#include "app/base/tone.h"
#include "app/hosts/model/link_matrix_model.h"

namespace trainyard {

namespace {

constexpr double kStrongest = 0.4; ///< share of the warning tone over the panel, at heat 1

QColor tintOf(const QModelIndex& index, const ThemeColours& colours)
{
    if (static_cast<Tone>(index.data(kToneRole).toInt()) == Tone::Bad)
        return colours.badTint;
    QColor tint = colours.warning;
    tint.setAlphaF(static_cast<float>(kStrongest * index.data(kHeatRole).toDouble()));
    return tint;
}

} // namespace

/// The style leaves the background of what is not selected alone.
void HeatDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                         const QModelIndex& index) const
{
    painter->fillRect(option.rect.adjusted(1, 1, -1, -1), tintOf(index, coloursOf(option.palette)));
    TonedDelegate::paint(painter, option, index);
}

} // namespace trainyard
