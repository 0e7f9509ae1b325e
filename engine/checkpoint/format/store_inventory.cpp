#include "engine/checkpoint/format/store_inventory.h"

#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

#include "engine/base/hash.h"
#include "engine/checkpoint/format/checkpoint_folder.h"
#include "engine/checkpoint/format/checkpoint_listing.h"
#include "engine/checkpoint/format/manifest.h"
#include "engine/checkpoint/format/shard_header.h"
#include "engine/checkpoint/format/stored_file.h"

namespace trainyard {

namespace fs = std::filesystem;

using Json = nlohmann::ordered_json;

namespace {

void takeShards(StoredCheckpoint& stored, const CheckpointManifest& manifest, const fs::path& folder)
{
    std::map<std::string, std::vector<SliceInFile>> files;
    for (const LogicalTensor& tensor : manifest.tensors) {
        for (const TensorSlice& slice : tensor.slices)
            files[slice.file].push_back({&tensor, &slice});
    }
    for (const auto& [name, slices] : files) {
        const auto file = StoredFile::open(folder / name);
        const Status fits = file.ok() ? checkShardHeader(*file, slices) : Status(file.error());
        if (fits.ok())
            stored.shards.push_back(name);
        else if (fits.error().kind != ErrorKind::BadInput)
            stored.unreadable = fits.error().message;
    }
}

/// ".step-000001400.partial" -> step 1400
std::optional<CheckpointName> preparedName(const std::string& folder)
{
    constexpr std::string_view kEnd = ".partial";
    if (!folder.starts_with('.') || !folder.ends_with(kEnd))
        return std::nullopt;
    const auto name = CheckpointName::parse(
        std::string_view(folder).substr(1, folder.size() - 1 - kEnd.size()));
    return name && name->isPresent() ? name : std::nullopt;
}

std::vector<StoredCheckpoint> preparedIn(const fs::path& checkpoints)
{
    std::vector<StoredCheckpoint> prepared;
    std::error_code error; // of an unreadable folder the listing tells
    for (fs::directory_iterator entry(checkpoints, error), end; !error && entry != end; entry.increment(error)) {
        const auto name = preparedName(entry->path().filename().string());
        auto stored = name ? StoredCheckpoint::read(entry->path(), *name, false) : std::nullopt;
        if (stored)
            prepared.push_back(std::move(*stored));
    }
    return prepared;
}

Json storedJson(const StoredCheckpoint& stored)
{
    return {{"name", stored.name.text()},
            {"published", stored.isPublished},
            {"hash", stored.hash},
            {"shards", stored.shards},
            {"unreadable", stored.unreadable}};
}

StoredCheckpoint storedFrom(const Json& json)
{
    return {CheckpointName::parse(json.at("name").get<std::string>()).value_or(CheckpointName()),
            json.at("published").get<bool>(), json.at("hash").get<std::string>(),
            json.at("shards").get<std::vector<std::string>>(), json.at("unreadable").get<std::string>()};
}

} // namespace

std::optional<StoredCheckpoint> StoredCheckpoint::read(const fs::path& folder, const CheckpointName& name,
                                                       bool isPublished)
{
    const auto file = StoredFile::open(folder / kManifestName);
    const auto text = file.ok() ? file->content() : Result<std::string>(file.error());
    const auto manifest =
        text.ok() ? CheckpointManifest::parse(*text) : Result<CheckpointManifest>(text.error());
    if (!manifest.ok())
        return std::nullopt;
    StoredCheckpoint stored{name, isPublished, xxh3Hex(*text), {}, {}};
    takeShards(stored, *manifest, folder);
    return stored;
}

Result<StoreInventory> StoreInventory::read(const fs::path& checkpoints, std::string host)
{
    TRAINYARD_TRY(const CheckpointListing listing, CheckpointListing::read(checkpoints));
    StoreInventory inventory{std::move(host), listing.record, {}};
    for (const CheckpointName& name : listing.names) {
        if (auto stored = StoredCheckpoint::read(checkpoints / name.text(), name))
            inventory.checkpoints.push_back(std::move(*stored));
    }
    std::ranges::move(preparedIn(checkpoints), std::back_inserter(inventory.checkpoints));
    return inventory;
}

const StoredCheckpoint* StoreInventory::find(const std::string& hash) const
{
    const auto found = std::ranges::find_if(checkpoints, [&](const StoredCheckpoint& one) {
        return one.isPublished && one.hash == hash;
    });
    return found == checkpoints.end() ? nullptr : &*found;
}

const StoredCheckpoint* StoreInventory::find(const CheckpointName& name) const
{
    const auto found = std::ranges::find_if(checkpoints, [&](const StoredCheckpoint& one) {
        return one.isPublished && one.name == name;
    });
    return found == checkpoints.end() ? nullptr : &*found;
}

std::string toText(const StoreInventory& inventory)
{
    Json lines = Json::array();
    for (const CheckpointLine& line : inventory.record.lines)
        lines.push_back({line.number, line.parent, line.from});
    Json checkpoints = Json::array();
    for (const StoredCheckpoint& stored : inventory.checkpoints)
        checkpoints.push_back(storedJson(stored));
    return Json{{"host", inventory.host},
                {"latest", inventory.record.latest},
                {"lines", std::move(lines)},
                {"checkpoints", std::move(checkpoints)}}
        .dump();
}

StoreInventory inventoryFromText(const std::string& text)
{
    const Json json = Json::parse(text);
    StoreInventory inventory{json.at("host").get<std::string>(), {json.at("latest").get<std::string>(), {}}, {}};
    for (const Json& line : json.at("lines"))
        inventory.record.lines.push_back(
            {line.at(0).get<int>(), line.at(1).get<int>(), line.at(2).get<std::int64_t>()});
    for (const Json& stored : json.at("checkpoints"))
        inventory.checkpoints.push_back(storedFrom(stored));
    return inventory;
}

} // namespace trainyard
