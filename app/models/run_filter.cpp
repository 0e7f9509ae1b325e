#include "app/models/run_filter.h"

#include "app/models/run_list_model.h"

namespace trainyard {

RunFilter::RunFilter(QObject* parent) : QSortFilterProxyModel(parent)
{
    setSortRole(RunListModel::SortRole);
}

void RunFilter::setSearch(const QString& search)
{
    m_search = search;
    invalidateRowsFilter();
}

bool RunFilter::filterAcceptsRow(int row, const QModelIndex& parent) const
{
    const QVariant entry = sourceModel()->index(row, 0, parent).data(RunListModel::EntryRole);
    return matchesSearch(entry.value<RunEntry>(), m_search);
}

} // namespace trainyard
