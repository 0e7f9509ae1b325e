#pragma once

#include <QAbstractTableModel>
#include <QList>
#include <QStringList>

#include "app/series/axis.h"

namespace trainyard {

/// A value at a pinned position.
struct PinnedValue {
    QString series; ///< names the column
    Quantity quantity = Quantity::Number;
    double value = 0;
};

/// The values pinned in the charts: a row for each position, a column for each series. Sorts by number
/// through kSortRole.
class PinnedValues : public QAbstractTableModel {
    Q_OBJECT

public:
    static constexpr int kSortRole = Qt::UserRole + 1;

    struct Row {
        double position;
        QString text;
        QList<double> values; ///< by series; NaN = no value there
    };
    struct Series {
        QString name;
        Quantity quantity;
    };
    struct Content {
        QString positionTitle = QStringLiteral("step"); ///< unit of the first column
        QList<Series> series;
        QList<Row> rows;
    };

    using QAbstractTableModel::QAbstractTableModel;

    const Content& content() const { return m_content; }
    void setContent(const Content& content);

    /// Replaces the values of a position that is already pinned.
    void pin(double position, const QString& positionText, const QList<PinnedValue>& values);
    void remove(const QList<int>& rows);
    /// Returns all rows in full precision with a header line.
    QString toCsv() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    void addSeries(const QList<PinnedValue>& values);

    Content m_content;
};

} // namespace trainyard
