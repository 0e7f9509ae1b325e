#pragma once

#include "remote/data/data_content.h"
#include "remote/data/folder_fetch.h"

namespace trainyard {

/// Brings a data set of a host to this computer.
class DataSetFetch : public FolderFetch {
public:
    /// `destination` must not exist.
    DataSetFetch(const DataPlace& from, const std::filesystem::path& destination, TargetPool& targets,
                 QObject* parent = nullptr)
        : FolderFetch({from.host,
                       from.folder,
                       {{"op", "data-files"}, {"folder", from.folder}},
                       {{"op", "read-data"}, {"folder", from.folder}, {"file", ""}},
                       destination},
                      targets, parent)
    {
    }
};

} // namespace trainyard
