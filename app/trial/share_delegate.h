#pragma once

#include <QStyledItemDelegate>

namespace trainyard {

/// Paints a bar as long as AnswerTableModel::ShareRole behind the text of a cell that has one.
class ShareDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
};

} // namespace trainyard
