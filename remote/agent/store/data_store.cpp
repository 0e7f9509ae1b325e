#include "remote/agent/store/data_store.h"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "engine/base/file.h"
#include "engine/base/hash.h"
#include "remote/agent/store/placed_files.h"
#include "remote/wire/data_set_content.h"

namespace trainyard::agent {

namespace fs = std::filesystem;

namespace {

constexpr const char* kManifest = "manifest.json";
constexpr const char* kRemoved = ".removed-"; // in the hidden name of a data set that is being removed

Status checkName(const std::string& name, const std::string& id, const std::vector<BundleFile>& files)
{
    const std::string end = dataSetFolderName({}, id).substr(std::string_view("data").size());
    if (!isPlainName(name) || name.starts_with('.') || !name.ends_with(end))
        return badInput("\"" + name.substr(0, 100) + "\" is not the name of a data set's folder");
    const auto manifest = std::ranges::find(files, kManifest, &BundleFile::path);
    if (manifest == files.end() || manifest->sha256 != id)
        return badInput("the data set's id " + id.substr(0, 12) + " is not the hash of its manifest");
    return {};
}

StoredDataSet describe(const fs::path& folder)
{
    StoredDataSet set;
    set.name = folder.filename().string();
    if (const auto id = sha256OfFile(folder / kManifest); id.ok())
        set.id = *id;
    std::error_code ignored;
    for (const auto& entry : fs::recursive_directory_iterator(folder, ignored)) {
        if (!entry.is_regular_file(ignored))
            continue;
        ++set.files;
        set.bytes += entry.file_size(ignored);
    }
    struct stat info {};
    if (::stat(folder.c_str(), &info) == 0)
        set.age = std::chrono::seconds(std::max<std::int64_t>(0, ::time(nullptr) - info.st_mtim.tv_sec));
    return set;
}

std::vector<std::string> hashesIn(const fs::path& folder)
{
    std::vector<std::string> hashes;
    if (const auto content = readDataSetContent(folder); content.ok())
        for (const DataSetFile& file : content->files)
            hashes.push_back(file.sha256);
    return hashes;
}

/// Bytes freed; a blob that a bundle or another data set has too is kept.
std::uint64_t removeUnused(const fs::path& blob)
{
    struct stat info {};
    if (::lstat(blob.c_str(), &info) != 0 || info.st_nlink != 1 || ::unlink(blob.c_str()) != 0)
        return 0;
    return static_cast<std::uint64_t>(info.st_size);
}

/// The kernel shares the blocks where the file system can. Under its name only when it is whole.
Status copyBlob(const fs::path& from, const fs::path& blob, const std::string& sha256)
{
    return publishAtomically(blob, [&](const fs::path& temporary) -> Status {
        std::error_code error;
        fs::copy_file(from, temporary, error);
        if (error)
            return failed("cannot copy " + from.string() + ": " + error.message());
        TRAINYARD_TRY(const std::string found, sha256OfFile(temporary));
        if (found != sha256)
            return failed(from.string() + " is damaged: its hash is not the one in the manifest",
                          "`trainyard verify` checks the whole data set");
        ::chmod(temporary.c_str(), 0444);
        seal(temporary);
        return {};
    });
}

} // namespace

Status DataStore::adopt(const fs::path& folder) const
{
    TRAINYARD_TRY(const DataSetContent content, readDataSetContent(folder));
    for (const DataSetFile& file : content.files) {
        if (m_blobs.verifyOrRemove(file.sha256))
            continue;
        TRAINYARD_TRY_STATUS(m_blobs.makeFolderFor(file.sha256));
        TRAINYARD_TRY_STATUS(copyBlob(folder / file.path, m_blobs.blob(file.sha256), file.sha256));
    }
    return {};
}

Result<bool> DataStore::assemble(const std::string& name, const std::string& id,
                                 const std::vector<BundleFile>& files) const
{
    TRAINYARD_TRY_STATUS(checkName(name, id, files));
    TRAINYARD_TRY([[maybe_unused]] const std::string text, canonicalManifest(files));
    clearRemoved();
    return placeFiles(m_blobs, folder(name), files);
}

std::vector<StoredDataSet> DataStore::list() const
{
    std::vector<StoredDataSet> sets;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(m_folder, ignored)) {
        if (!entry.path().filename().string().starts_with('.') &&
            fs::exists(entry.path() / kManifest, ignored))
            sets.push_back(describe(entry.path()));
    }
    std::ranges::sort(sets, {}, &StoredDataSet::name);
    return sets;
}

Result<std::uint64_t> DataStore::remove(const std::string& name) const
{
    clearRemoved();
    const fs::path target = folder(name);
    std::error_code error;
    if (!fs::exists(target, error))
        return std::uint64_t{0};
    const std::vector<std::string> hashes = hashesIn(target);
    const fs::path doomed = m_folder / fmt::format(".{}{}{}", name, kRemoved, ::getpid());
    if (::rename(target.c_str(), doomed.c_str()) != 0)
        return systemError(ErrorKind::Failed, "cannot remove " + target.string(), errno);
    fs::remove_all(doomed, error);
    if (error)
        return failed("cannot remove all of " + doomed.string() + ": " + error.message());
    std::uint64_t freed = 0;
    for (const std::string& hash : hashes)
        freed += removeUnused(m_blobs.blob(hash));
    return freed;
}

/// What a killed agent was removing.
void DataStore::clearRemoved() const
{
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(m_folder, ignored)) {
        const std::string name = entry.path().filename().string();
        if (name.starts_with('.') && name.find(kRemoved) != std::string::npos)
            fs::remove_all(entry.path(), ignored);
    }
}

} // namespace trainyard::agent
