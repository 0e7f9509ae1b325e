#pragma once

#include <QStyledItemDelegate>

namespace trainyard {

/// An entry of a list, and in muted letters at its right what kDetailRole says about it.
class DetailDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    static constexpr int kDetailRole = Qt::UserRole + 100;

    using QStyledItemDelegate::QStyledItemDelegate;

    /// Both texts and the room between them.
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
};

} // namespace trainyard
