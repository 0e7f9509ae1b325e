#pragma once

#include <QAbstractTableModel>

#include "remote/target/host_check.h"

namespace trainyard {

/// The rows of one preflight: check, found, verdict, fix; what is in the way first.
class PreflightModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Check, Found, VerdictColumn, Fix, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    void setRows(const QList<CheckRow>& rows);

private:
    QList<CheckRow> m_rows;
};

} // namespace trainyard
