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
/// taken off again (Delete). Hidden while nothing is pinned. What the user pins and takes off can be undone.
class PinnedTable : public QFrame {
    Q_OBJECT

public:
    /// The stack must outlive the table.
    explicit PinnedTable(QUndoStack& undo, QWidget* parent = nullptr);

    const PinnedValues& values() const { return m_values; }
    /// Something else is looked at, such as another run: nothing is pinned, and what was pinned before does
    /// not come back while `subject` is another one.
    void startOver(const QString& subject);
    /// From now on positions count this, such as "tokens": what is pinned is taken off.
    void countBy(const QString& positionTitle);
    void pin(double position, const QString& positionText, const QList<PinnedValue>& values);
    /// Of the selected rows, or of all when none is, in the order shown.
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
