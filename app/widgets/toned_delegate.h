#pragma once

#include <QStyledItemDelegate>

namespace trainyard {

/// Paints an item's text in the tone from its model (kToneRole), in the colours of the view's palette.
class TonedDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;
};

} // namespace trainyard
