#pragma once

#include <QHeaderView>
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

/// A table header that elides names wider than their section within the theme's padding, which Qt's eliding
/// ignores.
class TableHeader : public QHeaderView {
    Q_OBJECT
public:
    explicit TableHeader(Qt::Orientation orientation, QWidget* parent = nullptr);

protected:
    void initStyleOptionForIndex(QStyleOptionHeader* option, int section) const override;
};

} // namespace trainyard
