#include "remote/agent/store/data_store.h"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <fcntl.h>
#include <linux/fs.h>
#include <map>
#include <optional>
#include <sys/ioctl.h>
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
    // Another client may be removing it: no function that throws.
    std::error_code gone;
    for (fs::recursive_directory_iterator at(folder, gone), end; !gone && at != end; at.increment(gone)) {
        struct stat file {};
        if (::lstat(at->path().c_str(), &file) != 0 || !S_ISREG(file.st_mode))
            continue;
        ++set.files;
        set.bytes += static_cast<std::uint64_t>(file.st_size);
    }
    struct stat info {};
    if (::stat(folder.c_str(), &info) == 0)
        set.age = std::chrono::seconds(std::max<std::int64_t>(0, ::time(nullptr) - info.st_mtim.tv_sec));
    return set;
}

using Inode = std::pair<dev_t, ino_t>;

std::optional<struct stat> infoOf(const fs::path& path)
{
    struct stat info {};
    return ::lstat(path.c_str(), &info) == 0 ? std::optional(info) : std::nullopt;
}

/// How many names each file has in the folder.
std::map<Inode, nlink_t> namesIn(const fs::path& folder, const std::vector<DataSetFile>& files)
{
    std::map<Inode, nlink_t> names;
    for (const DataSetFile& file : files) {
        if (const auto info = infoOf(folder / file.path))
            ++names[{info->st_dev, info->st_ino}];
    }
    return names;
}

/// Bytes freed; a blob that a bundle or another data set has too is kept.
std::uint64_t removeUnused(const fs::path& blob, const std::map<Inode, nlink_t>& doomed)
{
    const auto info = infoOf(blob);
    if (!info)
        return 0;
    const auto here = doomed.find({info->st_dev, info->st_ino});
    const nlink_t elsewhere = info->st_nlink - 1 - (here == doomed.end() ? 0 : here->second);
    return elsewhere == 0 && ::unlink(blob.c_str()) == 0 ? static_cast<std::uint64_t>(info->st_size) : 0;
}

/// Two files share their blocks where the file system can: then a copy takes neither time nor space.
bool shareBlocks(const fs::path& from, const fs::path& to)
{
    const FileDescriptor source(::open(from.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    const FileDescriptor target(::open(to.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    return source.valid() && target.valid() && ::ioctl(target.get(), FICLONE, source.get()) == 0;
}

Status copyFile(const fs::path& from, const fs::path& to)
{
    if (shareBlocks(from, to))
        return {};
    std::error_code error;
    fs::copy_file(from, to, fs::copy_options::overwrite_existing, error);
    return error ? failed("cannot copy " + from.string() + ": " + error.message()) : Status();
}

/// Under its name only when it is whole.
Status copyBlob(const fs::path& from, const fs::path& blob, const std::string& sha256)
{
    return publishAtomically(blob, [&](const fs::path& temporary) -> Status {
        TRAINYARD_TRY_STATUS(copyFile(from, temporary));
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

Status DataStore::adopt(const fs::path& file, const std::string& sha256) const
{
    if (m_blobs.verifyOrRemove(sha256))
        return {};
    TRAINYARD_TRY_STATUS(m_blobs.makeFolderFor(sha256));
    return copyBlob(file, m_blobs.blob(sha256), sha256);
}

/// A client that names too few must not publish a part under the name of the whole.
Status DataStore::checkComplete(const std::string& id, const std::vector<BundleFile>& files) const
{
    if (!m_blobs.verifyOrRemove(id))
        return {}; // placeFiles() says so
    TRAINYARD_TRY(const std::string manifest, readFile(m_blobs.blob(id)));
    TRAINYARD_TRY(const std::vector<DataSetFile> named, filesNamedIn(manifest, kManifest));
    for (const DataSetFile& file : named) {
        const auto found = std::ranges::find(files, file.path, &BundleFile::path);
        if (found == files.end() || (!file.sha256.empty() && found->sha256 != file.sha256))
            return badInput("the list \"files\" does not have " + file.path.substr(0, 100) +
                            " as the manifest names it");
    }
    return {};
}

Result<bool> DataStore::assemble(const std::string& name, const std::string& id,
                                 const std::vector<BundleFile>& files) const
{
    TRAINYARD_TRY_STATUS(checkName(name, id, files));
    TRAINYARD_TRY([[maybe_unused]] const std::string text, canonicalManifest(files));
    TRAINYARD_TRY_STATUS(checkComplete(id, files));
    TRAINYARD_TRY(const bool created, placeFiles(m_blobs, folder(name), files));
    (void)finishRemovals(); // only now: blobs of this data set have a name more and stay
    return created;
}

std::vector<StoredDataSet> DataStore::list() const
{
    std::vector<StoredDataSet> sets;
    std::error_code gone, ignored;
    for (fs::directory_iterator at(m_folder, gone), end; !gone && at != end; at.increment(gone)) {
        if (!at->path().filename().string().starts_with('.') && fs::exists(at->path() / kManifest, ignored))
            sets.push_back(describe(at->path()));
    }
    std::ranges::sort(sets, {}, &StoredDataSet::name);
    return sets;
}

Result<std::uint64_t> DataStore::remove(const std::string& name) const
{
    const fs::path hidden = m_folder / fmt::format(".{}{}{}", name, kRemoved, ::getpid());
    if (::rename(folder(name).c_str(), hidden.c_str()) != 0 && errno != ENOENT)
        return systemError(ErrorKind::Failed, "cannot remove " + folder(name).string(), errno);
    return finishRemovals();
}

/// Also what a killed agent was removing.
Result<std::uint64_t> DataStore::finishRemovals() const
{
    std::vector<fs::path> hidden;
    std::error_code gone;
    for (fs::directory_iterator at(m_folder, gone), end; !gone && at != end; at.increment(gone)) {
        const std::string name = at->path().filename().string();
        if (name.starts_with('.') && name.find(kRemoved) != std::string::npos)
            hidden.push_back(at->path());
    }
    std::uint64_t freed = 0;
    for (const fs::path& folder : hidden) {
        TRAINYARD_TRY(const std::uint64_t bytes, finishRemoval(folder));
        freed += bytes;
    }
    return freed;
}

/// The blobs go first: as long as the folder is whole, it says which they are.
Result<std::uint64_t> DataStore::finishRemoval(const fs::path& hidden) const
{
    std::uint64_t freed = 0;
    if (const auto content = readDataSetContent(hidden); content.ok()) {
        const auto doomed = namesIn(hidden, content->files);
        for (const DataSetFile& file : content->files)
            freed += removeUnused(m_blobs.blob(file.sha256), doomed);
    }
    std::error_code error;
    fs::remove_all(hidden, error);
    if (error)
        return failed("cannot remove all of " + hidden.string() + ": " + error.message());
    return freed;
}

} // namespace trainyard::agent
