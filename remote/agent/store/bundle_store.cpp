#include "remote/agent/store/bundle_store.h"

#include <algorithm>
#include <fcntl.h>
#include <sys/stat.h>

#include "remote/agent/store/placed_files.h"

namespace trainyard::agent {

namespace fs = std::filesystem;

Result<bool> BundleStore::assemble(const std::string& id, const std::vector<BundleFile>& files) const
{
    TRAINYARD_TRY(const std::string computed, bundleId(files));
    if (computed != id)
        return badInput("the bundle's id " + id.substr(0, 12) + " does not match its files, " +
                        computed.substr(0, 12));
    TRAINYARD_TRY(const bool created, placeFiles(m_blobs, folder(id), files));
    ::utimensat(AT_FDCWD, folder(id).c_str(), nullptr, 0); // when it was last needed, for the clean-up
    return created;
}

bool BundleStore::has(const std::string& id) const
{
    std::error_code ignored;
    return isSha256(id) && fs::is_directory(folder(id), ignored);
}

std::vector<std::string> BundleStore::ids() const
{
    std::vector<std::string> ids;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(m_folder, ignored)) {
        if (const std::string name = entry.path().filename().string(); isSha256(name))
            ids.push_back(name);
    }
    std::sort(ids.begin(), ids.end());
    return ids;
}

} // namespace trainyard::agent
