#pragma once

#include <QTableView>

namespace trainyard {

/// A table in the common style: selects whole rows, no grid, no row numbers; elided text is shown in full as
/// a tool tip.
class TableView : public QTableView {
    Q_OBJECT
public:
    explicit TableView(const QString& accessibleName, QWidget* parent = nullptr);
    /// Tab leaves the table instead of walking through its cells; the arrow keys walk.
    static constexpr int kRowHeight = 32;
};

} // namespace trainyard
