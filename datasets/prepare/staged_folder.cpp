#include "datasets/prepare/staged_folder.h"

#include <cerrno>
#include <cstdio>
#include <sys/stat.h>
#include <utility>

#include "engine/base/file.h"
#include "engine/base/locked_folder.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

constexpr const char* kBetterPlace = "choose a folder with free space and write permission";
constexpr const char* kJob = "job";

fs::path nearestFolder(fs::path path)
{
    std::error_code ignored;
    while (!fs::exists(path, ignored) && path.has_relative_path())
        path = path.parent_path();
    return path;
}

Status makeFolders(const fs::path& folder)
{
    std::error_code error;
    fs::create_directories(folder, error);
    if (!error)
        return {};
    const bool full = error == std::errc::no_space_on_device;
    return Error{full ? ErrorKind::Failed : ErrorKind::BadInput,
                 "cannot create the folder " + folder.string() + ": " + error.message(), kBetterPlace};
}

/// A mount point cannot be replaced by another folder.
bool isMountPoint(const fs::path& path)
{
    struct stat itself {};
    struct stat parent {};
    return ::stat(path.c_str(), &itself) == 0 && ::stat(path.parent_path().c_str(), &parent) == 0 &&
           itself.st_dev != parent.st_dev;
}

} // namespace

StagedFolder::StagedFolder(fs::path path, fs::path oldParent)
    : m_path(std::move(path))
    , m_staging(m_path.parent_path() / ("." + m_path.filename().string() + ".part"))
    , m_oldParent(std::move(oldParent))
{
}

StagedFolder::StagedFolder(StagedFolder&& other) noexcept
    : m_path(other.m_path)
    , m_staging(other.m_staging)
    , m_oldParent(other.m_oldParent)
    , m_lock(std::exchange(other.m_lock, std::nullopt))
    , m_resumed(other.m_resumed)
    , m_cleared(other.m_cleared)
    , m_kept(other.m_kept)
{
}

Result<StagedFolder> StagedFolder::create(const fs::path& path, std::string_view job)
{
    if (isMountPoint(path))
        return badInput(path.string() + " is the root of a file system", "choose a folder in it");
    StagedFolder folder(path, nearestFolder(path.parent_path()));
    if (const Status taken = folder.takeStaging(); !taken.ok()) {
        folder.removeEmptyFolders();
        return taken.error();
    }
    TRAINYARD_TRY_STATUS(folder.takeUp(job));
    return folder;
}

bool StagedFolder::finishPublished(const fs::path& path, std::string_view job)
{
    StagedFolder folder(path, path.parent_path());
    std::error_code ignored;
    const auto note = readFile(folder.m_staging / kJob);
    const bool published = note.ok() && *note == job && fs::exists(path, ignored) &&
                           !fs::is_empty(path, ignored) && !fs::exists(folder.content(), ignored);
    // If it was killed after removing the note, its job is unknown.
    const bool isLeftover = !note.ok() && fs::exists(path, ignored) &&
                            fs::is_directory(folder.m_staging, ignored) &&
                            folderEntries(folder.m_staging).empty();
    return (published || isLeftover) && folder.takeStaging().ok() && published; // the destructor removes it
}

Status StagedFolder::takeStaging()
{
    TRAINYARD_TRY_STATUS(makeFolders(m_staging));
    auto lock = lockFolder(m_staging);
    if (!lock.ok())
        return Error{lock.error().kind, lock.error().message, kBetterPlace};
    m_lock = std::move(lock).value();
    if (!m_lock)
        return refused("another process is currently writing " + m_path.string() + "",
                       "wait for it, stop it, or choose another folder");
    return {};
}

/// The file with the job's text exists only while content and scratch belong to that job.
Status StagedFolder::takeUp(std::string_view job)
{
    const fs::path note = m_staging / kJob;
    const auto earlier = readFile(note);
    std::error_code ignored;
    m_resumed = !job.empty() && earlier.ok() && *earlier == job && fs::exists(content(), ignored);
    if (m_resumed)
        return {};
    m_cleared = earlier.ok();
    fs::remove(note, ignored);
    TRAINYARD_TRY_STATUS(makeEmpty());
    return writeFileAtomically(note, job);
}

/// Removes the leftovers of a killed process, except the lock.
Status StagedFolder::makeEmpty() const
{
    for (const fs::path& part : {content(), scratch()}) {
        std::error_code error;
        fs::remove_all(part, error);
        if (error)
            return failed("cannot remove the leftovers of an earlier process in " + part.string() + ": " +
                              error.message(),
                          "remove that folder");
        TRAINYARD_TRY_STATUS(makeFolders(part));
    }
    return {};
}

Status StagedFolder::publish()
{
    TRAINYARD_TRY_STATUS(syncTree(content()));
    if (std::rename(content().c_str(), m_path.c_str()) != 0)
        return systemError(ErrorKind::Failed, "cannot publish " + m_path.string(), errno);
    m_oldParent = m_path.parent_path(); // the parents contain something now
    return syncPath(m_path.parent_path());
}

StagedFolder::~StagedFolder()
{
    if (!m_lock || m_kept)
        return;
    std::error_code ignored;
    for (const fs::path& entry : folderEntries(m_staging)) {
        if (entry.filename() != kJob) // after the rest, so that a later process can finish this
            fs::remove_all(entry, ignored);
    }
    removeLockedFolder(m_staging);
    removeEmptyFolders();
}

void StagedFolder::removeEmptyFolders() const
{
    std::error_code ignored;
    fs::remove(m_staging, ignored);
    for (fs::path parent = m_path.parent_path(); parent != m_oldParent; parent = parent.parent_path()) {
        if (!fs::remove(parent, ignored)) // not empty: somebody else uses it
            return;
    }
}

} // namespace trainyard
