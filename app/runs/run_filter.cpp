#include "app/runs/run_filter.h"

#include "app/runs/run_list_model.h"

namespace trainyard {

RunFilter::RunFilter(QObject* parent) : QSortFilterProxyModel(parent)
{
    setSortRole(RunListModel::SortRole);
}

void RunFilter::setSearch(const QString& search)
{
    m_search = RunQuery(search);
    invalidateRowsFilter();
}

bool RunFilter::filterAcceptsRow(int row, const QModelIndex& parent) const
{
    const auto* runs = qobject_cast<const RunListModel*>(sourceModel());
    return runs && !parent.isValid() && m_search.matches(runs->entryAt(row));
}

} // namespace trainyard
