#include "engine/checkpoint/format/shard_header.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/base/hash.h"

namespace trainyard {

namespace {

using Json = nlohmann::json;

constexpr std::size_t kPieceBytes = std::size_t{8} << 20;
constexpr std::uint64_t kMaxHeaderBytes = std::uint64_t{1} << 30;

/// Where a tensor's name and its first byte in the file lead to.
using Key = std::pair<std::string, std::uint64_t>;

struct Entry {
    std::string dtype;
    std::vector<std::int64_t> shape;
    std::uint64_t bytes = 0;

    bool operator==(const Entry&) const = default;
};

Error damaged(const StoredFile& shard, const std::string& what)
{
    return badInput(fmt::format("{} is damaged: {}", shard.path().string(), what));
}

Result<std::string> headerOf(const StoredFile& shard)
{
    std::uint64_t bytes = 0;
    TRAINYARD_TRY_STATUS(shard.read(0, std::as_writable_bytes(std::span(&bytes, 1))));
    if (bytes > kMaxHeaderBytes || bytes > shard.size() - sizeof bytes)
        return damaged(shard, "its header is larger than the file");
    std::string header(bytes, '\0');
    TRAINYARD_TRY_STATUS(shard.read(sizeof bytes, std::as_writable_bytes(std::span(header))));
    return header;
}

/// The second slice of a tensor in one file is called "<tensor>#2".
std::string tensorName(const std::string& entry)
{
    const std::size_t end = entry.rfind('#');
    const bool isNumbered =
        end != std::string::npos && entry.find_first_not_of("0123456789", end + 1) == std::string::npos;
    return isNumbered ? entry.substr(0, end) : entry;
}

std::map<Key, Entry> entriesOf(const std::string& header)
{
    const std::uint64_t data = sizeof(std::uint64_t) + header.size();
    std::map<Key, Entry> entries;
    const Json json = Json::parse(header);
    for (const auto& [name, entry] : json.items()) {
        if (name == "__metadata__")
            continue;
        const auto [begin, end] = entry.at("data_offsets").get<std::array<std::uint64_t, 2>>();
        entries[{tensorName(name), data + begin}] = {entry.at("dtype").get<std::string>(),
                                                     entry.at("shape").get<std::vector<std::int64_t>>(),
                                                     end - begin};
    }
    return entries;
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

} // namespace

SlicesByFile slicesByFile(const CheckpointManifest& manifest)
{
    SlicesByFile files;
    for (const LogicalTensor& tensor : manifest.tensors) {
        for (const TensorSlice& slice : tensor.slices)
            files[slice.file].push_back({&tensor, &slice});
    }
    return files;
}

Status checkShardHeader(const StoredFile& shard, const std::vector<SliceInFile>& slices)
{
    TRAINYARD_TRY(const std::string header, headerOf(shard));
    std::map<Key, Entry> entries;
    try {
        entries = entriesOf(header);
    } catch (const Json::exception&) {
        return damaged(shard, "it has no safetensors header");
    }
    for (const auto& [tensor, slice] : slices) {
        const auto found = entries.find({tensor->name, slice->offset});
        if (found == entries.end() ||
            found->second != Entry{std::string(nameOf(tensor->type)), slice->shape, slice->bytes})
            return damaged(shard,
                           fmt::format("its header and the manifest disagree on tensor {}", tensor->name));
        if (slice->offset + slice->bytes > shard.size())
            return badInput(fmt::format("{} is truncated: it has {} bytes, but tensor {} ends at byte {}",
                                        shard.path().string(), shard.size(), tensor->name,
                                        slice->offset + slice->bytes));
    }
    return {};
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

} // namespace trainyard
