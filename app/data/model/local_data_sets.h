#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include <QDateTime>
#include <QString>

#include "app/data/model/data_set_entry.h"

namespace trainyard {

/// Data sets in folders of this machine, whether they are listed or not. Reads a manifest when it is first
/// asked for, and again after the file has changed. GUI thread.
class LocalDataSets {
public:
    /// Null if the folder has no readable manifest. Valid until the folder's manifest changes.
    const DataSetEntry* find(const QString& folder);

private:
    struct Manifest {
        QDateTime changed;
        std::int64_t bytes = 0;
        std::optional<DataSetEntry> entry; ///< nullopt: it cannot be read
    };
    std::map<QString, Manifest> m_manifests; ///< by folder
};

} // namespace trainyard
