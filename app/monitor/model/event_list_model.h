#pragma once

#include <vector>

#include <QAbstractTableModel>

#include "app/runs/run_series.h"

namespace trainyard {

/// The events of a run, oldest first. New events are inserted in order without a reset, so selection and
/// scroll position stay.
class EventListModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Time, Level, Rank, Step, Kind, Message, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;

    /// Updates the rows to `events`, which must be sorted by time.
    void update(const std::vector<RunEvent>& events);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    QString text(const RunEvent& event, int column) const;

    std::vector<RunEvent> m_events;
};

} // namespace trainyard
