#include "app/widgets/table_view.h"

#include <QStyleOption>

#include "app/widgets/delegates.h"

namespace trainyard {

TableView::TableView(const QString& accessibleName, QWidget* parent) : QTableView(parent)
{
    setAccessibleName(accessibleName);
    setItemDelegate(new TonedDelegate(this));
    setSelectionBehavior(QAbstractItemView::SelectRows);
    setSelectionMode(QAbstractItemView::SingleSelection);
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setTabKeyNavigation(false);
    setShowGrid(false);
    setWordWrap(false);
    setFrameShape(QFrame::NoFrame);
    setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    setHorizontalHeader(new TableHeader(Qt::Horizontal));
    verticalHeader()->hide();
    verticalHeader()->setDefaultSectionSize(kRowHeight);
    verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    horizontalHeader()->setStretchLastSection(true);
}

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
