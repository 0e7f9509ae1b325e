#include "app/runs/run_pick_model.h"

#include "app/runs/run_list_model.h"

namespace trainyard {

QString RunPickModel::idAt(const QModelIndex& index) const
{
    return RunFilter::data(index, RunListModel::EntryRole).value<RunEntry>().id;
}

void RunPickModel::setChosen(const QStringList& runIds)
{
    if (runIds == m_chosen)
        return;
    m_chosen = runIds;
    if (rowCount() > 0)
        emit dataChanged(index(0, 0), index(rowCount() - 1, 0), {Qt::CheckStateRole});
    emit chosenChanged();
}

Qt::ItemFlags RunPickModel::flags(const QModelIndex& index) const
{
    const Qt::ItemFlags flags = RunFilter::flags(index);
    return index.isValid() && index.column() == 0 ? flags | Qt::ItemIsUserCheckable : flags;
}

QVariant RunPickModel::data(const QModelIndex& index, int role) const
{
    if (role == Qt::CheckStateRole && index.isValid() && index.column() == 0)
        return int(m_chosen.contains(idAt(index)) ? Qt::Checked : Qt::Unchecked);
    return RunFilter::data(index, role);
}

bool RunPickModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    if (role != Qt::CheckStateRole || !index.isValid() || index.column() != 0)
        return RunFilter::setData(index, value, role);
    const QString id = idAt(index);
    const bool wanted = value.toInt() == Qt::Checked;
    if (wanted == m_chosen.contains(id))
        return true;
    if (wanted)
        m_chosen.append(id);
    else
        m_chosen.removeAll(id);
    emit dataChanged(index, index, {Qt::CheckStateRole});
    emit chosenChanged();
    return true;
}

} // namespace trainyard
