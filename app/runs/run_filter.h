#pragma once

#include <QSortFilterProxyModel>

#include "app/runs/run_query.h"

namespace trainyard {

/// The runs of a RunListModel that match what was typed; sorts by figures, not by their text.
class RunFilter : public QSortFilterProxyModel {
    Q_OBJECT

public:
    explicit RunFilter(QObject* parent = nullptr);
    void setSearch(const QString& search);
    const RunQuery& search() const { return m_search; }

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

private:
    RunQuery m_search;
};

} // namespace trainyard
