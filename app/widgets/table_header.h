#pragma once

#include <QHeaderView>

namespace trainyard {

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
