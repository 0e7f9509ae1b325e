#pragma once

#include <filesystem>
#include <vector>

#include <QAbstractListModel>

#include "app/data/model/data_set_entry.h"
#include "engine/base/result.h"

namespace trainyard {

/// The known data sets, newest first. GUI thread.
class DataSetListModel : public QAbstractListModel {
    Q_OBJECT
public:
    static constexpr int kEntryRole = Qt::UserRole; ///< DataSetEntry

    using QAbstractListModel::QAbstractListModel;

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;

    const DataSetEntry& at(int row) const { return m_entries[static_cast<std::size_t>(row)]; }
    /// Returns -1 if there is no such entry.
    int rowOf(const QString& host, const QString& folder) const;

    /// Inserts an entry in front (or at `row`, for undo), or replaces the one with the same host and folder.
    void put(const DataSetEntry& entry, int row = 0);
    /// Removes an entry from the list, not its folder. Requires a valid row.
    DataSetEntry remove(int row);
    void setCheck(const QString& host, const QString& folder, DataSetEntry::Check check,
                  const QString& problem = {});

    /// A missing file is an empty list; a damaged one leaves the list unchanged (see desk_file.h).
    Status load(const std::filesystem::path& file);
    Status save(const std::filesystem::path& file) const;

signals:
    /// The list changed and should be saved.
    void entriesChanged();

private:
    std::vector<DataSetEntry> m_entries;
};

} // namespace trainyard

Q_DECLARE_METATYPE(trainyard::DataSetEntry)
