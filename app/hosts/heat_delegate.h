#pragma once

#include "app/widgets/toned_delegate.h"

namespace trainyard {

/// Lays a tint behind an item that grows with its heat (kHeatRole, app/hosts/model/link_matrix_model.h), from
/// none to the scheme's strongest on which text can be read; behind one in the tone Bad that tone's tint.
class HeatDelegate : public TonedDelegate {
    Q_OBJECT
public:
    using TonedDelegate::TonedDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
};

} // namespace trainyard
