#pragma once

#include <QStyledItemDelegate>

namespace trainyard {

/// Paints a data set as a card: name, location, sizes, and whether it was verified.
class DataSetDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

} // namespace trainyard
