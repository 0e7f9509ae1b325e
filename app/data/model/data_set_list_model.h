#pragma once

#include <filesystem>
#include <vector>

#include <QAbstractListModel>

#include "app/data/model/data_set_entry.h"
#include "engine/base/result.h"

namespace trainyard {

/// The data sets that this desk knows, newest first. GUI thread.
class DataSetListModel : public QAbstractListModel {
    Q_OBJECT
public:
    static constexpr int kEntryRole = Qt::UserRole; ///< DataSetEntry

    using QAbstractListModel::QAbstractListModel;

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;

    const DataSetEntry& at(int row) const { return m_entries[static_cast<std::size_t>(row)]; }
    /// -1 when there is none there.
    int rowOf(const QString& host, const QString& folder) const;

    /// Puts an entry in front (or at `row`, for undo), or in the place of the one with the same host and
    /// folder.
    void put(const DataSetEntry& entry, int row = 0);
    /// Takes it out of the list; the folder itself stays as it is. Requires a valid row.
    DataSetEntry remove(int row);
    void setCheck(const QString& host, const QString& folder, DataSetEntry::Check check,
                  const QString& problem = {});

    /// A missing file is an empty list; of a damaged one, which leaves the list as it is, see desk_file.h.
    Status load(const std::filesystem::path& file);
    Status save(const std::filesystem::path& file) const;

signals:
    /// Worth writing to disk.
    void entriesChanged();

private:
    std::vector<DataSetEntry> m_entries;
};

} // namespace trainyard

Q_DECLARE_METATYPE(trainyard::DataSetEntry)
