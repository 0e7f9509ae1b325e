#include "engine/base/sync_tree.h"

#include "engine/base/file.h"

namespace trainyard {

namespace fs = std::filesystem;

Status syncTree(const fs::path& path)
{
    std::error_code error;
    if (fs::is_directory(fs::symlink_status(path, error))) {
        for (const auto& entry : fs::directory_iterator(path, error))
            TRAINYARD_TRY_STATUS(syncTree(entry.path()));
    }
    return syncPath(path);
}

} // namespace trainyard
