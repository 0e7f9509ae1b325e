#pragma once

#include "app/widgets/delegates.h"

namespace trainyard {

/// Paints a tint behind an item that grows with its heat (kHeatRole, app/hosts/model/link_matrix_model.h),
/// from no tint to the strongest one that keeps text readable. Items of tone Bad get the tint of that tone.
class HeatDelegate : public TonedDelegate {
    Q_OBJECT
public:
    using TonedDelegate::TonedDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
};

} // namespace trainyard
