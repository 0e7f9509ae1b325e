#include "app/data/fact_table.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QKeyEvent>

namespace trainyard {

namespace {

constexpr int kWidestName = 320;
constexpr int kWidestColumn = 180;
constexpr int kColumnGap = 24;

} // namespace

FactTable::FactTable(const QString& accessibleName, QWidget* parent) : TableView(accessibleName, parent)
{
    setModel(&m_model);
    verticalHeader()->setDefaultSectionSize(28);
}

void FactTable::setTable(const TextTable& table)
{
    m_model.setTable(table);
    resizeColumnsToContents();
    for (int column = 0; column + 1 < m_model.columnCount(); ++column)
        setColumnWidth(column,
                       std::min(column == 0 ? kWidestName : kWidestColumn, columnWidth(column) + kColumnGap));
}

void FactTable::keyPressEvent(QKeyEvent* event)
{
    if (event->matches(QKeySequence::Copy))
        QGuiApplication::clipboard()->setText(toText());
    else
        TableView::keyPressEvent(event);
}

} // namespace trainyard
