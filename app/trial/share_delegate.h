#pragma once

#include <QStyledItemDelegate>

namespace trainyard {

/// Paints a bar as long as MaskAnswerModel::ShareRole behind the text of a cell.
class ShareDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
};

} // namespace trainyard
