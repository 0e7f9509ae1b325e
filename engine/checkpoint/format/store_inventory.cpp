#include "engine/checkpoint/format/store_inventory.h"

#include <algorithm>
#include <optional>

#include "engine/base/hash.h"
#include "engine/checkpoint/format/checkpoint_folder.h"
#include "engine/checkpoint/format/checkpoint_listing.h"
#include "engine/checkpoint/format/manifest.h"
#include "engine/checkpoint/format/shard_header.h"
#include "engine/checkpoint/format/stored_file.h"
#include "engine/records/wire.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

void takeShards(StoredCheckpoint& stored, const CheckpointManifest& manifest, const fs::path& folder)
{
    for (const auto& [name, slices] : slicesByFile(manifest)) {
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
        auto stored = name ? StoredCheckpoint::read(entry->path(), *name, false) : StoredCheckpoint();
        if (!stored.hash.empty())
            prepared.push_back(std::move(stored));
    }
    return prepared;
}

void write(WireWriter& out, const std::vector<std::string>& texts)
{
    out.number(static_cast<std::uint64_t>(texts.size()));
    for (const std::string& text : texts)
        out.text(text);
}

std::vector<std::string> readTexts(WireReader& in)
{
    std::vector<std::string> texts(in.number<std::uint64_t>());
    for (std::string& text : texts)
        text = in.text();
    return texts;
}

void write(WireWriter& out, const StoredCheckpoint& stored)
{
    out.text(stored.name.text());
    out.number(static_cast<std::uint8_t>(stored.isPublished));
    out.text(stored.hash);
    write(out, stored.shards);
    for (const std::string* text : {&stored.unreadable, &stored.wrong, &stored.replaces})
        out.text(*text);
}

StoredCheckpoint readStored(WireReader& in)
{
    StoredCheckpoint stored;
    stored.name = CheckpointName::parse(in.text()).value_or(CheckpointName());
    stored.isPublished = in.number<std::uint8_t>() != 0;
    stored.hash = in.text();
    stored.shards = readTexts(in);
    for (std::string* text : {&stored.unreadable, &stored.wrong, &stored.replaces})
        *text = in.text();
    return stored;
}

void write(WireWriter& out, const LineRecord& record)
{
    out.text(record.latest);
    write(out, record.hosts);
    out.number(static_cast<std::uint64_t>(record.lines.size()));
    for (const CheckpointLine& line : record.lines) {
        out.number(static_cast<std::int32_t>(line.number));
        out.number(static_cast<std::int32_t>(line.parent));
        out.number(line.from);
        out.text(line.id);
    }
}

LineRecord readRecord(WireReader& in)
{
    LineRecord record;
    record.latest = in.text();
    record.hosts = readTexts(in);
    record.lines.resize(in.number<std::uint64_t>());
    for (CheckpointLine& line : record.lines) {
        line.number = in.number<std::int32_t>();
        line.parent = in.number<std::int32_t>();
        line.from = in.number<std::int64_t>();
        line.id = in.text();
    }
    return record;
}

} // namespace

StoredCheckpoint StoredCheckpoint::read(const fs::path& folder, const CheckpointName& name, bool isPublished)
{
    StoredCheckpoint stored{name, isPublished, {}, {}};
    const auto file = StoredFile::open(folder / kManifestName);
    const auto text = file.ok() ? file->content() : Result<std::string>(file.error());
    const auto manifest =
        text.ok() ? CheckpointManifest::parse(*text) : Result<CheckpointManifest>(text.error());
    if (!manifest.ok()) {
        // One of another version may be as whole as one that a disk does not give now.
        const bool isWrong = manifest.error().kind == ErrorKind::BadInput;
        (isWrong ? stored.wrong : stored.unreadable) = manifest.error().in(folder.string()).message;
        return stored;
    }
    stored.hash = xxh3Hex(*text);
    stored.replaces = manifest->replaces;
    takeShards(stored, *manifest, folder);
    return stored;
}

Result<StoreInventory> StoreInventory::read(const fs::path& checkpoints, std::string host)
{
    TRAINYARD_TRY(const CheckpointListing listing, CheckpointListing::read(checkpoints));
    StoreInventory inventory{std::move(host), listing.record, {}};
    for (const CheckpointName& name : listing.names)
        inventory.checkpoints.push_back(StoredCheckpoint::read(checkpoints / name.text(), name));
    std::ranges::move(preparedIn(checkpoints), std::back_inserter(inventory.checkpoints));
    return inventory;
}

const StoredCheckpoint* StoreInventory::find(const std::string& hash) const
{
    const auto found = std::ranges::find_if(checkpoints, [&](const StoredCheckpoint& one) {
        return one.isPublished && !hash.empty() && one.hash == hash;
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

bool StoreInventory::isBlank() const
{
    return checkpoints.empty() && record == LineRecord();
}

std::string toText(const StoreInventory& inventory)
{
    std::string text;
    WireWriter out(text);
    out.text(inventory.host);
    write(out, inventory.record);
    out.number(static_cast<std::uint64_t>(inventory.checkpoints.size()));
    for (const StoredCheckpoint& stored : inventory.checkpoints)
        write(out, stored);
    return text;
}

StoreInventory inventoryFromText(const std::string& text)
{
    WireReader in(text);
    StoreInventory inventory;
    inventory.host = in.text();
    inventory.record = readRecord(in);
    inventory.checkpoints.resize(in.number<std::uint64_t>());
    for (StoredCheckpoint& stored : inventory.checkpoints)
        stored = readStored(in);
    return inventory;
}

} // namespace trainyard
