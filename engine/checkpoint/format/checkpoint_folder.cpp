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
    static const std::regex pattern("\\.step-[0-9]{9,}(\\.[0-9]+)?\\.partial");
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

/// First it gets the name of what is not read: where this is interrupted, half a checkpoint is left for
/// removeInterrupted() and none that looks damaged.
Status removeCheckpoint(const fs::path& checkpoints, const CheckpointName& name)
{
    const fs::path folder = checkpoints / name.text();
    const fs::path leaving = checkpoints / fmt::format(".{}.partial", name.text());
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
    std::error_code error;
    fs::remove_all(staged, error);
    return syncPath(existing.parent_path());
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

Status removeInterrupted(const fs::path& checkpoints)
{
    TRAINYARD_TRY(const auto folders, foldersNamed(checkpoints, interruptedName()));
    for (const fs::path& folder : folders)
        TRAINYARD_TRY_STATUS(removeFolder(folder));
    return {};
}

Status removeOutdated(const fs::path& checkpoints, const KeptCheckpoints& kept)
{
    if (kept.last == 0)
        return {};
    TRAINYARD_TRY(const CheckpointListing listing, CheckpointListing::read(checkpoints));
    int complete = 0;
    for (const CheckpointName& name : listing.names) {
        if (!name.isPresent() || examineIndex(checkpoints / name.text()).state != CheckpointState::Complete)
            continue;
        const bool isForGood = kept.every > 0 && name.step.value % kept.every == 0;
        if (++complete > kept.last && !isForGood && name.text() != listing.latest &&
            name.text() != listing.best)
            TRAINYARD_TRY_STATUS(removeCheckpoint(checkpoints, name));
    }
    return {};
}

Status removeUnlisted(const fs::path& checkpoints, const std::vector<std::string>& listed)
{
    TRAINYARD_TRY(const CheckpointListing listing, CheckpointListing::read(checkpoints));
    for (const CheckpointName& name : listing.names) {
        if (name.isPresent() && std::ranges::find(listed, name.text()) == listed.end())
            TRAINYARD_TRY_STATUS(removeCheckpoint(checkpoints, name));
    }
    return {};
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
