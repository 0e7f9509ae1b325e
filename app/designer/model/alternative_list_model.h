#pragma once

#include <optional>
#include <vector>

#include <QAbstractListModel>

#include "app/plan/planned_design.h"
#include "engine/planner/search/found_layout.h"

namespace trainyard {

/// Layouts that a search found, each with what it gains and what it gives up against the present design.
class AlternativeListModel : public QAbstractListModel {
    Q_OBJECT
public:
    using QAbstractListModel::QAbstractListModel;

    void setLayouts(std::vector<FoundLayout> layouts);
    /// What they are compared with. Of a design without a time, layouts are only described.
    void setPresent(const PlannedDesign& design);
    const FoundLayout& at(int row) const { return m_layouts[static_cast<std::size_t>(row)]; }

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;

private:
    QString text(const FoundLayout& layout) const;
    QString tradeOff(const FoundLayout& layout) const;

    std::vector<FoundLayout> m_layouts;
    std::optional<FoundLayout> m_present;
};

/// Gives `spec` what a search decides: layout, batch and memory.
void applyLayout(RunSpec& spec, const FoundLayout& layout);

} // namespace trainyard
