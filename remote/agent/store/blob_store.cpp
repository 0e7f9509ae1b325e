#include "remote/agent/store/blob_store.h"

#include "engine/base/file.h"

namespace trainyard::agent {

std::filesystem::path BlobStore::blob(const std::string& sha256) const
{
    return m_folder / sha256.substr(0, 2) / sha256;
}

std::filesystem::path BlobStore::partial(const std::string& sha256) const
{
    return blob(sha256) += ".part";
}

std::filesystem::path BlobStore::sums(const std::string& sha256) const
{
    return blob(sha256) += ".sums";
}

bool BlobStore::has(const std::string& sha256) const
{
    std::error_code ignored;
    return std::filesystem::is_regular_file(std::filesystem::symlink_status(blob(sha256), ignored));
}

Status BlobStore::makeFolderFor(const std::string& sha256) const
{
    return makeFolder(blob(sha256).parent_path());
}

} // namespace trainyard::agent
