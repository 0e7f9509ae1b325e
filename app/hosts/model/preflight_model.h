#pragma once

#include <QAbstractTableModel>

#include "remote/preflight/host_report.h"

namespace trainyard {

/// The rows of a host's preflight and of its links to other hosts: check, finding, verdict, fix; failures
/// first.
class PreflightModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Check, Found, VerdictColumn, Fix, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    void setReport(const HostReport& report);

private:
    QList<CheckRow> m_rows;
};

} // namespace trainyard
