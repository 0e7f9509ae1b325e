#include "engine/checkpoint/format/checkpoint_health.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "engine/base/hash.h"
#include "engine/checkpoint/format/checkpoint_folder.h"
#include "engine/checkpoint/format/manifest.h"
#include "engine/checkpoint/format/shard_header.h"
#include "engine/checkpoint/format/stored_file.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kPieceBytes = std::size_t{8} << 20;

CheckpointHealth healthOf(const Error& error)
{
    const bool isDamage = error.kind == ErrorKind::BadInput;
    return {isDamage ? CheckpointState::Damaged : CheckpointState::Unreadable, error.message, false};
}

using SlicesByFile = std::map<std::string, std::vector<SliceInFile>>;

SlicesByFile slicesByFile(const CheckpointManifest& manifest)
{
    SlicesByFile files;
    for (const LogicalTensor& tensor : manifest.tensors) {
        for (const TensorSlice& slice : tensor.slices)
            files[slice.file].push_back({&tensor, &slice});
    }
    return files;
}

Result<CheckpointManifest> openIndex(const fs::path& folder)
{
    TRAINYARD_TRY(CheckpointManifest manifest, CheckpointManifest::load(folder / kManifestName));
    for (const auto& [name, slices] : slicesByFile(manifest)) {
        if (manifest.isElsewhere(folder, name))
            continue;
        TRAINYARD_TRY(const StoredFile file, StoredFile::open(folder / name));
        TRAINYARD_TRY_STATUS(checkShardHeader(file, slices));
    }
    return manifest;
}

/// Cancelled when `goesOn` says so.
Result<std::string> hashOf(const StoredFile& file, const TensorSlice& slice,
                           const std::function<bool()>& goesOn)
{
    Xxh3 hash;
    std::string buffer(std::min<std::uint64_t>(slice.bytes, kPieceBytes), '\0');
    for (std::uint64_t done = 0; done < slice.bytes;) {
        if (!goesOn())
            return cancelled("not fully verified");
        buffer.resize(std::min<std::uint64_t>(slice.bytes - done, kPieceBytes));
        TRAINYARD_TRY_STATUS(file.read(slice.offset + done, std::as_writable_bytes(std::span(buffer))));
        hash.update(buffer);
        done += buffer.size();
    }
    return hash.hexDigest();
}

Status verifyShard(const StoredFile& file, const std::vector<SliceInFile>& slices,
                   const std::function<bool()>& goesOn)
{
    for (const SliceInFile& one : slices) {
        TRAINYARD_TRY(const std::string hash, hashOf(file, *one.slice, goesOn));
        if (hash != one.slice->xxh3)
            return badInput(fmt::format("tensor {}: bytes {} to {} of {} do not match their hash",
                                        one.tensor->name, one.slice->offset,
                                        one.slice->offset + one.slice->bytes, file.path().string()));
    }
    return {};
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
