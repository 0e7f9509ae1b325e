#include "app/monitor/model/pinned_values.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/base/csv_text.h"

namespace trainyard {

namespace {
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
}

void PinnedValues::pin(double position, const QString& positionText, const QList<PinnedValue>& values)
{
    addSeries(values);
    Row row{position, positionText, QList<double>(m_content.series.size(), kNaN)};
    for (const PinnedValue& value : values) {
        for (qsizetype i = 0; i < m_content.series.size(); ++i) {
            if (m_content.series[i].name == value.series)
                row.values[i] = value.value;
        }
    }
    const auto known = std::find_if(m_content.rows.begin(), m_content.rows.end(),
                                    [position](const Row& other) { return other.position == position; });
    if (known != m_content.rows.end()) {
        *known = row;
        const int at = int(known - m_content.rows.begin());
        emit dataChanged(index(at, 0), index(at, columnCount() - 1));
        return;
    }
    beginInsertRows({}, rowCount(), rowCount());
    m_content.rows.append(row);
    endInsertRows();
}

void PinnedValues::addSeries(const QList<PinnedValue>& values)
{
    for (const PinnedValue& value : values) {
        const bool known = std::any_of(m_content.series.begin(), m_content.series.end(),
                                       [&](const Series& series) { return series.name == value.series; });
        if (known)
            continue;
        beginInsertColumns({}, columnCount(), columnCount());
        m_content.series.append({value.series, value.quantity});
        for (Row& row : m_content.rows)
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
        m_content.rows.removeAt(row);
        endRemoveRows();
    }
}

void PinnedValues::setContent(const Content& content)
{
    beginResetModel();
    m_content = content;
    endResetModel();
}

QString PinnedValues::toCsv() const
{
    QStringList titles{csvField(m_content.positionTitle)};
    for (const Series& series : m_content.series)
        titles.append(csvField(series.name));
    QString text = titles.join(QLatin1Char(',')) + QLatin1Char('\n');
    for (const Row& row : m_content.rows) {
        text += csvNumber(row.position);
        for (const double value : row.values)
            text += QLatin1Char(',') + csvNumber(value);
        text += QLatin1Char('\n');
    }
    return text;
}

int PinnedValues::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_content.rows.size());
}

int PinnedValues::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_content.series.size()) + 1;
}

QVariant PinnedValues::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const Row& row = m_content.rows[index.row()];
    const bool isPosition = index.column() == 0;
    const double value = isPosition ? row.position : row.values[index.column() - 1];
    switch (role) {
    case Qt::DisplayRole:
        return isPosition ? row.text : figureText(value, m_content.series[index.column() - 1].quantity);
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
    return section == 0 ? m_content.positionTitle : m_content.series[section - 1].name;
}

} // namespace trainyard
