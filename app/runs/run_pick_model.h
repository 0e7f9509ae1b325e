#pragma once

#include <QStringList>

#include "app/runs/run_list_model.h"

namespace trainyard {

/// The runs that match a query, with check boxes for choosing several. A chosen run stays chosen while the
/// query hides it.
class RunPickModel : public RunFilter {
    Q_OBJECT

public:
    using RunFilter::RunFilter;

    /// Returns the chosen runs in the order of choosing.
    const QStringList& chosen() const { return m_chosen; }
    void setChosen(const QStringList& runIds);

    Qt::ItemFlags flags(const QModelIndex& index) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role = Qt::EditRole) override;

signals:
    void chosenChanged();

private:
    QString idAt(const QModelIndex& index) const;

    QStringList m_chosen;
};

} // namespace trainyard
