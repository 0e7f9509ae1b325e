#pragma once

#include <QStyledItemDelegate>

namespace trainyard {

/// An entry of a list with the muted text of kDetailRole at its right.
class DetailDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    static constexpr int kDetailRole = Qt::UserRole + 100;

    using QStyledItemDelegate::QStyledItemDelegate;

    /// Both texts and the space between them.
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
};

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
