#pragma once

#include <vector>

#include <QAbstractTableModel>

#include "app/hosts/model/host_entry.h"

namespace trainyard {

/// The user's machines as a table; row 0 is always this machine. GUI thread.
class HostListModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Name, Address, State, Devices, FreeMemory, Engine, ColumnCount };

    explicit HostListModel(QObject* parent = nullptr);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    const HostEntry& at(int row) const { return m_hosts[static_cast<std::size_t>(row)]; }
    /// Returns -1 if no host has that name.
    int rowOf(const QString& name) const;
    QStringList names() const;

    /// Appends a host, or inserts it at `row` (for undo). BadInput for an empty, unusable or duplicate name.
    Status add(const HostEntry& host, int row = -1);
    /// Removes and returns an entry (for undo). Refused for this machine.
    Result<HostEntry> remove(const QString& name);

    void setState(const QString& name, HostState state, const QString& activity = {});
    void setReport(const QString& name, const HostReport& report);
    void setAddress(const QString& name, const QString& address);
    void setEngine(const QString& name, const QString& engine);

signals:
    /// The set of names changed and should be saved.
    void membersChanged();

private:
    template <typename Change>
    void change(const QString& name, Change apply);
    QVariant text(const HostEntry& host, int column) const;
    QVariant toolTip(const HostEntry& host, int column) const;

    std::vector<HostEntry> m_hosts;
};

/// Checks a name against the rules for an ssh destination, as the specification's validation does.
Status checkHostName(const QString& name);

} // namespace trainyard
