#pragma once

#include <QTableView>

namespace trainyard {

/// A table in the house style: whole rows are selected, no grid, no row numbers, text is cut with an ellipsis
/// and shown in full as a tool tip.
class TableView : public QTableView {
    Q_OBJECT
public:
    explicit TableView(const QString& accessibleName, QWidget* parent = nullptr);
    /// Tab leaves the table instead of walking through its cells; the arrow keys walk.
    static constexpr int kRowHeight = 32;
};

} // namespace trainyard
