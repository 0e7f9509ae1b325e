#include "engine/checkpoint/format/checkpoint_parts.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/file.h"
#include "engine/base/hash.h"
#include "engine/checkpoint/format/checkpoint_folder.h"
#include "engine/checkpoint/format/manifest.h"
#include "engine/checkpoint/format/shard_header.h"
#include "engine/checkpoint/format/stored_file.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

/// Cancelled when it fits as far as it was compared.
Status verify(const fs::path& file, const std::vector<SliceInFile>& slices,
              const std::function<bool()>& goesOn)
{
    TRAINYARD_TRY(const StoredFile stored, StoredFile::open(file));
    TRAINYARD_TRY_STATUS(checkShardHeader(stored, slices));
    return verifyShard(stored, slices, goesOn);
}

/// One that only this host has, or that is there and wrong.
void takeFault(CheckpointHealth& health, const CheckpointManifest& manifest, const fs::path& folder,
               const std::string& shard, const Error& error)
{
    health.reason = error.message;
    if (!manifest.hasOtherPlace(folder, shard))
        health.state =
            error.kind == ErrorKind::BadInput ? CheckpointState::Damaged : CheckpointState::Unreadable;
}

} // namespace

std::optional<CheckpointParts> examineParts(const fs::path& folder, const std::function<bool()>& goesOn)
{
    const auto text = readFile(folder / kManifestName);
    const auto manifest =
        text.ok() ? CheckpointManifest::parse(*text) : Result<CheckpointManifest>(text.error());
    if (!manifest.ok() || manifest->places.empty())
        return std::nullopt;
    const auto hosts = manifest->hosts();
    CheckpointParts parts{xxh3Hex(*text), {}, {hosts.begin(), hosts.end()}, {.verified = true}};
    for (const auto& [shard, slices] : slicesByFile(*manifest)) {
        const bool isElsewhere = manifest->isElsewhere(folder, shard);
        const Status fits = isElsewhere ? Status() : verify(folder / shard, slices, goesOn);
        const bool isCutShort = !fits.ok() && fits.error().kind == ErrorKind::Cancelled;
        parts.here.push_back(!isElsewhere && (fits.ok() || isCutShort));
        if (isCutShort)
            parts.health.verified = false;
        else if (!fits.ok() && parts.health.state == CheckpointState::Complete)
            takeFault(parts.health, *manifest, folder, shard, fits.error());
    }
    const auto away = std::ranges::count(parts.here, false);
    if (away > 0 && parts.health.reason.empty())
        parts.health.reason = fmt::format("{} of {} shards are on other hosts", away, parts.here.size());
    return parts;
}

} // namespace trainyard
