#pragma once

#include "app/widgets/delegates.h"

class QTableView;

namespace trainyard {

/// Paints the row of a phase in two lines: its name over the whole width, elided in the middle, and its
/// figures in their columns below. One line of the form's width has no room for both. A row of the usual
/// height, of a phase without a name, is painted as usual.
class PhaseRowDelegate : public TonedDelegate {
    Q_OBJECT
public:
    static constexpr int kTwoLines = 48; ///< pixels: height of a row with a name

    using TonedDelegate::TonedDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    /// Returns the name as the view, which shows it, has room for it.
    static QString shownName(const QTableView& view, int row);
};

} // namespace trainyard
