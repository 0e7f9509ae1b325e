#include "app/models/pinned_values.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/models/csv_text.h"

namespace trainyard {

namespace {
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
}

void PinnedValues::pin(double position, const QString& positionText, const QList<PinnedValue>& values)
{
    addSeries(values);
    Row row{position, positionText, QList<double>(m_series.size(), kNaN)};
    for (const PinnedValue& value : values) {
        for (qsizetype i = 0; i < m_series.size(); ++i) {
            if (m_series[i].name == value.series)
                row.values[i] = value.value;
        }
    }
    const auto known = std::find_if(m_rows.begin(), m_rows.end(),
                                    [position](const Row& other) { return other.position == position; });
    if (known != m_rows.end()) {
        *known = row;
        const int at = int(known - m_rows.begin());
        emit dataChanged(index(at, 0), index(at, columnCount() - 1));
        return;
    }
    beginInsertRows({}, rowCount(), rowCount());
    m_rows.append(row);
    endInsertRows();
}

void PinnedValues::addSeries(const QList<PinnedValue>& values)
{
    for (const PinnedValue& value : values) {
        const bool known = std::any_of(m_series.begin(), m_series.end(),
                                       [&](const Series& series) { return series.name == value.series; });
        if (known)
            continue;
        beginInsertColumns({}, columnCount(), columnCount());
        m_series.append({value.series, value.quantity});
        for (Row& row : m_rows)
            row.values.append(kNaN);
        endInsertColumns();
    }
}

void PinnedValues::remove(const QList<int>& rows)
{
    QList<int> descending = rows;
    std::sort(descending.begin(), descending.end(), std::greater<>());
    for (const int row : descending) {
        beginRemoveRows({}, row, row);
        m_rows.removeAt(row);
        endRemoveRows();
    }
}

void PinnedValues::clear()
{
    beginResetModel();
    m_rows.clear();
    m_series.clear();
    endResetModel();
}

void PinnedValues::setPositionTitle(const QString& title)
{
    m_positionTitle = title;
    emit headerDataChanged(Qt::Horizontal, 0, 0);
}

QString PinnedValues::toCsv() const
{
    QStringList titles{m_positionTitle};
    for (const Series& series : m_series)
        titles.append(csvField(series.name));
    QString text = titles.join(QLatin1Char(',')) + QLatin1Char('\n');
    for (const Row& row : m_rows) {
        text += csvNumber(row.position);
        for (const double value : row.values)
            text += QLatin1Char(',') + csvNumber(value);
        text += QLatin1Char('\n');
    }
    return text;
}

int PinnedValues::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_rows.size());
}

int PinnedValues::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_series.size()) + 1;
}

QVariant PinnedValues::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const Row& row = m_rows[index.row()];
    const bool isPosition = index.column() == 0;
    const double value = isPosition ? row.position : row.values[index.column() - 1];
    switch (role) {
    case Qt::DisplayRole:
        return isPosition ? row.text : figureText(value, m_series[index.column() - 1].quantity);
    case Qt::ToolTipRole:
        return csvNumber(value);
    case kSortRole: // what is not a number comes last
        return std::isnan(value) ? std::numeric_limits<double>::infinity() : value;
    default:
        return {};
    }
}

QVariant PinnedValues::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole || section < 0 || section >= columnCount())
        return {};
    return section == 0 ? m_positionTitle : m_series[section - 1].name;
}

} // namespace trainyard
