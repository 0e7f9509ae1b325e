#pragma once

#include <QFrame>

#include "app/models/pinned_values.h"
#include "engine/base/result.h"

class QSortFilterProxyModel;

namespace trainyard {

class TableView;

/// The pinned values of a page of charts: sorted by a click on a heading, copied (Ctrl+C), saved as CSV,
/// taken off again (Delete). Hidden while nothing is pinned.
class PinnedTable : public QFrame {
    Q_OBJECT

public:
    explicit PinnedTable(QWidget* parent = nullptr);

    PinnedValues& values() { return m_values; }
    /// Of the selected rows, or of all when none is, in the order shown.
    QString shownText() const;

signals:
    void saved(const QString& file);
    void saveFailed(const trainyard::Error& error);

private:
    void buildLayout();
    void updateVisible();
    void removeSelected();
    void copy();
    void save();

    PinnedValues m_values;
    QSortFilterProxyModel* m_sorted;
    TableView* m_view;
};

} // namespace trainyard
