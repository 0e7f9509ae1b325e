#pragma once

#include <QAbstractTableModel>

#include "remote/preflight/preflight.h"

namespace trainyard {

/// Role of a link's relative slowness in its matrix: a double from 0 (fastest) to 1; invalid for links
/// without a measurement.
constexpr int kHeatRole = Qt::UserRole + 101;

/// The links tested by a cluster check: a row per connecting host, a column per host connected to. A cell
/// shows latency and bandwidth; one of them decides its heat.
class LinkMatrixModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum class Metric { Latency, Bandwidth };

    using QAbstractTableModel::QAbstractTableModel;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    void setReport(const PreflightReport& report);
    void setMetric(Metric metric);
    /// Returns the range of the current metric, e.g. "0.08 ms to 0.31 ms"; empty without measurements.
    QString span() const;

private:
    const LinkRow* linkAt(const QModelIndex& index) const;
    QVariant heatOf(const LinkRow& link) const;
    QString sentence(const QModelIndex& index) const;

    QStringList m_hosts;
    QList<QList<LinkRow>> m_links; ///< by connecting host; TCP links between ranks only
    Metric m_metric = Metric::Latency;
    double m_least = 0; ///< of the current metric; 0 = no measurements
    double m_most = 0;
};

} // namespace trainyard
