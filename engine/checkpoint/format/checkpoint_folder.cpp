#include "engine/checkpoint/format/checkpoint_folder.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <regex>
#include <vector>

#include <fmt/format.h>

#include "engine/base/file.h"
#include "engine/checkpoint/format/checkpoint_health.h"
#include "engine/checkpoint/format/checkpoint_listing.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

const std::regex& interruptedName()
{
    static const std::regex pattern("\\.step-[0-9]{9,}((\\.[0-9]+)?\\.partial|\\.leaving)");
    return pattern;
}

Result<std::vector<fs::path>> foldersNamed(const fs::path& checkpoints, const std::regex& pattern)
{
    std::vector<fs::path> found;
    std::error_code error;
    for (fs::directory_iterator entry(checkpoints, error), end; !error && entry != end;
         entry.increment(error)) {
        if (std::regex_match(entry->path().filename().string(), pattern))
            found.push_back(entry->path());
    }
    if (error)
        return failed("cannot list " + checkpoints.string() + ": " + error.message());
    return found;
}

Status removeFolder(const fs::path& folder)
{
    std::error_code error;
    fs::remove_all(folder, error);
    if (error)
        return failed("cannot remove " + folder.string() + ": " + error.message());
    return {};
}

/// What is being removed has a name that is not read, and that is not the one of a complete checkpoint that
/// awaits its publication.
fs::path leavingName(const fs::path& checkpoint)
{
    return checkpoint.parent_path() / fmt::format(".{}.leaving", checkpoint.filename().string());
}

/// Where this is interrupted, half a checkpoint is left for removeInterrupted() and none that looks damaged.
/// `folder` is where the one named `checkpoint` is now.
Status removeCheckpoint(const fs::path& folder, const fs::path& checkpoint)
{
    const fs::path leaving = leavingName(checkpoint);
    TRAINYARD_TRY_STATUS(removeFolder(leaving));
    if (::rename(folder.c_str(), leaving.c_str()) != 0)
        return systemError(ErrorKind::Failed, "cannot remove " + folder.string(), errno);
    return removeFolder(leaving);
}

// A checkpoint of this step is there already, from before a crash or a resume: trade places in one instant.
Status replaceFolder(const fs::path& staged, const fs::path& existing)
{
    if (::renameat2(AT_FDCWD, staged.c_str(), AT_FDCWD, existing.c_str(), RENAME_EXCHANGE) != 0) {
        Error error = systemError(ErrorKind::Failed, "cannot replace " + existing.string(), errno);
        error.hint = "remove that checkpoint, or write to another folder";
        return error;
    }
    TRAINYARD_TRY_STATUS(syncPath(existing.parent_path()));
    (void)removeCheckpoint(staged, existing); // the next checkpoint tries again
    return {};
}

} // namespace

std::string checkpointFolderName(Step step)
{
    return CheckpointName{step}.text();
}

Status publishFolder(const fs::path& staged, const fs::path& final)
{
    // The files were synced by their writers; this makes their names last. Only then may the folder get the
    // name that says that it is complete.
    TRAINYARD_TRY_STATUS(syncPath(staged));
    if (fs::exists(final))
        return replaceFolder(staged, final);
    if (::rename(staged.c_str(), final.c_str()) != 0)
        return systemError(ErrorKind::Failed, "cannot publish " + final.string(), errno);
    return syncPath(final.parent_path());
}

Status removeInterrupted(const fs::path& checkpoints, const fs::path& spared)
{
    TRAINYARD_TRY(const auto folders, foldersNamed(checkpoints, interruptedName()));
    for (const fs::path& folder : folders) {
        if (folder != spared)
            TRAINYARD_TRY_STATUS(removeFolder(folder));
    }
    return {};
}

Status removeFetchedShards(const fs::path& checkpoints)
{
    std::error_code ignored;
    if (!fs::exists(checkpoints, ignored))
        return {};
    static const std::regex pattern("\\.step-[0-9]{9,}\\.[0-9]+\\.partial");
    TRAINYARD_TRY(const auto folders, foldersNamed(checkpoints, pattern));
    for (const fs::path& folder : folders)
        TRAINYARD_TRY_STATUS(removeFolder(folder));
    return {};
}

Result<std::vector<CheckpointName>> keptNames(const fs::path& checkpoints, const KeptCheckpoints& kept,
                                              const std::function<bool(const CheckpointName&)>& isComplete)
{
    TRAINYARD_TRY(const CheckpointListing listing, CheckpointListing::read(checkpoints));
    std::vector<CheckpointName> names;
    int complete = 0;
    for (const CheckpointName& name : listing.names) {
        const bool counts = kept.last > 0 && name.isPresent() && isComplete(name);
        const bool isForGood = kept.every > 0 && name.step.value % kept.every == 0;
        const bool isOutdated = counts && ++complete > kept.last && !isForGood;
        if (!isOutdated || name.text() == listing.latest || name.text() == listing.best)
            names.push_back(name);
    }
    return names;
}

Status removeUnlisted(const fs::path& checkpoints, const std::vector<CheckpointName>& listed,
                      const Fence& fence)
{
    std::int64_t newest = -1;
    for (const CheckpointName& name : listed) {
        if (name.isPresent())
            newest = std::max(newest, name.step.value);
    }
    TRAINYARD_TRY(const CheckpointListing listing, CheckpointListing::read(checkpoints));
    for (const CheckpointName& name : listing.names) {
        // Newer ones are of an attempt that has begun since, or of a host that has been away.
        if (!name.isPresent() || name.step.value > newest || std::ranges::find(listed, name) != listed.end())
            continue;
        TRAINYARD_TRY_STATUS(fence.check());
        TRAINYARD_TRY_STATUS(removeCheckpoint(checkpoints / name.text(), checkpoints / name.text()));
    }
    return {};
}

Status removeOutdated(const fs::path& checkpoints, const KeptCheckpoints& kept, const Fence& fence)
{
    TRAINYARD_TRY(const auto names, keptNames(checkpoints, kept, [&checkpoints](const CheckpointName& name) {
                      return examineIndex(checkpoints / name.text()).state == CheckpointState::Complete;
                  }));
    return removeUnlisted(checkpoints, names, fence);
}

Status beginPublication(const fs::path& checkpoints)
{
    TRAINYARD_TRY(const CheckpointListing listing, CheckpointListing::read(checkpoints));
    LineRecord record = listing.record;
    record.latest = listing.latest;
    return record == listing.record ? Status() : record.save(checkpoints);
}

Status markAsBest(const fs::path& checkpoints, const std::string& name)
{
    return writeFileAtomically(checkpoints / kBestName, name + "\n");
}

Status finishPublication(const fs::path& checkpoints, const std::string& name)
{
    TRAINYARD_TRY_STATUS(writeFileAtomically(checkpoints / kLatestName, name + "\n"));
    TRAINYARD_TRY(LineRecord record, LineRecord::load(checkpoints));
    record.latest = name;
    return record.save(checkpoints);
}

} // namespace trainyard
