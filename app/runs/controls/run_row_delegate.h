#pragma once

#include <QStyledItemDelegate>

class QListView;

namespace trainyard {

struct RunEntry;

/// Paints a run as two lines and a thin bar: shape, name and id; state or alert, loss, tags, what
/// else fits, and age. With a check box where the model has check states.
class RunRowDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

protected:
    /// The whole row acts as the check box: the view handles clicks, this handles keys only.
    bool editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                     const QModelIndex& index) override;

private:
    void paintCheckBox(QPainter& painter, const QStyleOptionViewItem& option, const QRect& box,
                       bool checked) const;
    void paintTexts(QPainter& painter, const QStyleOptionViewItem& option, const QRect& box,
                    const QModelIndex& index) const;
    void paintProgress(QPainter& painter, const QStyleOptionViewItem& option, const QRect& box,
                       const RunEntry& entry) const;
};

/// A list of these runs, painted by the delegate.
QListView* makeRunList(QAbstractItemModel& runs, const QString& accessibleName, QWidget* parent);

} // namespace trainyard
