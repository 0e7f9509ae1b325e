#pragma once

#include <functional>

#include <QFrame>

#include "app/monitor/model/pinned_values.h"
#include "engine/base/result.h"

class QSortFilterProxyModel;
class QUndoStack;

namespace trainyard {

class TableView;

/// The pinned values of a page of charts: sorted by a click on a heading, copied (Ctrl+C), saved as CSV,
/// removed (Delete). Hidden while empty. Pinning and removing can be undone.
class PinnedTable : public QFrame {
    Q_OBJECT

public:
    /// The stack must outlive the table.
    explicit PinnedTable(QUndoStack& undo, QWidget* parent = nullptr);

    const PinnedValues& values() const { return m_values; }
    /// Clears the pins for another subject, such as another run; undo does not bring them back while
    /// `subject` differs.
    void startOver(const QString& subject);
    /// Changes the unit of positions, such as "tokens", and clears the pins.
    void countBy(const QString& positionTitle);
    void pin(double position, const QString& positionText, const QList<PinnedValue>& values);
    /// Acts on the selected rows, or on all without a selection, in the order shown.
    QString shownText() const;

signals:
    void saved(const QString& file);
    void saveFailed(const trainyard::Error& error);

private:
    class Change;
    void buildLayout();
    void edit(const std::function<void()>& change);
    void clear();
    void updateVisible();
    void removeSelected();
    void copy();
    void save();

    QUndoStack& m_undo;
    QString m_subject;
    PinnedValues m_values;
    QSortFilterProxyModel* m_sorted;
    TableView* m_view;
};

} // namespace trainyard
