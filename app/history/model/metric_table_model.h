#pragma once

#include <QAbstractTableModel>

#include "app/history/model/run_groups.h"
#include "app/series/aggregated_curve.h"

namespace trainyard {

/// The final metrics of runs or groups: a row for each, a column for each metric. A group shows the average
/// of its runs and their spread. Marks the best value of columns where more, or less, is better.
class MetricTableModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Role { SortRole = Qt::UserRole }; ///< the number, or the text of the first columns

    using QAbstractTableModel::QAbstractTableModel;

    void setGroups(const QList<RunGroup>& groups, Middle middle, Spread spread);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    struct Cell {
        QString text;
        double value = 0;
        QString full; ///< all digits, and the spread
        bool isBest = false;
    };
    void markBest();

    QList<QList<Cell>> m_rows;
    QStringList m_names;
};

} // namespace trainyard
