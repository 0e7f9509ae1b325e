#pragma once

#include <QSortFilterProxyModel>

namespace trainyard {

/// The runs that match what was typed; sorts by figures, not by their text.
class RunFilter : public QSortFilterProxyModel {
    Q_OBJECT

public:
    explicit RunFilter(QObject* parent = nullptr);
    void setSearch(const QString& search);

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

private:
    QString m_search;
};

} // namespace trainyard
