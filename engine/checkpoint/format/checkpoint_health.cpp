#include "engine/checkpoint/format/checkpoint_health.h"

#include <fmt/format.h>

#include "engine/checkpoint/format/checkpoint_folder.h"
#include "engine/checkpoint/format/manifest.h"
#include "engine/checkpoint/format/shard_header.h"
#include "engine/checkpoint/format/stored_file.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

CheckpointHealth healthOf(const Error& error)
{
    const bool isDamage = error.kind == ErrorKind::BadInput;
    return {isDamage ? CheckpointState::Damaged : CheckpointState::Unreadable, error.message, false};
}

Result<CheckpointManifest> openIndex(const fs::path& folder)
{
    TRAINYARD_TRY(CheckpointManifest manifest, CheckpointManifest::load(folder / kManifestName));
    for (const auto& [name, slices] : slicesByFile(manifest)) {
        const auto file = StoredFile::open(folder / name);
        const Status fits = file.ok() ? checkShardHeader(*file, slices) : Status(file.error());
        // One that is missing or cut off here may be whole elsewhere.
        const bool isWrong = !fits.ok() && fits.error().kind == ErrorKind::BadInput;
        if (!fits.ok() && !(isWrong && manifest.hasOtherPlace(folder, name)))
            return fits.error();
    }
    return manifest;
}

} // namespace

std::string_view nameOf(CheckpointState state)
{
    switch (state) {
    case CheckpointState::Complete:
        break;
    case CheckpointState::Damaged:
        return "damaged";
    case CheckpointState::Unreadable:
        return "unreadable";
    case CheckpointState::Incomplete:
        return "incomplete";
    }
    return "whole";
}

CheckpointHealth examineIndex(const fs::path& folder)
{
    const auto index = openIndex(folder);
    return index.ok() ? CheckpointHealth{} : healthOf(index.error());
}

CheckpointHealth verifyContent(const fs::path& folder, const std::function<bool()>& goesOn)
{
    const auto index = openIndex(folder);
    if (!index.ok())
        return healthOf(index.error());
    const SlicesByFile files = slicesByFile(*index);
    std::size_t elsewhere = 0;
    for (const auto& [name, slices] : files) {
        if (index->isElsewhere(folder, name)) {
            ++elsewhere;
            continue;
        }
        const auto file = StoredFile::open(folder / name);
        const Status verified = file.ok() ? verifyShard(*file, slices, goesOn) : Status(file.error());
        if (!verified.ok() && verified.error().kind == ErrorKind::Cancelled)
            return {};
        if (!verified.ok())
            return healthOf(verified.error());
    }
    if (elsewhere > 0)
        return {CheckpointState::Complete,
                fmt::format("{} of {} shards are on other hosts", elsewhere, files.size()), false};
    return {.verified = true};
}

std::uint64_t bytesOf(const fs::path& folder)
{
    std::uint64_t bytes = 0;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
        std::error_code ignored;
        if (entry->is_regular_file(ignored))
            bytes += entry->file_size(ignored);
    }
    return bytes;
}

} // namespace trainyard
