#include "app/widgets/table_header.h"

#include <QStyleOption>

namespace trainyard {

namespace {

constexpr int kPadding = 11; ///< pixels at each side, as in the theme

} // namespace

TableHeader::TableHeader(Qt::Orientation orientation, QWidget* parent) : QHeaderView(orientation, parent)
{
    setTextElideMode(Qt::ElideNone);
    setSectionsClickable(true);
}

void TableHeader::initStyleOptionForIndex(QStyleOptionHeader* option, int section) const
{
    QHeaderView::initStyleOptionForIndex(option, section);
    const int length = orientation() == Qt::Horizontal ? sectionSize(section) : width();
    option->text = option->fontMetrics.elidedText(option->text, Qt::ElideMiddle, length - 2 * kPadding);
}

} // namespace trainyard
