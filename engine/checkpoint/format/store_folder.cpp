#include "engine/checkpoint/format/store_folder.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include <fmt/format.h>

#include "engine/base/file.h"
#include "engine/checkpoint/format/checkpoint_folder.h"
#include "engine/checkpoint/format/checkpoint_health.h"
#include "engine/checkpoint/format/manifest.h"
#include "engine/checkpoint/format/prepare_start.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

constexpr const char* kWrongManifestName = "manifest.json.damaged";

/// A person's wish to go back, by the name that the checkpoint has after `renames`; empty: there is none.
std::string wishAfter(const CheckpointListing& listing, const std::vector<LineSwitch::Rename>& renames)
{
    if (!switchAskedFor(listing))
        return {};
    const auto renamed = std::ranges::find_if(
        renames, [&](const LineSwitch::Rename& rename) { return rename.from.text() == listing.latest; });
    return renamed == renames.end() ? listing.latest : renamed->to.text();
}

/// What the folder has of the shards stays: they are compared with the manifest when they are read.
Status replaceManifest(const fs::path& folder, const std::string& manifest)
{
    const fs::path wrong = folder / kManifestName;
    if (::rename(wrong.c_str(), (folder / kWrongManifestName).c_str()) != 0 && errno != ENOENT)
        return systemError(ErrorKind::Failed, "cannot rename " + wrong.string(), errno);
    return writeFileAtomically(wrong, manifest);
}

Status renameAll(const fs::path& checkpoints, const std::vector<LineSwitch::Rename>& renames,
                 const Fence& fence)
{
    std::error_code ignored;
    for (const LineSwitch::Rename& rename : renames) {
        const fs::path from = checkpoints / rename.from.text();
        const fs::path to = checkpoints / rename.to.text();
        if (fs::exists(to, ignored)) // one without a manifest: others have been renamed before
            TRAINYARD_TRY_STATUS(setAside(to, fence));
        if (::rename(from.c_str(), to.c_str()) != 0)
            return systemError(ErrorKind::Failed,
                               fmt::format("cannot rename {} to {}", from.string(), rename.to.text()), errno);
    }
    return syncPath(checkpoints);
}

} // namespace

Status finishPublications(const fs::path& checkpoints, const std::vector<Publication>& publications,
                          const Fence& fence)
{
    for (const Publication& one : publications) {
        TRAINYARD_TRY_STATUS(fence.check());
        TRAINYARD_TRY_STATUS(publishFolder(checkpoints / fmt::format(".{}.partial", one.prepared.text()),
                                           checkpoints / one.name.text()));
    }
    return {};
}

Status keepManifest(const fs::path& checkpoints, const CheckpointName& name, const std::string& manifest,
                    const Fence& fence)
{
    const fs::path folder = checkpoints / name.text();
    TRAINYARD_TRY_STATUS(fence.check());
    TRAINYARD_TRY_STATUS(makeFolder(checkpoints));
    if (std::error_code ignored; fs::exists(folder, ignored)) {
        const auto present = CheckpointManifest::load(folder / kManifestName);
        if (!present.ok() && present.error().kind == ErrorKind::BadInput)
            return replaceManifest(folder, manifest);
        if (examineIndex(folder).state != CheckpointState::Damaged)
            return {};
        TRAINYARD_TRY_STATUS(setAside(folder, fence));
    }
    return publishAtomically(folder, [&manifest](const fs::path& temporary) -> Status {
        TRAINYARD_TRY_STATUS(makeFolder(temporary));
        return writeFileAtomically(temporary / kManifestName, manifest);
    });
}

Status followHistory(const fs::path& checkpoints, const std::vector<LineSwitch::Rename>& renames,
                     const LineRecord& record, const Fence& fence)
{
    TRAINYARD_TRY_STATUS(fence.check());
    TRAINYARD_TRY_STATUS(makeFolder(checkpoints));
    TRAINYARD_TRY(const CheckpointListing listing, CheckpointListing::read(checkpoints));
    const std::string wish = wishAfter(listing, renames);
    // First: its name before the renames would ask for nothing after them.
    if (!wish.empty())
        TRAINYARD_TRY_STATUS(writeFileAtomically(checkpoints / kLatestName, wish + "\n"));
    TRAINYARD_TRY_STATUS(renameAll(checkpoints, renames, fence));
    LineRecord taken = record;
    if (wish.empty() && !record.latest.empty())
        TRAINYARD_TRY_STATUS(writeFileAtomically(checkpoints / kLatestName, record.latest + "\n"));
    if (wish == record.latest)
        taken.latest.clear();
    return taken.save(checkpoints);
}

Status followHead(const fs::path& checkpoints, const std::vector<LineSwitch::Rename>& renames,
                  const LineRecord& record, const Fence& fence)
{
    std::error_code ignored;
    if (!fs::exists(checkpoints, ignored))
        return {};
    TRAINYARD_TRY_STATUS(fence.check());
    TRAINYARD_TRY_STATUS(renameAll(checkpoints, renames, fence));
    if (!record.latest.empty())
        TRAINYARD_TRY_STATUS(writeFileAtomically(checkpoints / kLatestName, record.latest + "\n"));
    return record.save(checkpoints);
}

} // namespace trainyard
