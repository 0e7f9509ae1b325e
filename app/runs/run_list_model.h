#pragma once

#include <QAbstractTableModel>
#include <QHash>
#include <QList>
#include <QSortFilterProxyModel>
#include <QStringList>

#include "app/runs/run_database.h"
#include "app/runs/run_display_state.h"
#include "app/runs/run_query.h"

namespace trainyard {

class RunDatabase;

/// The history, newest first: one row per run; columns for tables, roles for delegates.
class RunListModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { State, Name, Hosts, Ranks, Step, Loss, HeldOut, Throughput, Age, Tags, ColumnCount };
    enum Role {
        EntryRole = Qt::UserRole, ///< the whole RunEntry
        DisplayStateRole,         ///< RunDisplayState as int
        SortRole,                 ///< the raw value of the column
        AlertRole,                ///< current alert in a word or two; empty = none
    };

    /// The history must outlive the model.
    explicit RunListModel(const RunDatabase& history, QObject* parent = nullptr);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

    const RunEntry& entryAt(int row) const { return m_rows[row]; }
    QModelIndex indexOf(const QString& runId) const;
    /// Sets the state that the journal alone does not show: stalled, link lost. Cleared when the run is over.
    void setDisplayState(const QString& runId, RunDisplayState state);
    /// Sets the text of AlertRole.
    void setAlert(const QString& runId, const QString& words);
    /// Sets the time for ages; call it every few seconds.
    void setNow(qint64 nowMs);

private:
    QString text(const RunEntry& entry, int column) const;
    QVariant sortValue(const RunEntry& entry, int column) const;
    RunDisplayState displayStateAt(int row) const;
    QString spokenText(int row) const;
    QString toolTip(int row) const;
    void onAdded(int row);
    void onChanged(int row);
    void onRemoved(int row);

    const RunDatabase& m_history;
    QList<RunEntry> m_rows;
    QHash<QString, RunDisplayState> m_displayStates;
    QHash<QString, QString> m_alerts;
    qint64 m_nowMs;
};

/// The runs of a RunListModel that match a query, sorted by number instead of text.
class RunFilter : public QSortFilterProxyModel {
    Q_OBJECT

public:
    explicit RunFilter(QObject* parent = nullptr);
    void setSearch(const QString& search);
    const RunQuery& search() const { return m_search; }

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

private:
    RunQuery m_search;
};

/// The runs that match a query, with check boxes for choosing several. A chosen run stays chosen while the
/// query hides it.
class RunPickModel : public RunFilter {
    Q_OBJECT

public:
    using RunFilter::RunFilter;

    /// Returns the chosen runs in the order of choosing.
    const QStringList& chosen() const { return m_chosen; }
    void setChosen(const QStringList& runIds);

    Qt::ItemFlags flags(const QModelIndex& index) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role = Qt::EditRole) override;

signals:
    void chosenChanged();

private:
    QString idAt(const QModelIndex& index) const;

    QStringList m_chosen;
};

} // namespace trainyard

Q_DECLARE_METATYPE(trainyard::RunEntry)
