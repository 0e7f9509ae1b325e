#include "engine/checkpoint/format/store_agreement.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace trainyard {

namespace {

bool isPublishedAnywhere(const std::string& hash, const std::vector<StoreInventory>& stores)
{
    return std::ranges::any_of(stores,
                               [&](const StoreInventory& store) { return store.find(hash) != nullptr; });
}

bool isBlank(const StoreInventory& store)
{
    return store.checkpoints.empty() && store.record == LineRecord();
}

bool hasShard(const StoreInventory& store, const std::string& hash, const std::string& shard)
{
    const StoredCheckpoint* stored = store.find(hash);
    return stored && std::ranges::find(stored->shards, shard) != stored->shards.end();
}

std::string presentHosts(const std::vector<StoreInventory>& stores)
{
    std::vector<std::string> hosts;
    for (const StoreInventory& store : stores)
        hosts.push_back(store.host);
    return fmt::format("{}", fmt::join(hosts, ", "));
}

std::string unreadableOn(const std::vector<StoreInventory>& stores, const std::string& hash)
{
    for (const StoreInventory& store : stores) {
        const StoredCheckpoint* stored = store.find(hash);
        if (stored && !stored->unreadable.empty())
            return fmt::format("{}: {}", store.host, stored->unreadable);
    }
    return {};
}

std::int64_t newestStep(const StoreInventory& store)
{
    std::int64_t newest = -1;
    for (const StoredCheckpoint& stored : store.checkpoints) {
        if (stored.isPublished && stored.name.isPresent())
            newest = std::max(newest, stored.name.step.value);
    }
    return newest;
}

/// Renames one after another, so that each finds its new name free.
class RenameOrder {
public:
    explicit RenameOrder(const StoreInventory& store)
    {
        for (const StoredCheckpoint& stored : store.checkpoints) {
            if (stored.isPublished)
                m_taken.insert(stored.name);
        }
    }

    std::vector<LineSwitch::Rename> of(std::vector<LineSwitch::Rename> wanted)
    {
        while (!wanted.empty()) {
            const auto free = std::ranges::find_if(
                wanted, [this](const LineSwitch::Rename& one) { return !m_taken.contains(one.to); });
            if (free == wanted.end())
                setAside(wanted.front().to, wanted);
            else {
                rename(*free);
                wanted.erase(free);
            }
        }
        return m_order;
    }

private:
    void rename(const LineSwitch::Rename& one)
    {
        m_taken.erase(one.from);
        m_taken.insert(one.to);
        m_order.push_back(one);
    }

    /// What has this name may itself still be renamed, from its new name then.
    void setAside(const CheckpointName& name, std::vector<LineSwitch::Rename>& wanted)
    {
        CheckpointName aside = name;
        do
            ++aside.damaged;
        while (m_taken.contains(aside));
        for (LineSwitch::Rename& one : wanted) {
            if (one.from == name)
                one.from = aside;
        }
        rename({name, aside});
    }

    std::set<CheckpointName> m_taken;
    std::vector<LineSwitch::Rename> m_order;
};

} // namespace

std::vector<int> storesOfShards(int store, int stores, int copies)
{
    std::vector<int> all{store};
    for (int next = 1; next <= std::min(copies, stores - 1); ++next)
        all.push_back((store + next) % stores);
    return all;
}

std::vector<CheckpointName> unfinishedPublications(const StoreInventory& mine,
                                                   const std::vector<StoreInventory>& stores)
{
    std::vector<CheckpointName> names;
    for (const StoredCheckpoint& stored : mine.checkpoints) {
        if (!stored.isPublished && !mine.find(stored.hash) && isPublishedAnywhere(stored.hash, stores))
            names.push_back(stored.name);
    }
    return names;
}

std::vector<StoreInventory> afterPublications(std::vector<StoreInventory> stores)
{
    const std::vector<StoreInventory> before = stores;
    for (StoreInventory& store : stores) {
        const auto names = unfinishedPublications(store, before);
        // One of that name makes room for it.
        std::erase_if(store.checkpoints, [&](const StoredCheckpoint& stored) {
            return stored.isPublished && std::ranges::find(names, stored.name) != names.end();
        });
        for (StoredCheckpoint& stored : store.checkpoints)
            stored.isPublished |= std::ranges::find(names, stored.name) != names.end();
    }
    return stores;
}

LineRecord commonRecord(const std::vector<StoreInventory>& stores)
{
    if (!isBlank(stores.front()))
        return stores.front().record;
    const auto longest = std::ranges::max_element(
        stores, {}, [](const StoreInventory& store) { return store.record.lines.size(); });
    return longest->record;
}

std::vector<UnknownCheckpoint> unknownToHead(const std::vector<StoreInventory>& stores)
{
    const StoreInventory& head = stores.front();
    const LineRecord common = commonRecord(stores);
    const std::int64_t newest = newestStep(head);
    std::vector<UnknownCheckpoint> unknown;
    const auto isKnown = [&](const StoredCheckpoint& stored) {
        return stored.name.step.value <= newest || head.find(stored.hash) ||
               std::ranges::any_of(unknown,
                                   [&](const UnknownCheckpoint& one) { return one.name == stored.name; });
    };
    for (std::size_t store = 1; store < stores.size(); ++store) {
        if (stores[store].record.lines != common.lines)
            continue;
        for (const StoredCheckpoint& stored : stores[store].checkpoints) {
            if (stored.isPublished && stored.name.isPresent() && !isKnown(stored))
                unknown.push_back({store, stored.name, stored.hash});
        }
    }
    return unknown;
}

CheckpointHealth healthOver(const std::vector<StoreInventory>& stores, const CheckpointManifest& manifest,
                            const std::string& hash)
{
    for (const std::string& shard : manifest.shards()) {
        if (std::ranges::any_of(
                stores, [&](const StoreInventory& store) { return hasShard(store, hash, shard); }))
            continue;
        if (const std::string unreadable = unreadableOn(stores, hash); !unreadable.empty())
            return {CheckpointState::Unreadable, unreadable, false};
        return {CheckpointState::Damaged,
                fmt::format("{} is on none of the hosts present ({}); it was written on {}: start with one of "
                            "them, if its disk still has the run",
                            shard, presentHosts(stores), manifest.hostsOf(shard)),
                false};
    }
    return {};
}

std::vector<LineSwitch::Rename> renamesToFollow(const StoreInventory& mine, const StoreInventory& head)
{
    std::vector<LineSwitch::Rename> wanted;
    for (const StoredCheckpoint& stored : mine.checkpoints) {
        if (!stored.isPublished)
            continue;
        CheckpointName name = stored.name;
        if (const StoredCheckpoint* there = head.find(stored.hash))
            name = there->name;
        else if (name.isPresent() && mine.record.lines != head.record.lines)
            name.line = mine.record.present().number;
        if (name != stored.name)
            wanted.push_back({stored.name, name});
    }
    return RenameOrder(mine).of(std::move(wanted));
}

} // namespace trainyard
