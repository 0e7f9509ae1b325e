#include "app/widgets/table_view.h"

#include <QHeaderView>

#include "app/widgets/table_header.h"
#include "app/widgets/toned_delegate.h"

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

} // namespace trainyard
