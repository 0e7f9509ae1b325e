#pragma once

#include <QHeaderView>

namespace trainyard {

/// The head of a table. Names that are longer than their section end in an ellipsis, within the theme's
/// padding, of which Qt's own eliding knows nothing.
class TableHeader : public QHeaderView {
    Q_OBJECT
public:
    explicit TableHeader(Qt::Orientation orientation, QWidget* parent = nullptr);

protected:
    void initStyleOptionForIndex(QStyleOptionHeader* option, int section) const override;
};

} // namespace trainyard
