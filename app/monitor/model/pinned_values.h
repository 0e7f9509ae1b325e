#pragma once

#include <QAbstractTableModel>
#include <QList>
#include <QStringList>

#include "app/series/axis_ticks.h"

namespace trainyard {

/// A figure at a pinned position.
struct PinnedValue {
    QString series; ///< names the column
    Quantity quantity = Quantity::Number;
    double value = 0;
};

/// Values that were pinned while looking at charts: a row for each position, a column for each series. Sorted
/// by numbers through kSortRole.
class PinnedValues : public QAbstractTableModel {
    Q_OBJECT

public:
    static constexpr int kSortRole = Qt::UserRole + 1;

    struct Row {
        double position;
        QString text;
        QList<double> values; ///< of each series; NaN where it was not there
    };
    struct Series {
        QString name;
        Quantity quantity;
    };
    struct Content {
        QString positionTitle = QStringLiteral("step"); ///< what the first column counts
        QList<Series> series;
        QList<Row> rows;
    };

    using QAbstractTableModel::QAbstractTableModel;

    const Content& content() const { return m_content; }
    void setContent(const Content& content);

    /// A position that is pinned already gets the new values.
    void pin(double position, const QString& positionText, const QList<PinnedValue>& values);
    void remove(const QList<int>& rows);
    /// Full precision, with a line of titles.
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
