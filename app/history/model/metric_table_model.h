#pragma once

#include <QAbstractTableModel>

#include "app/history/model/run_groups.h"
#include "app/series/aggregated_curve.h"

namespace trainyard {

/// The final figures of runs or groups of runs: a row for each, a column for each figure. Of a group a figure
/// is the middle of its runs', with how far they lie apart. The best of a column is marked where more is
/// better, or less.
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
        QString full; ///< with all digits, and the spread
        bool isBest = false;
    };
    void markBest();

    QList<QList<Cell>> m_rows;
    QStringList m_names;
};

} // namespace trainyard
