#pragma once

#include <QAbstractTableModel>

#include "remote/preflight/preflight.h"

namespace trainyard {

/// Of kHeatRole: how slow a link is among those of its matrix, 0 (the fastest) to 1 (a double); nothing where
/// nothing was measured.
constexpr int kHeatRole = Qt::UserRole + 101;

/// The links that a cluster check tried, by pair of hosts: a row for each host that dialled, a column for
/// each that was dialled. A cell has latency and bandwidth; one of them decides its heat.
class LinkMatrixModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum class Figure { Latency, Bandwidth };

    using QAbstractTableModel::QAbstractTableModel;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    void setReport(const PreflightReport& report);
    void setFigure(Figure figure);
    /// Between what and what the figure in use lies: "0.08 ms to 0.31 ms"; empty: nothing was measured.
    QString span() const;

private:
    const LinkRow* linkAt(const QModelIndex& index) const;
    QVariant heatOf(const LinkRow& link) const;
    QString sentence(const QModelIndex& index) const;

    QStringList m_hosts;
    QList<QList<LinkRow>> m_links; ///< by host that dialled; messages of ranks alone
    Figure m_figure = Figure::Latency;
    double m_least = 0; ///< of the figure in use; 0 = nothing was measured
    double m_most = 0;
};

} // namespace trainyard
