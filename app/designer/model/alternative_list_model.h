#pragma once

#include <optional>
#include <vector>

#include <QAbstractListModel>

#include "app/plan/planned_run.h"
#include "engine/planner/search/found_layout.h"

namespace trainyard {

/// Layouts found by a search, each with its gains and losses relative to the current design.
class AlternativeListModel : public QAbstractListModel {
    Q_OBJECT
public:
    using QAbstractListModel::QAbstractListModel;

    void setLayouts(std::vector<FoundLayout> layouts);
    /// The design to compare with. Without a time for it, layouts are only described.
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

/// Applies a search result to `spec`: layout, batch and memory.
void applyLayout(RunSpec& spec, const FoundLayout& layout);

} // namespace trainyard
