#include "app/base/text_table_model.h"

#include "app/base/display_text.h"

namespace trainyard {

TextTable withSentenceHeadings(TextTable table)
{
    for (QString& heading : table.columns)
        heading = heading.left(1).toUpper() + heading.mid(1);
    return table;
}

void TextTableModel::setTable(const TextTable& table)
{
    const bool sameShape = table.columns == m_table.columns && table.rows.size() == m_table.rows.size();
    if (!sameShape) {
        beginResetModel();
        m_table = table;
        endResetModel();
        return;
    }
    m_table = table;
    if (!m_table.rows.isEmpty() && !m_table.columns.isEmpty())
        emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

QString TextTableModel::toText() const
{
    QStringList lines{m_table.columns.join(QLatin1Char('\t'))};
    for (const QStringList& row : m_table.rows)
        lines.append(row.join(QLatin1Char('\t')));
    return lines.join(QLatin1Char('\n'));
}

int TextTableModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_table.rows.size());
}

int TextTableModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_table.columns.size());
}

QVariant TextTableModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    switch (role) {
    case Qt::DisplayRole:
        return m_table.rows[index.row()][index.column()];
    case Qt::ToolTipRole:
        if (index.column() == 0 && index.row() < m_table.tips.size())
            return toolTipOf(m_table.tips[index.row()]);
        return toolTipOf(m_table.rows[index.row()][index.column()]);
    case kToneRole:
        return int(index.column() == 0 ? Tone::Muted : Tone::Plain);
    default:
        return {};
    }
}

QVariant TextTableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole || section < 0 || section >= columnCount())
        return {};
    return m_table.columns[section];
}

} // namespace trainyard
