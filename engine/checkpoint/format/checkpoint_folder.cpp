#include "engine/checkpoint/format/checkpoint_folder.h"

#include <cerrno>
#include <cstdio>
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
    static const std::regex pattern("\\.step-[0-9]{9,}\\.partial");
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

} // namespace

std::string checkpointFolderName(Step step)
{
    return CheckpointName{step}.text();
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
